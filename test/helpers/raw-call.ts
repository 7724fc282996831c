/** Calls in every version and binding, encoded by the codecs and sent with `fetch`, without a client. */
import type { Input, OperationName } from '../../src/model/operation.ts';
import { type Dialect, operationCodec } from '../../src/wire/dialect.ts';
import { encodeRequest } from '../../src/wire/jsonrpc.ts';
import { encodeRestRequest, restUrl } from '../../src/wire/rest/rest-request.ts';
import { dialectOf, dialects } from '../../src/wire/select.ts';
import type { ProtocolVersion } from '../../src/wire/version.ts';
import { readSse } from './read-sse.ts';

/** A protocol version and a binding. */
export interface WireFormat {
  readonly version: ProtocolVersion;
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
}

export const WIRE_FORMATS: readonly WireFormat[] = [
  { version: '1.0', binding: 'JSONRPC' },
  { version: '1.0', binding: 'HTTP+JSON' },
  { version: '0.3', binding: 'JSONRPC' },
  { version: '0.3', binding: 'HTTP+JSON' },
  { version: '0.2', binding: 'JSONRPC' },
  { version: '0.1', binding: 'JSONRPC' },
];

export type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

export function dialectFor({ version, binding }: WireFormat): Dialect {
  return version === '0.3' && binding === 'HTTP+JSON' ? dialects['v03-proto'] : dialectOf(version);
}

/** @param url The address of the interface. */
export function rawCall<K extends OperationName>(
  format: WireFormat,
  url: string,
  operation: K,
  input: Input<K>,
  { send = fetch, headers = {} }: { readonly send?: Fetch; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  const dialect = dialectFor(format);
  const all = { 'content-type': 'application/json', 'a2a-version': format.version, ...headers };
  if (format.binding === 'JSONRPC') {
    const { method, params } = operationCodec(dialect, operation);
    const body = encodeRequest(7, method, params.encode(input) as object);
    return send(url, { method: 'POST', headers: all, body: JSON.stringify(body) });
  }
  const { verb, path, query, body } = encodeRestRequest(dialect, operation, input);
  const init = { method: verb, headers: all, ...(body !== undefined && { body: JSON.stringify(body) }) };
  return send(restUrl(url, { path, query }), init);
}

/** Removes the envelope of the binding around a result, an item of a stream or an error. */
export function unwrapped({ binding }: WireFormat, json: unknown): unknown {
  return binding === 'JSONRPC' ? ((json as { result?: unknown }).result ?? json) : json;
}

/** The data of the events of a stream, up to its end. */
export async function streamOf(response: Response): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const { data } of readSse(response.body as ReadableStream<Uint8Array>)) items.push(JSON.parse(data));
  return items;
}
