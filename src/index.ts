export { A2AError } from './errors.ts';
export type { A2AErrorOptions, ErrorCode, FieldViolation } from './errors.ts';
export type { Artifact } from './model/artifact.ts';
export type {
  AgentCapabilities,
  AgentCard,
  AgentCardSignature,
  AgentExtension,
  AgentInterface,
  AgentProvider,
  AgentSkill,
} from './model/card.ts';
export type { StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from './model/event.ts';
export type { JsonObject, JsonValue } from './model/json.ts';
export type { Message, Role } from './model/message.ts';
export type { DataPart, Part, RawPart, TextPart, UrlPart } from './model/part.ts';
export type { AuthenticationInfo, TaskPushNotificationConfig } from './model/push.ts';
export type { SecurityRequirement, SecurityScheme } from './model/security.ts';
export type { TaskState } from './model/state.ts';
export type { Task, TaskStatus } from './model/task.ts';
export type { UnknownMembers } from './model/unknown-members.ts';
export { connect, inspectCard, tryDiscover } from './client/entry.ts';
export type { ConnectTarget, Discovery } from './client/connect.ts';
export type { ApiKey } from './client/api-key.ts';
export type { Auth, AuthContext, AuthStrategy, TokenSource } from './client/auth.ts';
export type { CallAborted } from './client/call-aborted.ts';
export type { CardTrust } from './client/card-trust.ts';
export type { ClientCredentials } from './client/client-credentials.ts';
export type { SignedToken } from './client/signed-token.ts';
export type { AgentClient, GetOptions, ListOptions } from './client/client.ts';
export type { Chosen } from './client/endpoint.ts';
export type { AgentEvent, ArtifactEvent, MessageEvent, StatusEvent, WholeTaskEvent } from './client/event.ts';
export type { CardProblem, CardReport } from './client/inspect-card.ts';
export type { IncomingAnswer, Interceptor, OutgoingRequest } from './client/interceptor.ts';
export type { MessageDraft, MessageInput } from './client/message-input.ts';
export type {
  AskOptions,
  CallOptions,
  ClientLimits,
  ConnectOptions,
  SendOptions,
  WaitOptions,
} from './client/options.ts';
export type { PushConfigPage, PushConfigs } from './client/push-configs.ts';
export type { RemoteTask, SubscribeOptions } from './client/remote-task.ts';
export type { MessageReply, Reply, TaskReply } from './client/reply.ts';
export type { StateWord } from './client/state-word.ts';
export type { TaskStream } from './client/task-stream.ts';
export type { TaskTransition, TaskTransitions } from './client/task-transitions.ts';
export type { Warning } from './wire/reader.ts';
export type { ProtocolVersion } from './wire/dialect.ts';
export type { CardKey, CardKeys, CardSignatureHeader } from './wire/card-signature-key.ts';
