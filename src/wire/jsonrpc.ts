import { A2AError, ERRORS } from '../errors.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { JsonShapeError, parseForeignJson } from '../support/foreign-json.ts';
import { isObject } from './codec.ts';
import { type ReadOptions, Reader, type Warning } from './reader.ts';

/** Ties an answer to its request. Numbers are echoed by value, strings character by character. */
export type JsonRpcId = string | number | null;

export interface JsonRpcErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonValue;
}

/** What goes out: the three envelopes, as `JSON.stringify` takes them. */
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

/** A request whose envelope is in order. Whether `params` may be missing is for the method to say. */
export interface JsonRpcCall {
  readonly id: JsonRpcId;
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly error?: undefined;
}

/** A request that cannot be called, and the id to answer it with. */
export interface JsonRpcRefusal {
  readonly id: JsonRpcId;
  readonly error: A2AError<'PARSE_ERROR' | 'INVALID_REQUEST'>;
  /** Set if the missing id is the only mistake in the envelope: an error in the method or the params says more. */
  readonly call?: Pick<JsonRpcCall, 'method' | 'params'>;
}

export interface RequestOptions {
  /** Refuse numbers as ids that are fractional or too large to be echoed digit for digit. */
  readonly strict?: boolean;
}

/** Every item of a stream repeats the id: a long one would make a few bytes of a task very many. */
const MAX_ID_CHARACTERS = 256;

/** Reads the body of a request. Never throws: a bad one comes back as `error`, with the id that the answer needs. */
export function parseRequest(text: string, options: RequestOptions = {}): JsonRpcCall | JsonRpcRefusal {
  let json: unknown;
  try {
    json = parseForeignJson(text);
  } catch (cause) {
    if (cause instanceof JsonShapeError) return refuse(null, `The body ${cause.message}`);
    const message = text.trim() === '' ? 'The body is empty' : 'The body is not valid JSON';
    return { id: null, error: new A2AError('PARSE_ERROR', message, { cause }) };
  }
  return decodeRequest(json, options);
}

/** Like `parseRequest`, for a body that is parsed already. */
export function decodeRequest(json: unknown, options: RequestOptions = {}): JsonRpcCall | JsonRpcRefusal {
  if (Array.isArray(json)) return refuse(null, 'Batches are not part of A2A: send each request by itself');
  if (!isObject(json)) return refuse(null, 'Expected a JSON-RPC request object');

  const received = json['id'];
  if (typeof received === 'string' && received.length > MAX_ID_CHARACTERS) {
    return refuse(null, `Expected the member id to have at most ${MAX_ID_CHARACTERS} characters`);
  }
  const isAcceptable = idCheck(options.strict === true);
  const id = isAcceptable(received) ? received : null;

  if (json['jsonrpc'] !== '2.0') return refuse(id, 'Expected the member jsonrpc to be the string "2.0"');
  if (received !== undefined && !isAcceptable(received))
    return refuse(null, 'Expected the member id to be a string, an integer or null');

  const method = json['method'];
  if (typeof method !== 'string' || method === '') return refuse(id, 'Expected the member method: a non-empty string');

  const params = json['params'] ?? undefined;
  if (Array.isArray(params)) return refuse(id, 'Expected params by name (an object), not by position (an array)');
  if (params !== undefined && !isObject(params)) return refuse(id, 'Expected the member params to be an object');
  if (received !== undefined) return { id, method, params };
  // Every A2A call has a response, so A2A has no notifications.
  return { ...refuse(null, 'Expected the member id: A2A has no notifications'), call: { method, params } };
}

export function encodeRequest(id: JsonRpcId, method: string, params?: object): JsonRpcRequest {
  return params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params };
}

/** The answer to a call. A result of `undefined` is sent as `null`, for an answer without the member is not one. */
export function encodeSuccess(id: JsonRpcId, result: unknown): JsonRpcSuccess {
  return { jsonrpc: '2.0', id, result: result ?? null };
}

export function encodeError(id: JsonRpcId, error: JsonRpcErrorObject): JsonRpcFailure {
  return { jsonrpc: '2.0', id, error };
}

/**
 * The text of `encodeSuccess` around a result that is JSON text already: one event is serialised once, then wrapped for
 * each of its subscribers, whose ids differ.
 */
export function successText(id: JsonRpcId, resultText: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultText}}`;
}

/**
 * What a server answered: a result or an error. Whether the id is the one that was sent is for the caller to judge, who
 * knows that some servers put another one into their stream items.
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

export interface ResponseOptions extends ReadOptions {
  /** The operation has no result, so a response without `result` and `error` is read as success, with a warning. */
  readonly isVoid?: boolean;
}

/** Reads an answer; throws INVALID_AGENT_RESPONSE if it is none, in strict mode also if it is a sloppy one. */
export function decodeResponse(json: unknown, options: ResponseOptions = {}): JsonRpcReply {
  if (!isObject(json)) throw new A2AError('INVALID_AGENT_RESPONSE', 'Expected a JSON-RPC response object');
  const r = new Reader('response', options);
  if (json['jsonrpc'] !== '2.0') r.tolerate('rpc-version', 'the string "2.0"', 'jsonrpc');

  const received = json['id'];
  const isAcceptable = idCheck(r.strict);
  const id = isAcceptable(received) ? received : null;
  if (!isAcceptable(received)) r.tolerate('rpc-id', 'a string, an integer or null', 'id');

  const { result, error } = json;
  if (result !== undefined && error !== undefined) r.tolerate('rpc-result-and-error', 'a result or an error, not both');
  // Some servers send both members and leave one of them null. Beyond that, an error object is never passed over, but
  // `"error": false` and the like do not take away a result.
  const failed = isObject(error) || (isPresent(error) && !isPresent(result));
  if (failed) {
    const decoded = decodeErrorObject(r, error);
    r.finish();
    return { id, error: decoded, warnings: r.warnings };
  }
  if (result === undefined) {
    if (options.isVoid === true) r.tolerate('rpc-result-missing', 'the member result or error');
    else r.violate('the member result or error');
  }
  r.finish();
  return { id, result: result ?? null, warnings: r.warnings };
}

/** A malformed error is still a failure: what can be read is used, and the whole stays visible as `data`. */
function decodeErrorObject(r: Reader, error: JsonValue): JsonRpcErrorObject {
  const { code, message, data } = isObject(error) ? error : { message: error };
  if (isInteger(code) && typeof message === 'string') {
    return data === undefined ? { code, message } : { code, message, data };
  }
  r.tolerate('rpc-error-shape', 'an object with an integer code and a message', 'error');
  return {
    code: isInteger(code) ? code : ERRORS.INTERNAL_ERROR.rpc,
    message: typeof message === 'string' ? message : 'The agent reported an error without a message',
    data: data ?? error,
  };
}

function refuse(id: JsonRpcId, message: string): JsonRpcRefusal {
  return { id, error: new A2AError('INVALID_REQUEST', message) };
}

function idCheck(strict: boolean): (id: unknown) => id is JsonRpcId {
  return strict ? isExactId : isUsableId;
}

/** `1e400` parses to Infinity, which JSON cannot say back. */
function isUsableId(id: unknown): id is JsonRpcId {
  return typeof id === 'string' || id === null || (typeof id === 'number' && Number.isFinite(id));
}

/** Past 2^53 digits are already lost when we get to see the number. */
function isExactId(id: unknown): id is JsonRpcId {
  return typeof id === 'number' ? isInteger(id) : isUsableId(id);
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}
