import { nodeProcess } from '../../support/node-process.ts';
import { type Fetch, FetchTransport } from './fetch-transport.ts';
import { NodeTransport } from './node-transport.ts';
import type { Transport } from './transport.ts';

/** Chooses `node:http` on Node, where `fetch` costs several times the CPU, else `fetch`. A `fetch` given by the user wins. */
export function chooseTransport(fetch: Fetch | undefined): Transport {
  if (fetch !== undefined) return new FetchTransport(fetch);
  const node = nodeProcess();
  return node === undefined ? new FetchTransport((request) => globalThis.fetch(request)) : new NodeTransport(node);
}
