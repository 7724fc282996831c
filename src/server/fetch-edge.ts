import { joinBytes } from '../support/join-bytes.ts';
import { baseUrl, type EdgeOptions, pathBelow } from './base-url.ts';
import { alreadyRead, cutOff, isPacked, notUtf8, packed, tooLarge } from './body-errors.ts';
import type { Heartbeats } from './heartbeats.ts';
import { forwardedAddress, isThisMachine } from './limits/address.ts';
import { pieceStream } from './piece-stream.ts';
import type { HttpBody, HttpRequest, HttpResponse, WaitUntil } from './http.ts';

/** A web-standard request, as the core sees it. */
export class FetchRequest implements HttpRequest {
  readonly method: string;
  readonly path: string | undefined;
  readonly query: string;
  readonly #request: Request;
  readonly #url: URL;
  readonly #options: EdgeOptions;
  readonly #from: object | undefined;
  readonly #context: object | undefined;
  #left: AbortController | undefined;

  constructor(request: Request, options: EdgeOptions, from?: object, context?: object) {
    this.#from = from;
    this.#context = context;
    this.#request = request;
    this.#options = options;
    this.#url = new URL(request.url);
    this.method = request.method;
    this.path = pathBelow(options.basePath, this.#url.pathname);
    this.query = this.#url.search.slice(1);
  }

  get base(): string {
    const { basePath, trustProxy } = this.#options;
    const { protocol, host } = this.#url;
    const arrival = { protocol: protocol.slice(0, -1), host, mount: basePath };
    return baseUrl(arrival, trustProxy ? (name) => this.header(name) : undefined);
  }

  get remoteAddress(): string | undefined {
    return this.#forwarded ?? this.#given;
  }

  get isLocal(): boolean {
    return isThisMachine(this.#given) && this.#forwarded === undefined;
  }

  get #forwarded(): string | undefined {
    return this.#options.trustProxy ? forwardedAddress(this.header('x-forwarded-for')) : undefined;
  }

  get #given(): string | undefined {
    const { remoteAddress } = (this.#from ?? {}) as { readonly remoteAddress?: unknown };
    return typeof remoteAddress === 'string' ? remoteAddress : undefined;
  }

  /** Workers have it in the third argument of a handler, others in the second. */
  get waitUntil(): WaitUntil | undefined {
    const host = [this.#context, this.#from].find(canWait);
    return host && ((work) => host.waitUntil(work));
  }

  get signal(): AbortSignal {
    if (this.#left === undefined) {
      const left = (this.#left = new AbortController());
      const { signal } = this.#request;
      if (signal.aborted) left.abort();
      else signal.addEventListener('abort', () => left.abort(), { once: true });
    }
    return this.#left.signal;
  }

  /** The reader of the answer is gone, which not every host tells by the signal of the request. */
  leave(): void {
    this.#left?.abort();
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  async body(maxBytes: number): Promise<HttpBody> {
    if (this.#request.bodyUsed) throw alreadyRead();
    if (isPacked(this.header('content-encoding'))) throw packed();
    if (Number(this.header('content-length')) > maxBytes) throw tooLarge(maxBytes);
    const chunks: Uint8Array[] = [];
    let length = 0;
    const reader = (this.#request.body as ReadableStream<Uint8Array> | null)?.getReader();
    for (;;) {
      const next = await reader?.read().catch((cause: unknown) => {
        throw cutOff(cause);
      });
      if (next === undefined || next.done) break;
      length += next.value.length;
      if (length > maxBytes) {
        void reader?.cancel().catch(() => {});
        throw tooLarge(maxBytes);
      }
      chunks.push(next.value);
    }
    return { text: decodeUtf8(joinBytes(chunks, length)) };
  }
}

function canWait(host: object | undefined): host is { readonly waitUntil: WaitUntil } {
  return host !== undefined && 'waitUntil' in host && typeof host.waitUntil === 'function';
}

/** Strict, and a byte order mark stays: JSON has none (RFC 8259 §8.1). */
function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw notUtf8(cause);
  }
}

/** The answer of the core as a web-standard one. */
export function toResponse(response: HttpResponse, request: FetchRequest, heartbeats: Heartbeats): Response {
  const { status, headers, body } = response;
  if (body === undefined || request.method === 'HEAD') return new Response(null, { status, headers });
  if (typeof body === 'string') return new Response(body, { status, headers });
  return new Response(pieceStream(body, request, heartbeats), { status, headers });
}
