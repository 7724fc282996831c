import type { StreamResponse } from '../../src/model/event.ts';
import type { Input, OperationName } from '../../src/model/operation.ts';
import { decodeResult, type Dialect, operationCodec } from '../../src/wire/dialect.ts';
import { decodeResponse, encodeRequest } from '../../src/wire/jsonrpc.ts';
import { encodeRestRequest, restUrl } from '../../src/wire/rest/rest-request.ts';
import { dialects } from '../../src/wire/select.ts';
import type { ProtocolVersion } from '../../src/wire/version.ts';

/** A protocol version and a binding: the two choices of a client. */
export interface WireFormat {
  readonly name: string;
  readonly version: ProtocolVersion;
  readonly binding: 'JSON-RPC' | 'REST';
  readonly dialect: Dialect;
}

export const WIRE_FORMATS = [
  { name: '1.0 over JSON-RPC', version: '1.0', binding: 'JSON-RPC', dialect: dialects.v1 },
  { name: '1.0 over REST', version: '1.0', binding: 'REST', dialect: dialects.v1 },
  { name: '0.3 over JSON-RPC', version: '0.3', binding: 'JSON-RPC', dialect: dialects.v03 },
  { name: '0.3 over REST', version: '0.3', binding: 'REST', dialect: dialects['v03-proto'] },
] as const satisfies readonly WireFormat[];

export const [RPC_1, REST_1, RPC_03] = WIRE_FORMATS;

/** The parts of an HTTP request. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Encodes an operation as a request. */
export function requestOf<K extends OperationName>(
  { version, binding, dialect }: WireFormat,
  operation: K,
  input: Input<K>,
  lastEventId?: number | string,
): WireRequest {
  const headers = {
    'content-type': 'application/json',
    'a2a-version': version,
    ...(lastEventId !== undefined && { 'last-event-id': String(lastEventId) }),
  };
  if (binding === 'REST') {
    const { verb, path, query, body } = encodeRestRequest(dialect, operation, input);
    return {
      method: verb,
      path: restUrl('', { path, query }),
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    };
  }
  const { method, params } = operationCodec(dialect, operation);
  const call = encodeRequest(REQUEST_ID, method, params.encode(input) as object);
  return { method: 'POST', path: '/a2a', headers, body: JSON.stringify(call) };
}

const REQUEST_ID = 7;

export interface WireItem {
  readonly item: StreamResponse;
  readonly isFinal: boolean;
}

/** Decodes an event of a stream. @throws A2AError if the event is an error. */
export function decodeEvent(format: WireFormat, data: string, event?: string): WireItem {
  const raw = rawEventOf(format, JSON.parse(data), event);
  const { value } = decodeResult(format.dialect, 'SendStreamingMessage', raw);
  return { item: value, isFinal: format.dialect.endsStream(raw) };
}

function rawEventOf({ binding, dialect }: WireFormat, json: unknown, event: string | undefined): unknown {
  if (binding === 'REST') {
    if (event === 'error') throw dialect.errors.decodeRest(0, json);
    return json;
  }
  const reply = decodeResponse(json, { strict: true });
  if (reply.id !== REQUEST_ID) throw new Error(`Expected a response to ${REQUEST_ID}, not to ${reply.id}`);
  if (reply.error !== undefined) throw dialect.errors.decodeRpc(reply.error);
  return reply.result;
}

let messages = 0;

/** A message for a new task, or for the given one. */
export function userMessage(text: string, taskId?: string): Input<'SendMessage'> {
  const message = { messageId: `m${++messages}`, role: 'ROLE_USER' as const, parts: [{ text }] };
  return { message: taskId === undefined ? message : { ...message, taskId } };
}
