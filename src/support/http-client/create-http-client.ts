import { nodeProcess } from '../node-process.ts';
import { type Fetch, FetchClient } from './fetch-client.ts';
import type { HttpClient } from './http-client.ts';
import { NodeClient, type NodeClientOptions } from './node-client.ts';

export interface HttpClientOptions extends NodeClientOptions {
  /** Sends the requests. Default: `node:http` on Node, where `fetch` costs several times the CPU, else the global `fetch`. */
  readonly fetch?: Fetch | undefined;
}

export const globalFetch: Fetch = (request) => globalThis.fetch(request);

/** Creates the client for all requests of this package to other hosts. Its creator must close it. */
export function createHttpClient({ fetch, ...options }: HttpClientOptions = {}): HttpClient {
  const node = fetch === undefined ? nodeProcess() : undefined;
  return node === undefined ? new FetchClient(fetch ?? globalFetch) : new NodeClient(node, options);
}
