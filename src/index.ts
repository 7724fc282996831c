export { A2AError } from './errors.ts';
export type { A2AErrorOptions, ErrorCode, FieldViolation } from './errors.ts';
export type { AnswerSchema, AnswerType } from './model/answer-schema.ts';
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
export type { JsonInput, JsonObject, JsonValue } from './model/json.ts';
export type { Message, Role } from './model/message.ts';
export type { ListTasksRequest, ListTasksResponse, OperationName } from './model/operation.ts';
export type { DataPart, Part, RawPart, TextPart, UrlPart } from './model/part.ts';
export type { AuthenticationInfo, TaskPushNotificationConfig } from './model/push.ts';
export type {
  APIKeySecurityScheme,
  AuthorizationCodeOAuthFlow,
  ClientCredentialsOAuthFlow,
  DeviceCodeOAuthFlow,
  HTTPAuthSecurityScheme,
  ImplicitOAuthFlow,
  MutualTlsSecurityScheme,
  OAuth2SecurityScheme,
  OAuthFlows,
  OpenIdConnectSecurityScheme,
  PasswordOAuthFlow,
  SecurityRequirement,
  SecurityScheme,
} from './model/security.ts';
export type { SkillTypes } from './model/skills.ts';
export type { TaskState } from './model/state.ts';
export type { Task, TaskStatus } from './model/task.ts';
export type { UnknownMembers } from './model/unknown-members.ts';
export { connect, inspectCard, tryDiscover } from './client/entry.ts';
export type { ConnectTarget, Discovery } from './client/connect.ts';
export type { ApiKey } from './client/auth/api-key.ts';
export type { Auth, OneAuth, TokenSource } from './client/auth/auth.ts';
export type { AuthContext, AuthStrategy, HeadersRecord } from './client/auth/strategy.ts';
export type { CallAborted } from './client/request/call-scope.ts';
export type { CardTrust } from './client/card/card-trust.ts';
export type { ClientCredentials } from './client/auth/client-credentials.ts';
export type { SignedToken } from './client/auth/signed-token.ts';
export type { AgentClient } from './client/client.ts';
export type { Chosen } from './client/request/endpoint.ts';
export type { AgentEvent, ArtifactEvent, MessageEvent, StatusEvent, WholeTaskEvent } from './client/event.ts';
export type { CardProblem, CardReport } from './client/card/inspect-card.ts';
export type { IncomingResponse, Interceptor, OutgoingRequest } from './client/request/interceptor.ts';
export type { MessageDraft, MessageInput } from './client/message-input.ts';
export type {
  AnswerOptions,
  AskOptions,
  BindingName,
  CallOptions,
  ClientLimits,
  ConnectOptions,
  GetOptions,
  ListOptions,
  SendOptions,
  WaitOptions,
} from './client/options.ts';
export type { PushConfigPage, PushConfigs } from './client/task/push-configs.ts';
export type { AnySkill, RemoteSkill, SkillId, SkillInput, SkillOutput, SkillResult } from './client/remote-skill.ts';
export type { RemoteTask, SubscribeOptions } from './client/remote-task.ts';
export type { MessageReply, Reply, TaskReply } from './client/reply.ts';
export type { AnswerInput, TaskQuestion } from './client/task-question.ts';
export type { StateWord } from './client/state-word.ts';
export type { TaskStream } from './client/task-stream.ts';
export type { TaskTransition, TaskTransitions } from './client/task/task-transitions.ts';
export type { Fetch } from './support/http-client/fetch-client.ts';
export type { Clock } from './support/time/clock.ts';
export type { Warning } from './wire/decoder.ts';
export type { ProtocolVersion } from './wire/version.ts';
export type { CardKey, CardKeys, CardSignatureHeader } from './wire/card/card-signature-key.ts';
