import { gatherBytes } from '../bytes.ts';
import type { LeaveSignal } from '../leave-signal.ts';
import {
  DISCARD,
  type HttpClient,
  type OutboundRequest,
  type OutboundResponse,
  TransportFailure,
} from './http-client.ts';

/** The part of `fetch` that the client uses: takes a `Request`, returns a `Response`. Handlers of agents have it too. */
export type Fetch = (request: Request) => Promise<Response>;

interface InProcess {
  close(): Promise<void> | void;
}

/**
 * The client for runtimes other than Node, and for handlers in the same process. `fetch` does not expose the addresses a name resolves
 * to. The protection here is the check of the URL itself, that redirects are not followed, and the restrictions of the platform.
 */
export class FetchClient implements HttpClient {
  readonly #fetch: Fetch;
  /** Set for an agent in the same process, which is always reachable. */
  readonly #handler: InProcess | undefined;
  readonly #open = new Set<Stopping>();

  constructor(fetch: Fetch, handler?: InProcess) {
    this.#fetch = fetch;
    this.#handler = handler;
  }

  async call({ method, url, headers, body, signal }: OutboundRequest): Promise<OutboundResponse> {
    const stopping = new Stopping(signal, this.#open);
    try {
      const init = { method, headers, redirect: 'manual' as const, signal: stopping.signal };
      const request = new Request(url, body === undefined ? init : { ...init, body });
      const response = await stopping.race(this.#fetch(request));
      // Browsers hide the target of a redirect.
      if (response.type === 'opaqueredirect')
        throw new TransportFailure(
          `${url.href} responded with a redirect, which cannot be followed in a browser`,
          'no',
        );
      return new FetchResponse(response, stopping);
    } catch (error) {
      stopping.end();
      throw failureOf(error, this.#handler === undefined ? undefined : 'maybe');
    }
  }

  close(): Promise<void> | void {
    for (const stopping of this.#open) stopping.stop();
    return this.#handler?.close();
  }
}

/**
 * Stops a request and the reading of its response. Some `fetch` implementations ignore their signal, or ignore it while the body is
 * read, so waiting calls are rejected here as well.
 */
class Stopping {
  readonly #abort = new AbortController();
  readonly #source: LeaveSignal;
  readonly #open: Set<Stopping>;
  #reject: (error: unknown) => void = () => {};

  constructor(source: LeaveSignal, open: Set<Stopping>) {
    this.#source = source;
    this.#open = open.add(this);
    if (source.aborted) this.stop();
    else source.addEventListener('abort', this.stop, { once: true });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  readonly stop = (): void => {
    this.#abort.abort();
    this.#reject(new TransportFailure('The request was stopped', 'maybe'));
  };

  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.#abort.signal.aborted) reject(new TransportFailure('The request was stopped', 'maybe'));
      promise.then(resolve, reject);
    });
  }

  /** Removes the listener when the request has ended. */
  end(): void {
    this.#open.delete(this);
    this.#source.removeEventListener('abort', this.stop);
  }
}

class FetchResponse implements OutboundResponse {
  readonly status: number;
  readonly #response: Response;
  readonly #stopping: Stopping;

  constructor(response: Response, stopping: Stopping) {
    this.status = response.status;
    this.#response = response;
    this.#stopping = stopping;
  }

  header(name: string): string | undefined {
    return this.#response.headers.get(name) ?? undefined;
  }

  async text(maxBytes: number, option?: string): Promise<string> {
    return new TextDecoder().decode(await this.bytes(maxBytes, option));
  }

  bytes(maxBytes: number, option?: string): Promise<Uint8Array> {
    return gatherBytes(this.chunks(), maxBytes, option);
  }

  async *chunks(): AsyncGenerator<Uint8Array, void, void> {
    const body = this.#response.body as ReadableStream<Uint8Array> | null;
    if (body === null) return this.#stopping.end();
    const reader = body.getReader();
    let isOver = false;
    try {
      for (;;) {
        const { done, value } = await this.#stopping.race(reader.read());
        isOver = done;
        if (done) return;
        yield value;
      }
    } catch (error) {
      throw failureOf(error, 'maybe');
    } finally {
      this.#stopping.end();
      if (!isOver) {
        // For an agent in the same process, cancelling alone would leave the request open.
        this.#stopping.stop();
        await reader.cancel().catch(() => {});
      }
    }
  }

  discard(): void {
    const timer = setTimeout(this.#stopping.stop, DISCARD.maxMs);
    // The body was discarded, so its errors do not matter.
    void this.bytes(DISCARD.maxBytes)
      .catch(() => {})
      .finally(() => clearTimeout(timer));
  }

  close(): void {
    this.#stopping.stop();
  }
}

/** The codes of connections that could not be established. Browsers do not report it. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
]);
/** Deno and forbidden ports have no code. The whole text must match, because an agent's own errors may use the same words. */
const NOT_CONNECTED_TEXT = /^(?:bad port$|error sending request for url \(.*\): client error \(Connect\))/;

function failureOf(error: unknown, sent?: 'maybe'): unknown {
  if (!(error instanceof Error) || error instanceof TransportFailure) return error;
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  const message = cause.message === '' ? code || error.message : cause.message;
  const isUnreached = NOT_CONNECTED.has(code) || NOT_CONNECTED_TEXT.test(message);
  return new TransportFailure(message, sent ?? (isUnreached ? 'no' : 'maybe'), error);
}
