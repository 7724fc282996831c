import type { JsonValue } from '../../model/json.ts';
import { isObject } from '../../wire/codec.ts';
import { operationOf } from '../../wire/dialect.ts';
import { dialects } from '../../wire/select.ts';
import type { LoopbackRequest } from '../loopback-server.ts';
import { parseJson } from './json-walk.ts';
import { type RecordedRequest, REQUEST_ID } from './recording.ts';
import { SCRUBBED, type Scrubber } from './scrub.ts';

/** Headers that are part of the request's meaning. All others are omitted, so that they cannot leak secrets. */
const TELLING = ['a2a-version', 'a2a-extensions', 'x-a2a-extensions', 'last-event-id'];

/** Converts a request to its recorded form: without secrets, and without its JSON-RPC id. */
export function writtenRequest(request: LoopbackRequest, scrubber: Scrubber): RecordedRequest {
  const { method, path, query, body } = request;
  scrubber.learn(request.headers);
  const headers = Object.fromEntries(
    TELLING.flatMap((name) => {
      const value = request.headers[name];
      return value === undefined ? [] : [[name, scrubber.text(value)] as const];
    }),
  );
  if (request.headers['authorization'] !== undefined) headers['authorization'] = SCRUBBED;
  return {
    method,
    path: scrubber.text(path),
    ...(query !== '' && { query: scrubber.query(query) }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...writtenBody(body, scrubber),
  };
}

/** The id of a JSON-RPC request; undefined for other requests. */
export function requestIdOf({ body }: Pick<LoopbackRequest, 'body'>): JsonValue | undefined {
  const json = parseJson(body);
  return isObject(json) && 'jsonrpc' in json ? json['id'] : undefined;
}

function writtenBody(text: string, scrubber: Scrubber): Pick<RecordedRequest, 'body' | 'text'> {
  if (text === '') return {};
  const json = parseJson(text);
  return json === undefined ? { text: scrubber.text(text) } : { body: withoutId(scrubber.json(json)) };
}

function withoutId(body: JsonValue): JsonValue {
  return isObject(body) && 'jsonrpc' in body && 'id' in body ? { ...body, id: REQUEST_ID } : body;
}

/** The title of a request: its JSON-RPC method, else its HTTP method and path. */
export function titleOf({ method, path, body }: RecordedRequest): string {
  const rpcMethod = rpcMethodOf(body);
  return rpcMethod ?? `${method} ${path}`;
}

function rpcMethodOf(body: JsonValue | undefined): string | undefined {
  if (!isObject(body) || !('jsonrpc' in body)) return undefined;
  return typeof body['method'] === 'string' ? body['method'] : undefined;
}

const READING: ReadonlySet<string> = new Set([
  'GetTask',
  'ListTasks',
  'SubscribeToTask',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'GetExtendedAgentCard',
]);

/** Whether a request is read-only, so that it may be repeated any number of times. */
export function isReading({ method, path, body }: RecordedRequest): boolean {
  const rpcMethod = rpcMethodOf(body);
  if (rpcMethod === undefined) return method === 'GET' || method === 'HEAD' || path.endsWith(':subscribe');
  const operations = [dialects.v1, dialects.v03, dialects.v01].map((dialect) => operationOf(dialect, rpcMethod));
  return operations.some((operation) => operation !== undefined && READING.has(operation));
}
