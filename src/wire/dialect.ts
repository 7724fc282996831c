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
import { type DecodeOptions, Decoder, type DecodeRole, type Repair, type Warning } from './decoder.ts';
import type { ProtocolVersion } from './version.ts';

/** The codecs of one operation, for both server and client. */
export interface OperationCodec<K extends OperationName> {
  /** The JSON-RPC method to send. */
  readonly method: string;
  readonly params: Codec<Input<K>>;
  /** For the streaming operations: one item of the stream. */
  readonly result: Codec<Output<K>>;
}

/** The codecs of an operation, for a table of operations. */
export function operation<I, O>(
  method: string,
  params: Codec<I>,
  result: Codec<O>,
): { readonly method: string; readonly params: Codec<I>; readonly result: Codec<O> } {
  return { method, params, result };
}

/** An operation that a dialect does not have is absent, which results in `METHOD_NOT_FOUND`. */
export type OperationCodecs = { readonly [K in OperationName]?: OperationCodec<K> };

/** Encodes the events of one stream. May have state: 0.1 numbers the artifacts of a stream. */
export interface StreamEncoder {
  /**
   * Encodes one event. `closes`: the stream ends after it, which is `final` before 1.0. Returns one item, or none or
   * several if the dialect has no such event.
   */
  encode(event: StreamResponse, closes: boolean): readonly unknown[];
  /**
   * Applies an event without encoding it, for dialects whose stream items are whole tasks: the next item includes it. So a
   * stream of many small events does not send a growing task for each of them.
   */
  skip?(event: StreamResponse): void;
  /** The encoder has no state, so an encoded event can be sent to every stream. */
  readonly isStateless?: true;
}

/** Encodes and decodes errors, per binding. */
export interface ErrorCodec {
  encodeRpc(error: A2AError): JsonRpcErrorObject;
  decodeRpc(error: JsonRpcErrorObject): A2AError;
  /** The HTTP status of a JSON-RPC error, if it differs from the protocol's. */
  rpcStatus?(error: A2AError): number | undefined;
  encodeRest(error: A2AError): RestError;
  decodeRest(status: number, body: unknown): A2AError;
}

export interface RestError {
  readonly status: number;
  readonly body: JsonValue;
}

/** The result of a client-side tool, with the id of the question that requested it. */
export interface ToolResult {
  readonly toolUseId: string;
  readonly result: JsonValue;
}

/** One wire format of the protocol, complete for server and client. */
export interface Dialect {
  readonly name: string;
  readonly version: ProtocolVersion;
  readonly operations: OperationCodecs;
  /** Encodes a task state as in `status.state`. */
  encodeState(state: TaskState): string;
  /** Method names that are accepted but not sent, with their operation. */
  readonly methodAliases: Readonly<Record<string, OperationName>>;
  createStreamEncoder(): StreamEncoder;
  /** Whether a received stream item is marked as the last one (`final` before 1.0; 1.0 has no mark). */
  endsStream(item: unknown): boolean;
  readonly card: Codec<AgentCard>;
  /** The body of a push notification. */
  readonly webhook: Codec<StreamResponse>;
  /** Push notifications contain the whole task at each state change instead of every update (1.0 §4.3.3). */
  readonly pushesWholeTasks: boolean;
  readonly errors: ErrorCodec;
  /** Media type of REST bodies and webhooks. */
  readonly mediaType: 'application/a2a+json' | 'application/json';
  /** REST body with status 200 for an operation without a result (`google.protobuf.Empty`). Default: 204 without a body. */
  readonly restEmpty?: '{}';
  /** Repairs for known deviations of peers. Not applied in strict mode. */
  readonly repairs?: readonly Repair[];
  /** Callers choose the task ids, as in 0.1; the ids are aliases of ours. */
  readonly clientNamesTasks: boolean;
  /**
   * A subscription requires a task that has not ended, and lasts until it ends (1.0 §3.1.6). Before 1.0 it also ends when
   * the task asks a question, and a subscription to an ended task returns the task and closes.
   */
  readonly subscribesToTheEnd: boolean;
  /**
   * The response to a JSON-RPC stream that fails before its first event, if the caller accepts only `text/event-stream`: an
   * `event` (0.3 §7) or an HTTP `status` (0.2.5 §7.9). Default: JSON, as in later versions.
   */
  readonly earlyStreamError?: 'event' | 'status';
  /** Canceling a canceled task succeeds (1.0 §3.3.1). Before 1.0 it fails with `TASK_NOT_CANCELABLE`. */
  readonly cancelIsIdempotent?: true;
  /** A push config without an id is the default config of the task. In 1.0 each one is a new config. */
  readonly hasDefaultPushConfig: boolean;
  /** The wire format is the model, so encoding is `JSON.stringify`. */
  readonly isModel?: true;
  /** The profile of this dialect, if it is not a dialect of the protocol. */
  readonly profile?: ProfileName;
  /** Under a profile only: custom paths, relative to the URL of the interface. */
  restPath?(
    operation: OperationName,
    taskId: string | undefined,
  ): { readonly verb: 'GET' | 'POST'; readonly path: string };
  /** Under a profile only: a stream stays open while its task waits for an answer. */
  readonly staysOpenAtQuestion?: true;
  /** Under a profile only: returns the tool result in a part, which answers a question of the task. Undefined for other parts. */
  readonly toolResultIn?: (part: Part) => ToolResult | undefined;
  /** Under a profile only: the error that ends a stream in place of an event. */
  readonly streamErrorOf?: (event: StreamResponse) => A2AError | undefined;
  /** Under a profile only: GetTask reopens the stream for a caller that accepts one. */
  readonly getTaskMayStream?: true;
  /** Under a profile only: returns the idempotency key from the params of a send. */
  readonly idempotencyKeyOf?: (params: unknown) => string | undefined;
  /** Under a profile only: a send returns the task as soon as it is stored, and the caller polls it. */
  readonly sendReturnsAtOnce?: true;
  /** Under a profile only: returns the time limit for the task from the params of a send. */
  readonly timeoutMsOf?: (params: unknown) => number | undefined;
  /** Under a profile only: stream items carry this JSON-RPC id instead of the request's. */
  readonly streamItemId?: number;
}

/** A decoded value, with the warnings and the received JSON. */
export interface Decoded<T> {
  /** The decoded value. */
  readonly value: T;
  /** Deviations from the protocol that were tolerated. */
  readonly warnings: readonly Warning[];
  /** The JSON as received. */
  readonly raw: unknown;
}

/** Returns the operation of a method name in a dialect. */
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

/** Decodes the params of a request. @throws A2AError `INVALID_PARAMS` with every violation, or `METHOD_NOT_FOUND`. */
export function decodeParams<K extends OperationName>(
  dialect: Dialect,
  operation: K,
  params: unknown,
  options?: DecodeOptions,
): Decoded<Input<K>> {
  return decode(operationCodec(dialect, operation).params, params ?? {}, 'request', withRepairs(dialect, options));
}

/** Decodes a result or one stream item. @throws A2AError `INVALID_AGENT_RESPONSE`. */
export function decodeResult<K extends OperationName>(
  dialect: Dialect,
  operation: K,
  result: unknown,
  options?: DecodeOptions,
): Decoded<Output<K>> {
  return decode(operationCodec(dialect, operation).result, result, 'response', withRepairs(dialect, options));
}

function withRepairs({ repairs }: Dialect, options: DecodeOptions | undefined): DecodeOptions | undefined {
  return repairs === undefined ? options : { repairs, ...options };
}

export function decode<T>(codec: Codec<T>, json: unknown, role: DecodeRole, options?: DecodeOptions): Decoded<T> {
  const decoder = new Decoder(role, options);
  const value = codec.decode(decoder, json);
  decoder.finish();
  return { value, warnings: decoder.warnings, raw: json };
}

export function operationCodec<K extends OperationName>(dialect: Dialect, operation: K): OperationCodec<K> {
  const codec: OperationCodec<K> | undefined = dialect.operations[operation];
  if (codec !== undefined) return codec;
  throw new A2AError('METHOD_NOT_FOUND', `A2A ${dialect.version} has no operation ${operation}`);
}
