import { gatherBytes, type OutboundResponse, type OutboundRequest, type OutboundTransport } from './transport.ts';
import type { Resolve } from '../support/net/guarded-lookup.ts';
import { nodeProcess } from '../support/node-process.ts';
import type { AddressGuard } from './address-guard.ts';
import { NodeOutboundTransport } from './node-transport.ts';

/**
 * The transport for runtimes other than Node. `fetch` does not expose the addresses a name resolves to. The protection here
 * is the check of the URL itself, that redirects are not followed, and the restrictions of the platform.
 */
export class FetchOutboundTransport implements OutboundTransport {
  async call({ method, url, headers, body, signal }: OutboundRequest): Promise<OutboundResponse> {
    const init = { method, headers, redirect: 'manual' as const, signal };
    return new FetchResponse(await globalThis.fetch(url, body === undefined ? init : { ...init, body }));
  }

  close(): void {}
}

class FetchResponse implements OutboundResponse {
  readonly status: number;
  readonly #response: Response;

  constructor(response: Response) {
    this.status = response.status;
    this.#response = response;
  }

  header(name: string): string | undefined {
    return this.#response.headers.get(name) ?? undefined;
  }

  async bytes(maxBytes: number): Promise<Uint8Array> {
    const { body } = this.#response;
    return body === null ? new Uint8Array(0) : gatherBytes(body as AsyncIterable<Uint8Array>, maxBytes);
  }

  discard(): void {
    this.#response.body?.cancel().catch(() => {});
  }
}

/** On Node, the transport that checks resolved addresses. Elsewhere `fetch`, which does not expose them. */
export function chooseOutboundTransport(resolve: Resolve | undefined, guard: AddressGuard): OutboundTransport {
  const node = nodeProcess();
  return node === undefined ? new FetchOutboundTransport() : new NodeOutboundTransport(node, guard, resolve);
}
