import type { Answer, Ask } from './exchange.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** A JSON-RPC request with the body as text. */
export function rpc(body: string, headers: Readonly<Record<string, string>> = {}): Ask {
  return { method: 'POST', path: '/a2a', headers: { ...JSON_TYPE, ...headers }, body };
}

/** A POST request over REST with the body as text. */
export function rest(path: string, body: string, headers: Readonly<Record<string, string>> = {}): Ask {
  return { method: 'POST', path, headers: { ...JSON_TYPE, ...headers }, body };
}

export interface RpcAnswer {
  readonly id: unknown;
  readonly result?: { readonly id: string; readonly status: { readonly state: string } };
  readonly error?: { readonly code: number };
}

export function rpcOf({ json }: Answer): RpcAnswer {
  return json as RpcAnswer;
}
