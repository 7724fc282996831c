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
