import type { JsonObject } from '../model/json.ts';
import type { ListTasksRequest } from '../model/operation.ts';
import type { TaskPushNotificationConfig } from '../model/push.ts';
import type { OpenTelemetry } from '../observe/opentelemetry.ts';
import type { Clock } from '../support/time/clock.ts';
import type { Warning } from '../wire/decoder.ts';
import type { ProtocolVersion } from '../wire/version.ts';
import type { Auth } from './auth/auth.ts';
import type { CardTrust } from './card/card-trust.ts';
import type { AgentEvent } from './event.ts';
import type { Interceptor } from './request/interceptor.ts';
import type { AnswerInput, TaskQuestion } from './task-question.ts';
import type { Fetch } from '../support/http-client/fetch-client.ts';

/** The bindings that this client supports. */
export const BINDINGS = ['JSONRPC', 'HTTP+JSON'] as const;
/** The name of a binding, as agent cards write it: `JSONRPC` or `HTTP+JSON` (REST). */
export type BindingName = (typeof BINDINGS)[number];

/** Options of `connect()`. Every member is optional. */
export interface ConnectOptions {
  /** Uses only this version of the protocol. If not set: the first one that the card lists and this client supports. */
  readonly version?: ProtocolVersion;
  /** Uses only this binding. If not set: the first one that the card lists and this client supports. */
  readonly binding?: BindingName;
  /** Sends requests to this URL and ignores the URL in the card. */
  readonly url?: string;
  /**
   * The credentials: a bearer token, a function that returns one, an API key, OAuth 2.0 client credentials, a secret to sign
   * tokens with, a custom strategy, or a list of these to try in order. If not set, requests carry no credentials.
   *
   * @example
   * await connect(url, { auth: process.env.AGENT_TOKEN });
   * await connect(url, { auth: { apiKey: 'k-123' } });
   * await connect(url, { auth: { clientId: 'app', clientSecret: 's3cret' } });
   */
  readonly auth?: Auth;
  /**
   * Origins to trust like the one passed to `connect()`: cards and redirects may lead to them even if they are on a private
   * network, and credentials are sent to them.
   *
   * @example ['https://agents.example.com', 'http://10.0.0.7:4100']
   */
  readonly allowOrigins?: readonly string[];
  /** Headers for every request. They are sent only to origins that also get credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  /** URIs of the protocol extensions to request with every call. */
  readonly extensions?: readonly string[];
  /** Functions that see or change every request and see its response; the first one is the outermost. */
  readonly interceptors?: readonly Interceptor[];
  /**
   * The time limit for a call without its own `timeoutMs`, in milliseconds. If not set: 30 s for `connect()`, 300 s for `ask`,
   * `send`, `answer` and `wait`, 60 s for other calls, and no limit for streams.
   */
  readonly timeoutMs?: number;
  /** Aborts `connect()`. Later calls take their own signal. */
  readonly signal?: AbortSignal;
  /** How often a failed request is repeated if that is safe. Default: 2. With 0, nothing is repeated. */
  readonly retries?: number;
  /**
   * How long to repeat a request that the agent did not accept, because it refused the connection or responded with 503 and
   * `Retry-After`, in milliseconds. Default: 15 s, which is longer than a restart takes, and 3 s for an address that has never
   * responded to this client. Never longer than the time limit of the call. With `retries: 0`, nothing is repeated.
   */
  readonly reconnectMs?: number;
  /**
   * Whether the agent deduplicates messages by `Idempotency-Key`. If so, the client sends a message again if the connection broke
   * before the response arrived; otherwise that is an error. Default: what the card declares. Agents made with this library
   * declare it if their store is durable.
   */
  readonly recognisesRepeats?: boolean;
  /** Rejects responses that deviate from the protocol instead of accepting them with a warning. Default: false. */
  readonly strict?: boolean;
  /** Size limits for responses, and the number of redirects to follow. */
  readonly limits?: Partial<ClientLimits>;
  /** Put before `tandem-a2a/<version>` in the `User-Agent` header. Browsers send their own. */
  readonly userAgent?: string;
  /** Whether to use the card cache that all clients of this process share. Default: true. */
  readonly cache?: boolean;
  /** Replaces the HTTP client. Default: `node:http` on Node, the global `fetch` elsewhere. */
  readonly fetch?: Fetch;
  /** Called for every deviation from the protocol that the client accepted. Errors it throws are ignored. */
  readonly onWarning?: (warning: Warning) => void;
  /**
   * The OpenTelemetry API. If set, every request becomes a span.
   *
   * @example
   * import * as api from '@opentelemetry/api';
   * await connect(url, { tracing: api });
   */
  readonly tracing?: OpenTelemetry;
  /** The clock for timeouts and pauses. For tests; see `fakeClock()` of `tandem-a2a/testing`. */
  readonly clock?: Clock;
  /**
   * The format of messages over REST in version 0.3, whose specification contradicts itself: `proto` (default) as in its protocol
   * buffer definition, `kind` with the tagged parts of JSON-RPC. Cards do not declare it. Responses are accepted in both formats.
   */
  readonly restStyle?: 'proto' | 'kind';
  /** Accepts a card only if it has a signature that you trust. If not set, signatures are not checked. */
  readonly verifyCard?: CardTrust;
}

/** Limits for the responses of an agent. A larger response is an `INVALID_AGENT_RESPONSE`. */
export interface ClientLimits {
  /** The size of one response, and of all artifacts of one stream together. Default: 16 MiB. */
  readonly maxAnswerBytes: number;
  /** The size of one event of a stream. Default: 16 MiB. */
  readonly maxEventBytes: number;
  /** The size of a card. Default: 1 MiB. */
  readonly maxCardBytes: number;
  /** The size of a file that `download()` fetches. Default: 64 MiB. */
  readonly maxFileBytes: number;
  /** How many redirects one request follows. Default: 5. */
  readonly maxRedirects: number;
}

/** Options that every call accepts. */
export interface CallOptions {
  /**
   * The time limit in milliseconds for the whole call: all requests, retries and pauses. After it the call throws `TIMEOUT`.
   * Default: `timeoutMs` of `connect()`.
   */
  readonly timeoutMs?: number;
  /** Aborts the call. The call throws the reason of the signal, or `CallAborted` if a task or message is involved. */
  readonly signal?: AbortSignal;
  /** The W3C `traceparent` to continue. If not set, each call starts a new trace. */
  readonly traceparent?: string;
  /** The W3C `tracestate` that belongs to `traceparent`. */
  readonly tracestate?: string;
  /** URIs of protocol extensions to request in addition to those of the client. */
  readonly extensions?: readonly string[];
}

/** Options of `list()`: filters and the page to return. */
export interface ListOptions extends CallOptions, Omit<ListTasksRequest, 'tenant'> {}

/** Options of `get()`. */
export interface GetOptions extends CallOptions {
  /** How many messages of the history to return. If not set, the agent decides. */
  readonly historyLength?: number;
}

/** Options for calls that wait for a task. */
export interface WaitOptions extends CallOptions {
  /**
   * The outcome if the task failed, was rejected or was canceled: `value` returns the reply, `throw` throws `TASK_FAILED`.
   * Default: `value`; for `ask()`, `throw`.
   */
  readonly failed?: 'value' | 'throw';
  /**
   * The outcome if the agent completes the task without text, file or data: `value` (default) returns the reply, `throw` throws
   * `INVALID_AGENT_RESPONSE`.
   */
  readonly empty?: 'value' | 'throw';
  /** Called for every event while the call waits. Errors it throws are ignored. */
  readonly onProgress?: (event: AgentEvent) => void;
  /** How to wait: `stream` subscribes to the task, `poll` gets it repeatedly. Default: `stream` if the card offers it. */
  readonly wait?: 'stream' | 'poll';
}

/** Options of `send()`, `stream()` and `answer()`. */
export interface SendOptions extends Omit<WaitOptions, 'wait'> {
  /** The conversation that the message belongs to. If not set, the agent starts a new one. */
  readonly contextId?: string;
  /** The task that the message continues, for example to answer its question. If not set, the agent may create a task. */
  readonly taskId?: string;
  /** Metadata of the request. The message can have its own. */
  readonly metadata?: JsonObject;
  /** The media types that the caller accepts as output, such as `text/plain`. */
  readonly acceptedOutputModes?: readonly string[];
  /** How many messages of the history the reply contains. If not set, the agent decides. */
  readonly historyLength?: number;
  /** A webhook that the agent notifies about the task. */
  readonly pushNotification?: TaskPushNotificationConfig;
  /**
   * How to wait: `stream` reads the events of the task, `poll` gets the task repeatedly, `block` lets the agent respond only when
   * the task has settled, `none` returns as soon as the agent has accepted the message. Default: `stream` if the card offers it,
   * else `poll`.
   */
  readonly wait?: 'stream' | 'poll' | 'block' | 'none';
}

/** Options of `ask()`: those of `send()` without `wait: 'none'`, because `ask()` returns the text of the finished task. */
export interface AskOptions extends Omit<SendOptions, 'wait'> {
  /** How to wait for the result. See `SendOptions.wait`. */
  readonly wait?: Exclude<SendOptions['wait'], 'none' | undefined>;
  /**
   * Called for every question that the agent asks, one after the other if several are open. Returns the answer, or `undefined` to leave
   * the question open. When none is answered, the call throws `INPUT_REQUIRED` or `AUTH_REQUIRED`. When an answer does not match its
   * question, the call throws `INVALID_PARAMS` with `details.handle`, and the question stays open. The time limit of the call starts anew with
   * every answer; the time that this function takes does not count.
   *
   * @example
   * await clerk.ask('book Rome', {
   *   onQuestion: (question) => (question.kind === 'confirm' ? true : prompt(question.text)),
   * });
   */
  readonly onQuestion?: (question: TaskQuestion) => AnswerInput | undefined | Promise<AnswerInput | undefined>;
}

/** Options of `task.answer()`. */
export interface AnswerOptions extends SendOptions {
  /**
   * Whether the answer is a secret, such as a credential. Agents made with this library keep it out of the history. Default: false,
   * unless the question asks for it and the answer is not a string.
   */
  readonly sensitive?: boolean;
  /**
   * The question that is answered, or its id. If not set, the agent takes the question that the task shows when the answer arrives; it
   * rejects the answer if that question has just replaced another one.
   */
  readonly question?: string | TaskQuestion;
}
