export { agent, type Agent } from './agent.ts';
export type { AgentDescription, AgentOptions } from './agent-options.ts';
export type { AccessOptions } from './access-options.ts';
export { apiKeys, type ApiKeysOptions, type KeyCaller } from './auth/api-keys.ts';
export type { AuthOption } from './auth/auth-option.ts';
export type { AuthenticateHook, Authenticated, Authenticator, CustomAuth, ServedAt } from './auth/authenticator.ts';
export { basicAuth, type BasicUser } from './auth/basic-auth.ts';
export { bearerTokens, type TokenCaller } from './auth/bearer-tokens.ts';
export type { IssuerOptions } from './auth/issuer.ts';
export { jwks, type JwksOptions } from './auth/jwks.ts';
export type { CallerGrants } from './auth/known-callers.ts';
export { oidc, type OidcOptions } from './auth/oidc.ts';
export { sharedSecret, type SharedSecretOptions } from './auth/shared-secret.ts';
export type { TokenRules } from './auth/verify-jwt.ts';
export { type HonoHandler, toHono } from './adapters/hono.ts';
export { type NextRoutes, toNext } from './adapters/next.ts';
export type { CorsOptions } from './cors.ts';
export { type AgentHandler, type AuthorizedTask, createHandler, type PurgedCaller } from './handler.ts';
export type { HandlerOptions } from './handler-options.ts';
export type { Limits, Rate } from './limits/limit-settings.ts';
export type { HttpBody, HttpRequest, HttpResponse } from './http.ts';
export type { DeadLetter, DeadLetterRange, Redelivered } from '../engine/dead-letters.ts';
export type { Courier, Delivery, DeliveryResult } from '../engine/delivery.ts';
export type { EngineOptions, SendResult, TaskStream } from '../engine/engine.ts';
export { Engine } from './late-engine.ts';
export type { AnswerSchema } from '../engine/answer-schema.ts';
export {
  type ArtifactWriter,
  type Ask,
  type AskOptions,
  type Caller,
  type Handler,
  type Inbox,
  type IncomingFile,
  type IncomingMessage,
  QuestionCanceledError,
  QuestionExpiredError,
  type Step,
  type StepContext,
  type StepOptions,
  type StepResult,
  type TaskContext,
} from '../engine/handler.ts';
export type { Output, OutputContent } from '../engine/output.ts';
export type { NewPushConfig, PushConfigRange } from '../engine/push-configs.ts';
export type { PushPolicy } from '../engine/push-policy.ts';
export type { Retention } from '../engine/retention.ts';
export type { RunLimits } from '../engine/runnable.ts';
export type { Submission } from '../engine/submission.ts';
export type { LeaveSignal } from '../support/leave-signal.ts';
export type { StreamItem, StreamStart } from '../engine/subscribe.ts';
export type { Audit, AuditRecord } from '../observe/audit.ts';
export type { Log, LogFields } from '../observe/log.ts';
export type { OpenTelemetry } from '../observe/opentelemetry.ts';
export type { TraceContext, TraceHeaders } from '../observe/trace-context.ts';
export { memoryStore, type MemoryStoreOptions } from '../store/memory/store.ts';
export type {
  Appended,
  ClaimedPush,
  ClaimRequest,
  Created,
  DeadLetterQuery,
  DeadLetterRecord,
  Guard,
  Idempotency,
  JournalEntry,
  JournalRecord,
  Lease,
  NewDeadLetter,
  NewEvent,
  NewTask,
  PagePosition,
  PushClaimRequest,
  PushConfigName,
  PushConfigPut,
  PushConfigQuery,
  PushConfigRecord,
  PushConfigToPut,
  PushHolding,
  PushNoted,
  PushProgress,
  PushReport,
  ReadParts,
  ReadProgress,
  RetentionPolicy,
  Scope,
  Store,
  StoredTask,
  TaskEvent,
  TaskPage,
  TaskProgress,
  TaskQuery,
  TaskRecord,
  TaskWrite,
  TokenTake,
  TokenTaken,
  WatchListener,
} from '../store/store.ts';
