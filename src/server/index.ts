import type { Engine as StartedEngine, EngineOptions } from '../engine/engine.ts';

export { agent, type Agent } from '../agent/agent.ts';
export type { AgentDescription, AgentOptions } from '../agent/agent-options.ts';
export type { AccessOptions } from '../host/options/access-options.ts';
export { apiKeys, type ApiKeysOptions, type KeyCaller } from '../host/auth/api-keys.ts';
export type { AuthOption } from '../host/auth/auth-option.ts';
export type {
  AuthenticateHook,
  Authenticated,
  Authenticator,
  CustomAuth,
  ServedAt,
} from '../host/auth/authenticator.ts';
export { basicAuth, type BasicUser } from '../host/auth/basic-auth.ts';
export { bearerTokens, type TokenCaller } from '../host/auth/bearer-tokens.ts';
export type { IssuerOptions } from '../host/auth/jwt/issuer.ts';
export { jwks, type JwksOptions } from '../host/auth/jwt/jwks.ts';
export type { CallerGrants } from '../host/auth/configured-callers.ts';
export { oidc, type OidcOptions } from '../host/auth/jwt/oidc.ts';
export { sharedSecret, type SharedSecretOptions } from '../host/auth/jwt/shared-secret.ts';
export type { TokenRules } from '../host/auth/jwt/verify-jwt.ts';
export type { CardSigningKey, CardSigningOptions } from './options/card-signing-options.ts';
export type { ExtendedCardFunction, ExtendedCardOption } from './options/extended-card-options.ts';
export type { FileOptions } from '../host/options/file-options.ts';
export type { PeersOption } from '../host/options/peer-options.ts';
export type { PeerOptions, PeerSecret, PeerTarget } from '../peers/peer-options.ts';
export type { PushOptions } from '../host/options/push-options.ts';
export type { ServerlessOptions } from './serverless/serverless-options.ts';
export type { SkillVisibility } from '../agent/skill-access.ts';
export { skill, type SkillContext, type TypedSkill, type TypedSkillOptions } from '../agent/typed-skill.ts';
export type { SkillSchema } from '../agent/skill-handler.ts';
export type { SkillOptions, ToolOptions, Tools } from '../agent/skills.ts';
export { type HonoContextLike, type HonoHandler, toHono } from './adapters/hono.ts';
export { type NextRoutes, toNext } from './adapters/next.ts';
export type { CorsOptions } from './http/cors.ts';
export { type AgentHandler, type AuthorizedTask, createHandler, type PurgedCaller } from './handler.ts';
export type { HandlerOptions, StreamingOptions } from './options/handler-options.ts';
export type { Limits, Rate } from '../host/limits/limit-settings.ts';
export type { HttpBody, HttpRequest, HttpResponse, ResponseHold, WaitUntil } from '../host/http.ts';
export type { DeadLetter, DeadLetterRange, Redelivered } from '../engine/outbox/dead-letters.ts';
export type { PushTransport, Delivery, DeliveryResult } from '../engine/outbox/delivery.ts';
export type { EngineCloseOptions, GetTaskOptions } from '../engine/engine-options.ts';
export type { EngineOptions, SendResult, TaskStream } from '../engine/engine.ts';
export {
  type AnswerCallQuestion,
  type Call,
  type CallAnswer,
  CallError,
  type CallMessage,
  type CallOptions,
  type CallOutcome,
  type CallQuestion,
  type CallReply,
  type MakeCall,
  type StartCall,
} from '../engine/calls/call.ts';
export type { AnswerSchema, AnswerType } from '../model/answer-schema.ts';
export {
  type ArtifactWriter,
  type Ask,
  type AskOptions,
  type AuthorizationRequest,
  type AuthorizeOptions,
  type Caller,
  type ChooseOption,
  type ChooseQuestion,
  type ChunkOptions,
  type ConfirmQuestion,
  type ConversationTurn,
  type FormQuestion,
  type Handler,
  type HandlerResult,
  type Inbox,
  type IncomingFile,
  type IncomingMessage,
  type Outputs,
  type Question,
  QuestionCanceledError,
  QuestionExpiredError,
  type Step,
  type StepContext,
  type StepOptions,
  type StepResult,
  type TaskContext,
} from '../engine/handler.ts';
export type {
  ArtifactOutput,
  Output,
  OutputContent,
  OutputState,
  ReplyOutput,
  StatusOutput,
  WorkingStatus,
} from '../engine/output/output.ts';
export type { NewPushConfig, PushConfigRange } from '../engine/outbox/push-configs.ts';
export type { PushPolicy } from '../engine/outbox/push-policy.ts';
export type { Retention } from '../engine/schedule/retention.ts';
export type { RunLimits } from '../engine/runnable.ts';
export type { Submission } from '../engine/tasks/submission.ts';
export type { LeaveSignal } from '../support/leave-signal.ts';
export type { ListedTasks } from '../engine/tasks/task-page.ts';
export type { TaskAccess } from '../engine/tasks/task-access.ts';
export type { TaskWithTransitions } from '../engine/write/transitions.ts';
export type { SweepOptions, Swept } from '../engine/on-demand/on-demand.ts';
export type { StreamItem, StreamStart } from '../engine/stream/subscribe.ts';
export type { Audit, AuditRecord } from '../observe/audit.ts';
export type { Log, LogFields } from '../observe/log.ts';
export type { OpenTelemetry, OtelContext, OtelSpan, OtelSpanContext, OtelTracer } from '../observe/opentelemetry.ts';
export type { TraceContext, TraceHeaders } from '../observe/trace-context.ts';
export { memoryStore, type MemoryStoreOptions } from '../store/memory/store.ts';
export type {
  PushConfigName,
  PushConfigRecord,
  Scope,
  Store,
  StoredTask,
  TaskEvent,
  TaskRecord,
} from '../store/store.ts';

/** Runs agents without HTTP. `Engine.start()` creates one. */
export type Engine = StartedEngine;

/** Loaded with the first `start()`, because `serve()` and `createHandler()` load the engine themselves. */
export const Engine = {
  /** Starts an engine, which resumes the tasks that an earlier process left unfinished. */
  async start(options: EngineOptions): Promise<Engine> {
    const loaded = await import('../engine/engine.ts');
    return loaded.Engine.start(options);
  },
} as const;
