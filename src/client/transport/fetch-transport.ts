import type { LeaveSignal } from '../../support/leave-signal.ts';
import { readText } from './body-text.ts';
import { type Transport, TransportFailure, type TransportRequest, type TransportResponse } from './transport.ts';

/** As much of `fetch` as is used here: an agent's handler has it too. */
export type Fetch = (request: Request) => Promise<Response>;

/** How long an answer that nobody wants may take to end by itself before its connection is closed. */
const DISCARD_MS = 250;

/** The transport of every runtime but Node, and of handlers in the same process. */
export class FetchTransport implements Transport {
  readonly #fetch: Fetch;
  readonly #close: () => Promise<void> | void;

  constructor(fetch: Fetch, close: () => Promise<void> | void = () => {}) {
    this.#fetch = fetch;
    this.#close = close;
  }

  async call({ method, url, headers, body, signal }: TransportRequest): Promise<TransportResponse> {
    const abort = new AbortController();
    const stop = abortWith(signal, abort);
    try {
      const init = { method, headers, redirect: 'manual' as const, signal: abort.signal };
      const request = new Request(url, body === undefined ? init : { ...init, body });
      return new FetchResponse(await this.#fetch(request), abort, stop);
    } catch (error) {
      stop();
      throw failureOf(error);
    }
  }

  close(): Promise<void> | void {
    return this.#close();
  }
}

/** Also tells a stream that is being read; the returned function ends that. */
function abortWith(signal: LeaveSignal, abort: AbortController): () => void {
  const leave = (): void => abort.abort();
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  return () => signal.removeEventListener('abort', leave);
}

class FetchResponse implements TransportResponse {
  readonly status: number;
  readonly #response: Response;
  readonly #abort: AbortController;
  readonly #stop: () => void;

  constructor(response: Response, abort: AbortController, stop: () => void) {
    this.status = response.status;
    this.#response = response;
    this.#abort = abort;
    this.#stop = stop;
  }

  header(name: string): string | undefined {
    return this.#response.headers.get(name) ?? undefined;
  }

  text(maxBytes: number): Promise<string> {
    return readText(this.chunks(), maxBytes);
  }

  async *chunks(): AsyncGenerator<Uint8Array, void, void> {
    const body = this.#response.body as ReadableStream<Uint8Array> | null;
    if (body === null) return this.#stop();
    const reader = body.getReader();
    let isOver = false;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        isOver = done;
        if (done) return;
        yield value;
      }
    } catch (error) {
      isOver = true;
      throw failureOf(error, 'maybe');
    } finally {
      this.#stop();
      // Cancelling alone leaves the request open where the answer is made in the same process.
      if (!isOver) {
        await reader.cancel().catch(() => {});
        this.#abort.abort();
      }
    }
  }

  discard(): void {
    const timer = setTimeout(() => this.#abort.abort(), DISCARD_MS);
    void this.#drain().finally(() => clearTimeout(timer));
  }

  close(): void {
    this.#abort.abort();
  }

  async #drain(): Promise<void> {
    try {
      for await (const _ of this.chunks());
    } catch {
      // It was not wanted in the first place.
    }
  }
}

/** What the runtimes call a connection that was never made; a browser does not say. */
const NOT_CONNECTED =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CONNECT_TIMEOUT|ConnectionRefused|refused|dns error|bad port/;

function failureOf(error: unknown, sent?: 'maybe'): unknown {
  if (!(error instanceof Error) || error instanceof TransportFailure) return error;
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  const message = cause.message === '' ? code || error.message : cause.message;
  return new TransportFailure(message, sent ?? (NOT_CONNECTED.test(`${code} ${message}`) ? 'no' : 'maybe'), error);
}
