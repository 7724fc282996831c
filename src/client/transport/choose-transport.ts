import { type Fetch, FetchTransport } from './fetch-transport.ts';
import { NodeTransport } from './node-transport.ts';
import type { Transport } from './transport.ts';

interface Runtime {
  readonly process?: NodeJS.Process;
  readonly Bun?: unknown;
  readonly Deno?: unknown;
}

/** The fast one on Node, where `fetch` costs several times the CPU of a plain request; elsewhere `fetch`, or one's own. */
export function chooseTransport(fetch: Fetch | undefined): Transport {
  if (fetch !== undefined) return new FetchTransport(fetch);
  const { process, Bun, Deno } = globalThis as Runtime;
  const isNode = process?.versions?.node !== undefined && typeof process.getBuiltinModule === 'function';
  if (isNode && Bun === undefined && Deno === undefined) return new NodeTransport(process);
  return new FetchTransport((request) => globalThis.fetch(request));
}
