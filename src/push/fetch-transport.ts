import { gatherBytes } from './gather-bytes.ts';
import type { OutboundAnswer, OutboundRequest, OutboundTransport } from './transport.ts';

/**
 * The transport of every runtime but Node. `fetch` does not tell where a name leads to: what protects here is that
 * addresses were looked at as they are written, that no redirect is followed, and what the platform itself forbids.
 */
export class FetchOutboundTransport implements OutboundTransport {
  async call({ method, url, headers, body, signal }: OutboundRequest): Promise<OutboundAnswer> {
    const init = { method, headers, redirect: 'manual' as const, signal };
    return new FetchAnswer(await globalThis.fetch(url, body === undefined ? init : { ...init, body }));
  }

  close(): void {}
}

class FetchAnswer implements OutboundAnswer {
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
