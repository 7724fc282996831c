import { A2AError } from '../errors.ts';
import { isObject } from '../wire/codec.ts';
import { type Decoded, decodeResult, operationCodec } from '../wire/dialect.ts';
import { decodeResponse, encodeRequest } from '../wire/jsonrpc.ts';
import type { OperationName, Output } from '../model/operation.ts';
import type { ReadOptions } from '../wire/reader.ts';
import type { Binding } from './binding.ts';
import type { Endpoint } from './endpoint.ts';
import { throwIfNotHere } from './failures.ts';
import { peerError } from './response-error.ts';

/** Every request has a connection to itself, so one id is as good as another. */
const REQUEST_ID = 1;

export const rpcBinding: Binding = {
  encode({ url, dialect }, operation, input) {
    const { method, params } = operationCodec(dialect, operation);
    const body = JSON.stringify(encodeRequest(REQUEST_ID, method, params.encode(input) as object));
    return { method: 'POST', url, contentType: 'application/json', body };
  },

  result(endpoint, operation, { status, json }, read) {
    if (isReply(json, status)) return readReply(endpoint, operation, json, read);
    throwIfNotHere(endpoint.url, status, json);
    if (status >= 400) throw peerError(endpoint.dialect.errors.decodeRest(status, json));
    throw new A2AError('INVALID_AGENT_RESPONSE', 'The agent answered with JSON that is no JSON-RPC response');
  },

  item: readReply,
};

/** Whatever the status, a JSON-RPC response is one. With a status of success it is believed even if it is a sloppy one. */
function isReply(json: unknown, status: number): boolean {
  if (!isObject(json) || !('result' in json || 'error' in json)) return false;
  return 'jsonrpc' in json || status < 400;
}

/** Streams of some peers repeat another id than the request's, so it is not compared. */
function readReply<K extends OperationName>(
  endpoint: Endpoint,
  operation: K,
  json: unknown,
  read: ReadOptions,
): Decoded<Output<K>> {
  const { dialect } = endpoint;
  const reply = decodeResponse(json, read);
  if (reply.error !== undefined) throw peerError(dialect.errors.decodeRpc(reply.error));
  const decoded = decodeResult(dialect, operation, reply.result, read);
  return reply.warnings.length === 0 ? decoded : { ...decoded, warnings: [...reply.warnings, ...decoded.warnings] };
}
