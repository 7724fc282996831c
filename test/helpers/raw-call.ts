/** Calls of every version and binding, written by the codecs and sent by `fetch`: what a client does, without a client. */
import type { Input, OperationName } from '../../src/model/operation.ts';
import { type Dialect, operationCodec } from '../../src/wire/dialect.ts';
import { encodeRequest } from '../../src/wire/jsonrpc.ts';
import { encodeRestRequest, restUrl } from '../../src/wire/rest/rest-request.ts';
import { dialectOf, dialects } from '../../src/wire/select.ts';
import type { ProtocolVersion } from '../../src/wire/version.ts';
import { readSse } from './read-sse.ts';

/** A version over a binding. */
export interface Way {
  readonly version: ProtocolVersion;
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
}

export const WAYS: readonly Way[] = [
  { version: '1.0', binding: 'JSONRPC' },
  { version: '1.0', binding: 'HTTP+JSON' },
  { version: '0.3', binding: 'JSONRPC' },
  { version: '0.3', binding: 'HTTP+JSON' },
  { version: '0.2', binding: 'JSONRPC' },
  { version: '0.1', binding: 'JSONRPC' },
];

export type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

export function dialectFor({ version, binding }: Way): Dialect {
  return version === '0.3' && binding === 'HTTP+JSON' ? dialects['v03-proto'] : dialectOf(version);
}

/** `url` is that of the interface. */
export function rawCall<K extends OperationName>(
  way: Way,
  url: string,
  operation: K,
  input: Input<K>,
  { send = fetch, headers = {} }: { readonly send?: Fetch; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  const dialect = dialectFor(way);
  const all = { 'content-type': 'application/json', 'a2a-version': way.version, ...headers };
  if (way.binding === 'JSONRPC') {
    const { method, params } = operationCodec(dialect, operation);
    const body = encodeRequest(7, method, params.encode(input) as object);
    return send(url, { method: 'POST', headers: all, body: JSON.stringify(body) });
  }
  const { verb, path, query, body } = encodeRestRequest(dialect, operation, input);
  const init = { method: verb, headers: all, ...(body !== undefined && { body: JSON.stringify(body) }) };
  return send(restUrl(url, { path, query }), init);
}

/** What a binding has put around a result, an item of a stream or an error is taken off. */
export function unwrapped({ binding }: Way, json: unknown): unknown {
  return binding === 'JSONRPC' ? ((json as { result?: unknown }).result ?? json) : json;
}

/** The data of the events of a stream, up to its end. */
export async function streamOf(response: Response): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const { data } of readSse(response.body as ReadableStream<Uint8Array>)) items.push(JSON.parse(data));
  return items;
}
