import type { JsonObject } from '../model/json.ts';
import type { TaskPushNotificationConfig } from '../model/push.ts';
import type { OpenTelemetry } from '../observe/opentelemetry.ts';
import type { Clock } from '../support/clock.ts';
import type { ProtocolVersion } from '../wire/dialect.ts';
import type { Warning } from '../wire/reader.ts';
import type { Auth } from './auth.ts';
import type { CardTrust } from './card-trust.ts';
import type { AgentEvent } from './event.ts';
import type { Interceptor } from './interceptor.ts';
import type { Fetch } from './transport/fetch-transport.ts';

/** The bindings that this client has. */
export const BINDINGS = ['JSONRPC', 'HTTP+JSON'] as const;
export type BindingName = (typeof BINDINGS)[number];

/** How to talk to an agent. Every member has a default that is right for most. */
export interface ConnectOptions {
  /** Speak this version of the protocol and no other. */
  readonly version?: ProtocolVersion;
  /** Use this binding and no other. */
  readonly binding?: BindingName;
  /** Where to send requests, whatever the card says. */
  readonly url?: string;
  /**
   * A bearer token, a function that gives one, an API key, OAuth 2.0 client credentials, a secret to sign tokens with, a
   * strategy of your own, or several to be tried in order.
   */
  readonly auth?: Auth;
  /**
   * Origins that are as good as the one given to `connect()`: a card or a redirect may lead to them even if they are on a
   * private network, and credentials are sent to them.
   */
  readonly allowOrigins?: readonly string[];
  /** Sent with every request, to no other origins than credentials are. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Extensions of the protocol to ask for, by their URIs. */
  readonly extensions?: readonly string[];
  readonly interceptors?: readonly Interceptor[];
  /** How long a call may take if it does not say so itself. */
  readonly timeoutMs?: number;
  /** Stops the discovery. Calls have signals of their own. */
  readonly signal?: AbortSignal;
  /** How often a request is repeated if that is safe, 2 if not set. */
  readonly retries?: number;
  /**
   * How long a request is repeated that the agent did not take, because it refused the connection or responded with 503 and
   * `Retry-After`. If not set: 15 s, which is longer than a restart takes, and 3 s for an address that has never answered
   * this client. Never longer than the call may take. With `retries: 0` nothing is repeated.
   */
  readonly reconnectMs?: number;
  /**
   * The agent recognises a message that comes a second time by its `Idempotency-Key`. Then a message is sent again if the
   * connection broke before the answer came; otherwise that is an error. If not set, the card says it: agents of this
   * library with a store that lasts do.
   */
  readonly recognisesRepeats?: boolean;
  /** Refuse what is not official instead of reading it with a warning. */
  readonly strict?: boolean;
  readonly limits?: Partial<ClientLimits>;
  /** What the `User-Agent` header begins with. */
  readonly userAgent?: string;
  /** Whether a card may come from, and stay in, the memory that all clients of this process share; yes if not set. */
  readonly cache?: boolean;
  /** Use this instead of the runtime's own way to make requests. */
  readonly fetch?: Fetch;
  /** Called for everything that was read although it is not what the protocol says. */
  readonly onWarning?: (warning: Warning) => void;
  /** `import * as api from '@opentelemetry/api'`, to make a span of every request. */
  readonly tracing?: OpenTelemetry;
  /** For tests. */
  readonly clock?: Clock;
  /**
   * How to write messages of 0.3 over REST, of which its texts say two things: as its protocol definition has them, `proto`,
   * if not set, or with the tagged parts of JSON-RPC, `kind`. No card says which; answers are read in either.
   */
  readonly restStyle?: 'proto' | 'kind';
  /** Believe a card only if somebody whom you trust has signed it. Without this, signatures are not looked at. */
  readonly verifyCard?: CardTrust;
}

/** Bounds on what an agent may answer. */
export interface ClientLimits {
  /** Of one answer, also of one that comes in pieces, 16 MiB if not set. */
  readonly maxAnswerBytes: number;
  /** Of one event of a stream, 16 MiB if not set. */
  readonly maxEventBytes: number;
  /** Of a card, 1 MiB if not set. */
  readonly maxCardBytes: number;
  /** Of a file that is fetched, 64 MiB if not set. */
  readonly maxFileBytes: number;
  /** 5 if not set. */
  readonly maxRedirects: number;
}

/** What every call takes. */
export interface CallOptions {
  /** How long it may take with everything that belongs to it. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** W3C trace context to be part of; each call begins a trace of its own if not set. */
  readonly traceparent?: string;
  /** What vendors have added to it. */
  readonly tracestate?: string;
  /** Extensions of the protocol to ask for beside those of the client. */
  readonly extensions?: readonly string[];
}

export interface WaitOptions extends CallOptions {
  /** What to do if the task failed, was rejected or was canceled: give it back, or throw `TASK_FAILED`. */
  readonly failed?: 'value' | 'throw';
  /**
   * What to do if the agent completes without a text, a file or data: give it back, or throw `INVALID_AGENT_RESPONSE`. It is
   * given back if not set.
   */
  readonly empty?: 'value' | 'throw';
  /** Told of every event while the call waits. What it throws is ignored. */
  readonly onProgress?: (event: AgentEvent) => void;
  /** How to learn of the end: by a stream if the agent has them, else by asking again and again. */
  readonly wait?: 'stream' | 'poll';
}

export interface SendOptions extends Omit<WaitOptions, 'wait'> {
  readonly contextId?: string;
  readonly taskId?: string;
  /** Metadata of the request; a message can have some of its own. */
  readonly metadata?: JsonObject;
  /** The media types that the caller can use. */
  readonly acceptedOutputModes?: readonly string[];
  /** How many messages of the history to have. */
  readonly historyLength?: number;
  readonly pushNotification?: TaskPushNotificationConfig;
  /**
   * How to learn of the end: `stream` if the agent has streams, else `poll`. `block` leaves the waiting to the agent, in one
   * request; `none` does not wait at all.
   */
  readonly wait?: 'stream' | 'poll' | 'block' | 'none';
}

/** The options of `ask`: those of `send`, without `wait: 'none'`, because `ask` returns the text of the finished task. */
export interface AskOptions extends Omit<SendOptions, 'wait'> {
  readonly wait?: Exclude<SendOptions['wait'], 'none' | undefined>;
}
