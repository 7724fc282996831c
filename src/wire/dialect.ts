import { A2AError } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import type { StreamResponse } from '../model/event.ts';
import type { JsonValue } from '../model/json.ts';
import type { Input, OperationName, Output } from '../model/operation.ts';
import type { Part } from '../model/part.ts';
import type { TaskState } from '../model/state.ts';
import type { Codec } from './codec.ts';
import type { JsonRpcErrorObject } from './jsonrpc.ts';
import type { ProfileName } from './offer.ts';
import { type ReadOptions, Reader, type ReadRole, type Repair, type Warning } from './reader.ts';

/** The versions of the protocol as they are negotiated: `Major.Minor`. */
export const PROTOCOL_VERSIONS = Object.freeze(['1.0', '0.3', '0.2', '0.1'] as const);
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

/** How one operation is spoken: what a server reads and writes, and a client writes and reads. */
export interface OperationCodec<K extends OperationName> {
  /** The JSON-RPC method to send. */
  readonly method: string;
  readonly params: Codec<Input<K>>;
  /** For the streaming operations: one item of the stream. */
  readonly result: Codec<Output<K>>;
}

/** An operation that a dialect lacks is simply absent; absence is the "method not found". */
export type OperationCodecs = { readonly [K in OperationName]?: OperationCodec<K> };

/** Events of one stream in one dialect. Has a life: 0.1 counts artifacts while it goes. */
export interface StreamEncoder {
  /**
   * The wire form of one event. `closes` says that the stream ends after it, which is what `final` means before 1.0.
   * Usually one item; none or several where a dialect has no word for it.
   */
  encode(event: StreamResponse, closes: boolean): readonly unknown[];
  /**
   * Takes an event in without writing it, where the items of a stream are whole tasks: the item of the next event has it, too. So
   * a stream of many small events does not write a growing task for each of them.
   */
  skip?(event: StreamResponse): void;
  /** It keeps nothing from one event to the next: what it wrote of one is right for every stream. */
  readonly isStateless?: true;
}

/** How errors look in this dialect, per binding. */
export interface ErrorCodec {
  encodeRpc(error: A2AError): JsonRpcErrorObject;
  decodeRpc(error: JsonRpcErrorObject): A2AError;
  /** The HTTP status of a JSON-RPC error, where it differs from that of the protocol. */
  rpcStatus?(error: A2AError): number | undefined;
  encodeRest(error: A2AError): RestError;
  decodeRest(status: number, body: unknown): A2AError;
}

export interface RestError {
  readonly status: number;
  readonly body: JsonValue;
}

/** The result of a client-side tool, with the id of the question that asked for it. */
export interface ToolResult {
  readonly toolUseId: string;
  readonly result: JsonValue;
}

/** One way of speaking the protocol, complete for both roles. */
export interface Dialect {
  readonly name: string;
  readonly version: ProtocolVersion;
  readonly operations: OperationCodecs;
  /** A state of a task as `status.state` has it. */
  encodeState(state: TaskState): string;
  /** Method names that are read but not sent, with the operation they mean. */
  readonly methodAliases: Readonly<Record<string, OperationName>>;
  createStreamEncoder(): StreamEncoder;
  /** Whether a received stream item says that no other follows (`final` before 1.0; 1.0 just closes). */
  endsStream(item: unknown): boolean;
  readonly card: Codec<AgentCard>;
  /** The body of a push notification. */
  readonly webhook: Codec<StreamResponse>;
  /** Push notifications are the whole task at each of its states, and not every update by itself (1.0 §4.3.3). */
  readonly pushesWholeTasks: boolean;
  readonly errors: ErrorCodec;
  /** Media type of REST bodies and webhooks. */
  readonly mediaType: 'application/a2a+json' | 'application/json';
  /** REST body for an operation without a result, with status 200 (`google.protobuf.Empty`); 204 without a body if not set. */
  readonly restEmpty?: '{}';
  /** Deviations of peers that are understood here, unless reading is strict. */
  readonly repairs?: readonly Repair[];
  /** 0.1 callers name their tasks themselves; their ids are aliases of ours. */
  readonly clientNamesTasks: boolean;
  /**
   * A subscription is for tasks that are not over, and lasts to their end (1.0 §3.1.6). Before that it also ends where the
   * task asks its caller something, and to a finished task it is the task and the end.
   */
  readonly subscribesToTheEnd: boolean;
  /**
   * How a JSON-RPC stream that fails before its first event is answered, if the caller accepts `text/event-stream` only: as an
   * `event` (0.3 §7), or with an HTTP `status` (0.2.5 §7.9). The later versions answer with JSON.
   */
  readonly earlyStreamError?: 'event' | 'status';
  /** Canceling a canceled task succeeds (1.0 §3.3.1). Before 1.0 it is not cancelable, to the letter. */
  readonly cancelIsIdempotent?: true;
  /** A push configuration without an id is the task's default one; later each of them is a new one. */
  readonly hasDefaultPushConfig: boolean;
  /** Its words are the model's: JSON of the model is what it writes. */
  readonly isModel?: true;
  /** The profile that this dialect belongs to, if it is not a dialect of the protocol. */
  readonly profile?: ProfileName;
  /** Under a profile only: paths of its own, from the address of the interface on. */
  restPath?(
    operation: OperationName,
    taskId: string | undefined,
  ): { readonly verb: 'GET' | 'POST'; readonly path: string };
  /** Under a profile only: a stream stays open while its task asks something. */
  readonly staysOpenAtQuestion?: true;
  /** Under a profile only: a tool result answers the question of a task that its message refers to. Undefined for other parts. */
  readonly toolResultIn?: (part: Part) => ToolResult | undefined;
  /** Under a profile only: the error that ends a stream in place of an event. */
  readonly streamErrorOf?: (event: StreamResponse) => A2AError | undefined;
  /** Under a profile only: GetTask reopens the stream for a caller who accepts one. */
  readonly getTaskMayStream?: true;
  /** Under a profile only: the idempotency key of a send, which is among its params. */
  readonly idempotencyKeyOf?: (params: unknown) => string | undefined;
  /** Under a profile only: a send returns the task as soon as it is stored, and the caller polls it. */
  readonly sendReturnsAtOnce?: true;
  /** Under a profile only: the longest working time that the caller gives the task of a send, which is among its params. */
  readonly timeoutMsOf?: (params: unknown) => number | undefined;
  /** Under a profile only: stream items carry this JSON-RPC id instead of the request's. */
  readonly streamItemId?: number;
}

/** What was read, what was odd about it, and the thing itself as it came. */
export interface Decoded<T> {
  readonly value: T;
  readonly warnings: readonly Warning[];
  readonly raw: unknown;
}

/** The operation that a method name means in a dialect. */
export function operationOf(dialect: Dialect, method: string): OperationName | undefined {
  let names = METHODS.get(dialect);
  if (names === undefined) {
    const codecs = Object.entries(dialect.operations) as [OperationName, { readonly method: string }][];
    names = new Map([
      ...Object.entries(dialect.methodAliases),
      ...codecs.map(([name, { method: m }]) => [m, name] as const),
    ]);
    METHODS.set(dialect, names);
  }
  return names.get(method);
}

const METHODS = new WeakMap<Dialect, ReadonlyMap<string, OperationName>>();

/** Reads the params of a call. @throws A2AError `INVALID_PARAMS` with every violation, or `METHOD_NOT_FOUND`. */
export function decodeParams<K extends OperationName>(
  dialect: Dialect,
  operation: K,
  params: unknown,
  options?: ReadOptions,
): Decoded<Input<K>> {
  return decode(operationCodec(dialect, operation).params, params ?? {}, 'request', withRepairs(dialect, options));
}

/** Reads the result of a call, or one item of its stream. @throws A2AError `INVALID_AGENT_RESPONSE`. */
export function decodeResult<K extends OperationName>(
  dialect: Dialect,
  operation: K,
  result: unknown,
  options?: ReadOptions,
): Decoded<Output<K>> {
  return decode(operationCodec(dialect, operation).result, result, 'response', withRepairs(dialect, options));
}

function withRepairs({ repairs }: Dialect, options: ReadOptions | undefined): ReadOptions | undefined {
  return repairs === undefined ? options : { repairs, ...options };
}

export function decode<T>(codec: Codec<T>, json: unknown, role: ReadRole, options?: ReadOptions): Decoded<T> {
  const reader = new Reader(role, options);
  const value = codec.decode(reader, json);
  reader.finish();
  return { value, warnings: reader.warnings, raw: json };
}

export function operationCodec<K extends OperationName>(dialect: Dialect, operation: K): OperationCodec<K> {
  const codec: OperationCodec<K> | undefined = dialect.operations[operation];
  if (codec !== undefined) return codec;
  throw new A2AError('METHOD_NOT_FOUND', `A2A ${dialect.version} has no operation ${operation}`);
}
