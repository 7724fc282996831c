import { A2AError, ERRORS } from '../errors.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { JsonShapeError, parseUntrustedJson } from '../support/json/untrusted-json.ts';
import { isObject } from './codec.ts';
import { type DecodeOptions, Decoder, type Warning } from './decoder.ts';

/** Matches a response to its request. Numbers are echoed by value, strings unchanged. */
export type JsonRpcId = string | number | null;

export interface JsonRpcErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonValue;
}

/** An outgoing request. */
export interface JsonRpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: JsonRpcId;
  readonly method: string;
  readonly params?: object;
}

export interface JsonRpcSuccess {
  readonly jsonrpc: '2.0';
  readonly id: JsonRpcId;
  readonly result: unknown;
}

export interface JsonRpcFailure {
  readonly jsonrpc: '2.0';
  readonly id: JsonRpcId;
  readonly error: JsonRpcErrorObject;
}

/** A request with a valid envelope. Whether `params` is required depends on the method. */
export interface ReceivedRpcRequest {
  readonly id: JsonRpcId;
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly error?: undefined;
}

/** A request with an invalid envelope, and the id for the response. */
export interface RejectedRpcRequest {
  readonly id: JsonRpcId;
  readonly error: A2AError<'PARSE_ERROR' | 'INVALID_REQUEST'>;
  /** Set if the missing id is the only error in the envelope: an error in the method or the params is more helpful. */
  readonly received?: Pick<ReceivedRpcRequest, 'method' | 'params'>;
}

export interface RequestOptions {
  /** Reject numeric ids that are fractional or too large to be echoed exactly. */
  readonly strict?: boolean;
}

/** Every item of a stream repeats the id, so a long id would multiply the size of the stream. */
const MAX_ID_CHARACTERS = 256;

/** Parses the body of a request. Never throws: an invalid one returns `error` and the id for the response. */
export function parseRequest(text: string, options: RequestOptions = {}): ReceivedRpcRequest | RejectedRpcRequest {
  let json: unknown;
  try {
    json = parseUntrustedJson(text);
  } catch (cause) {
    if (cause instanceof JsonShapeError) return rejectRepairable(null, `The body ${cause.message}`);
    const message = text.trim() === '' ? 'The body is empty' : 'The body is not valid JSON';
    return { id: null, error: new A2AError('PARSE_ERROR', message, { cause }) };
  }
  return decodeRequest(json, options);
}

/** Like `parseRequest`, for a body that is already parsed. */
export function decodeRequest(json: unknown, options: RequestOptions = {}): ReceivedRpcRequest | RejectedRpcRequest {
  if (Array.isArray(json))
    return rejectRepairable(null, 'A2A does not support JSON-RPC batches: send each request separately');
  if (!isObject(json)) return rejectRepairable(null, 'Expected a JSON-RPC request object');

  const received = json['id'];
  if (typeof received === 'string' && received.length > MAX_ID_CHARACTERS) {
    return rejectRepairable(null, `Expected the member id to have at most ${MAX_ID_CHARACTERS} characters`);
  }
  const isAcceptable = idCheck(options.strict === true);
  const id = isAcceptable(received) ? received : null;

  if (json['jsonrpc'] !== '2.0') return rejectRepairable(id, 'Expected the member jsonrpc to be the string "2.0"');
  if (received !== undefined && !isAcceptable(received))
    return rejectRepairable(null, 'Expected the member id to be a string, an integer or null');

  const method = json['method'];
  if (typeof method !== 'string' || method === '')
    return rejectRepairable(id, 'Expected the member method: a non-empty string');

  const params = json['params'] ?? undefined;
  if (Array.isArray(params))
    return rejectRepairable(id, 'Expected params by name (an object), not by position (an array)');
  if (params !== undefined && !isObject(params))
    return rejectRepairable(id, 'Expected the member params to be an object');
  if (received !== undefined) return { id, method, params };
  // Every A2A call has a response, so A2A has no notifications.
  return {
    ...rejectRepairable(null, 'Expected the member id: A2A does not support JSON-RPC notifications'),
    received: { method, params },
  };
}

export function encodeRequest(id: JsonRpcId, method: string, params?: object): JsonRpcRequest {
  return params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params };
}

/** A success response. A result of `undefined` is sent as `null`, because a response needs the member. */
export function encodeSuccess(id: JsonRpcId, result: unknown): JsonRpcSuccess {
  return { jsonrpc: '2.0', id, result: result ?? null };
}

export function encodeError(id: JsonRpcId, error: JsonRpcErrorObject): JsonRpcFailure {
  return { jsonrpc: '2.0', id, error };
}

/**
 * Like `encodeSuccess`, for a result that is already JSON text: an event is serialized once, then wrapped for each of its
 * subscribers, whose ids differ.
 */
export function successText(id: JsonRpcId, resultText: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultText}}`;
}

/**
 * A decoded response: a result or an error. The id is not compared with the request, because some servers use another id
 * in their stream items.
 */
export type JsonRpcReply = JsonRpcResultReply | JsonRpcErrorReply;

export interface JsonRpcResultReply {
  readonly id: JsonRpcId;
  readonly result: JsonValue;
  readonly error?: undefined;
  readonly warnings: readonly Warning[];
}

export interface JsonRpcErrorReply {
  readonly id: JsonRpcId;
  readonly error: JsonRpcErrorObject;
  readonly warnings: readonly Warning[];
}

export interface ResponseOptions extends DecodeOptions {
  /** The operation has no result, so a response without `result` and `error` is a success, with a warning. */
  readonly isVoid?: boolean;
}

/** Decodes a response. @throws A2AError `INVALID_AGENT_RESPONSE` if it is invalid, in strict mode also for any deviation. */
export function decodeResponse(json: unknown, options: ResponseOptions = {}): JsonRpcReply {
  if (!isObject(json)) throw new A2AError('INVALID_AGENT_RESPONSE', 'Expected a JSON-RPC response object');
  const d = new Decoder('response', options);
  if (json['jsonrpc'] !== '2.0') d.tolerate('rpc-version', 'the string "2.0"', 'jsonrpc');

  const received = json['id'];
  const isAcceptable = idCheck(d.strict);
  const id = isAcceptable(received) ? received : null;
  if (!isAcceptable(received)) d.tolerate('rpc-id', 'a string, an integer or null', 'id');

  const { result, error } = json;
  if (result !== undefined && error !== undefined) d.tolerate('rpc-result-and-error', 'a result or an error, not both');
  // Some servers send both members and leave one of them null. Otherwise an error object always counts, but values
  // such as `"error": false` do not override a result.
  const failed = isObject(error) || (isPresent(error) && !isPresent(result));
  if (failed) {
    const decoded = decodeErrorObject(d, error);
    d.finish();
    return { id, error: decoded, warnings: d.warnings };
  }
  if (result === undefined) {
    if (options.isVoid === true) d.tolerate('rpc-result-missing', 'the member result or error');
    else d.violate('the member result or error');
  }
  d.finish();
  return { id, result: result ?? null, warnings: d.warnings };
}

/** A malformed error is still a failure: valid members are used, and `data` contains the whole error. */
function decodeErrorObject(d: Decoder, error: JsonValue): JsonRpcErrorObject {
  const { code, message, data } = isObject(error) ? error : { message: error };
  if (isInteger(code) && typeof message === 'string') {
    return data === undefined ? { code, message } : { code, message, data };
  }
  d.tolerate('rpc-error-shape', 'an object with an integer code and a message', 'error');
  return {
    code: isInteger(code) ? code : ERRORS.INTERNAL_ERROR.rpc,
    message: typeof message === 'string' ? message : 'The agent reported an error without a message',
    data: data ?? error,
  };
}

function rejectRepairable(id: JsonRpcId, message: string): RejectedRpcRequest {
  return { id, error: new A2AError('INVALID_REQUEST', message) };
}

function idCheck(strict: boolean): (id: unknown) => id is JsonRpcId {
  return strict ? isExactId : isUsableId;
}

/** `1e400` parses to Infinity, which JSON cannot represent. */
function isUsableId(id: unknown): id is JsonRpcId {
  return typeof id === 'string' || id === null || (typeof id === 'number' && Number.isFinite(id));
}

/** Above 2^53 parsing has already lost digits. */
function isExactId(id: unknown): id is JsonRpcId {
  return typeof id === 'number' ? isInteger(id) : isUsableId(id);
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}
