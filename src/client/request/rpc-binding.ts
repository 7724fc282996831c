import { A2AError } from '../../errors.ts';
import { isObject } from '../../wire/codec.ts';
import { type Decoded, decodeResult, operationCodec } from '../../wire/dialect.ts';
import { decodeResponse, encodeRequest, type ResponseOptions } from '../../wire/jsonrpc.ts';
import type { OperationName, Output } from '../../model/operation.ts';
import type { Binding, BindingTarget } from './binding.ts';
import { throwIfNoAgent } from './failures.ts';
import { peerError } from './response-error.ts';

/** Each request has an HTTP exchange of its own, so all can use the same id. */
const REQUEST_ID = 1;

export const rpcBinding: Binding = {
  encode({ url, dialect }, operation, input) {
    const { method, params } = operationCodec(dialect, operation);
    const body = JSON.stringify(encodeRequest(REQUEST_ID, method, params.encode(input) as object));
    return { method: 'POST', url, contentType: 'application/json', body };
  },

  result(target, operation, { status, json }, read) {
    if (isReply(json, status)) return readReply(target, operation, json, read);
    if (isVoidReply(operation, json, status)) return readReply(target, operation, json, { ...read, isVoid: true });
    throwIfNoAgent(target.url, status, json);
    if (status >= 400) throw peerError(target.dialect.errors.decodeRest(status, json));
    throw new A2AError('INVALID_AGENT_RESPONSE', 'The agent responded with JSON that is not a JSON-RPC response');
  },

  item: readReply,
};

/** Whether a body is a JSON-RPC response, whatever its status. With a success status, the member `jsonrpc` may be missing. */
function isReply(json: unknown, status: number): boolean {
  if (!isObject(json) || !('result' in json || 'error' in json)) return false;
  return 'jsonrpc' in json || status < 400;
}

/**
 * JSON-RPC requires `result`, but the Python SDK 0.2 and 0.3 and the Go SDK 2.x leave it out where an operation has none. The
 * request id shows that such an object is a response.
 */
function isVoidReply(operation: OperationName, json: unknown, status: number): boolean {
  if (operation !== 'DeleteTaskPushNotificationConfig' || status >= 300) return false;
  return isObject(json) && json['jsonrpc'] === '2.0' && json['id'] === REQUEST_ID;
}

/** Decodes a JSON-RPC response. The id is not compared, because some peers send another one in streams. */
function readReply<K extends OperationName>(
  { dialect }: BindingTarget,
  operation: K,
  json: unknown,
  read: ResponseOptions,
): Decoded<Output<K>> {
  const reply = decodeResponse(json, read);
  if (reply.error !== undefined) throw peerError(dialect.errors.decodeRpc(reply.error));
  const decoded = decodeResult(dialect, operation, reply.result, read);
  return reply.warnings.length === 0 ? decoded : { ...decoded, warnings: [...reply.warnings, ...decoded.warnings] };
}
