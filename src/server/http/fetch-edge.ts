import type { Caller } from '../../engine/handler.ts';
import type { A2AError } from '../../errors.ts';
import { joinBytes } from '../../support/bytes.ts';
import { baseUrl, type EdgeOptions, pathBelow } from './base-url.ts';
import {
  alreadyRead,
  incompleteBody,
  isCompressed,
  notUtf8,
  compressed,
  tooLarge,
} from '../../host/limits/body-errors.ts';
import type { Heartbeats } from './heartbeats.ts';
import { forwardedAddress, isThisMachine } from '../../host/limits/address.ts';
import { BodyPace, pacedBody } from '../../host/limits/body-pace.ts';
import { type BytesHold, type Holder, UNCOUNTED_BYTES } from '../../host/limits/bytes-in-flight.ts';
import type { InFlight } from '../../host/limits/in-flight.ts';
import { pieceStream, sliceStream } from './piece-stream.ts';
import { type HttpBody, type HttpRequest, type HttpResponse, noHeaders, type WaitUntil } from '../../host/http.ts';

/** Adapts a web-standard request to `HttpRequest`. */
export class FetchRequest implements HttpRequest {
  readonly method: string;
  readonly path: string | undefined;
  readonly query: string;
  readonly releasesHold = true;
  caller: Caller | undefined = undefined;
  readonly #request: Request;
  readonly #url: URL;
  readonly #options: EdgeOptions;
  readonly #from: object | undefined;
  readonly #context: object | undefined;
  #disconnect: AbortController | undefined;

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

  /** Workers pass it in the third argument of a handler, other hosts in the second. */
  get waitUntil(): WaitUntil | undefined {
    const host = [this.#context, this.#from].find(canWait);
    return host && ((work) => host.waitUntil(work));
  }

  get signal(): AbortSignal {
    if (this.#disconnect === undefined) {
      const disconnect = (this.#disconnect = new AbortController());
      const { signal } = this.#request;
      if (signal.aborted) disconnect.abort();
      else signal.addEventListener('abort', () => disconnect.abort(), { once: true });
    }
    return this.#disconnect.signal;
  }

  /** Called when the client stops reading, because not every host aborts the signal of the request. */
  leave(): void {
    this.#disconnect?.abort();
  }

  get headers(): never {
    throw noHeaders();
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  async body(maxBytes: number): Promise<HttpBody> {
    if (this.#request.bodyUsed) throw alreadyRead();
    if (isCompressed(this.header('content-encoding'))) throw compressed();
    if (Number(this.header('content-length')) > maxBytes) throw tooLarge(maxBytes);
    const stream = this.#request.body as ReadableStream<Uint8Array> | null;
    if (stream === null) return { text: '' };
    return { text: decodeUtf8(await readBytes(stream.getReader(), maxBytes, this, this.#options.inFlight)) };
  }
}

/** At most `maxBytes`, at a minimum pace, and within what the caller may have in flight. Bytes count when they arrive. */
async function readBytes(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
  holder: Holder,
  inFlight: InFlight | undefined,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const cancel = (): void => void reader.cancel().catch(() => {});
  let failure: A2AError | undefined;
  const body = pacedBody((error) => {
    failure = error;
    // Ends the pending read.
    cancel();
  });
  // Not shared, because on some hosts a timer ends with the request that set it.
  const pace = inFlight && new BodyPace();
  pace?.watch(body);
  let hold: BytesHold | undefined;
  try {
    for (;;) {
      const next = await reader.read().catch((cause: unknown) => {
        throw incompleteBody(cause);
      });
      if (failure !== undefined) throw failure;
      if (next.done) return joinBytes(chunks, body.length);
      body.length += next.value.length;
      if (body.length > maxBytes) throw tooLarge(maxBytes);
      if (body.length > UNCOUNTED_BYTES) {
        const rejection = (hold ??= inFlight?.requests.open(holder))?.reach(body.length);
        if (rejection !== undefined) throw rejection;
      }
      chunks.push(next.value);
    }
  } catch (error) {
    cancel();
    throw error;
  } finally {
    pace?.close();
    hold?.release();
  }
}

function canWait(host: object | undefined): host is { readonly waitUntil: WaitUntil } {
  return host !== undefined && 'waitUntil' in host && typeof host.waitUntil === 'function';
}

/** Rejects invalid UTF-8. Keeps a byte order mark, because JSON must not have one (RFC 8259 §8.1). */
function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw notUtf8(cause);
  }
}

export interface FetchContext {
  readonly heartbeats: Heartbeats;
  readonly edge: EdgeOptions;
}

/**
 * Converts a response to a web-standard one. A large text becomes a stream of slices, because only a stream shows when the host has
 * taken all of it.
 */
export function toResponse(
  response: HttpResponse,
  request: FetchRequest,
  { heartbeats, edge }: FetchContext,
): Response {
  const { status, headers, body, hold } = response;
  if (body === undefined || request.method === 'HEAD') {
    hold?.release();
    return new Response(null, { status, headers });
  }
  if (typeof body === 'object') {
    const counted = { open: () => edge.inFlight?.responses.open(request) };
    return new Response(pieceStream(body, request, heartbeats, counted), { status, headers });
  }
  if (body.length <= UNCOUNTED_BYTES) {
    // A hold exists if the estimate was larger than the text.
    hold?.release();
    return new Response(body, { status, headers });
  }
  const bytes = new TextEncoder().encode(body);
  const all = { ...headers, 'content-length': String(bytes.length) };
  const counted = hold ?? edge.inFlight?.responses.open(request);
  return new Response(sliceStream(bytes, counted), { status, headers: all });
}
