import type { Caller } from '../engine/handler.ts';
import type { A2AError } from '../errors.ts';
import { joinBytes } from '../support/join-bytes.ts';
import { baseUrl, type EdgeOptions, pathBelow } from './base-url.ts';
import { alreadyRead, cutOff, isPacked, notUtf8, packed, tooLarge } from './body-errors.ts';
import type { Heartbeats } from './heartbeats.ts';
import { forwardedAddress, isThisMachine } from './limits/address.ts';
import { BodyPace, pacedBody } from './limits/body-pace.ts';
import { type BytesHold, type Holder, UNCOUNTED_BYTES } from './limits/bytes-in-flight.ts';
import type { InFlight } from './limits/in-flight.ts';
import { pieceStream, sliceStream } from './piece-stream.ts';
import { type HttpBody, type HttpRequest, type HttpResponse, noHeaders, type WaitUntil } from './http.ts';

/** A web-standard request, as the core sees it. */
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

  get headers(): never {
    throw noHeaders();
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  async body(maxBytes: number): Promise<HttpBody> {
    if (this.#request.bodyUsed) throw alreadyRead();
    if (isPacked(this.header('content-encoding'))) throw packed();
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
    // Ends the read that waits.
    cancel();
  });
  // Of its own, because on some hosts a timer ends with the request in which it was set.
  const pace = inFlight && new BodyPace();
  pace?.watch(body);
  let hold: BytesHold | undefined;
  try {
    for (;;) {
      const next = await reader.read().catch((cause: unknown) => {
        throw cutOff(cause);
      });
      if (failure !== undefined) throw failure;
      if (next.done) return joinBytes(chunks, body.length);
      body.length += next.value.length;
      if (body.length > maxBytes) throw tooLarge(maxBytes);
      if (body.length > UNCOUNTED_BYTES) {
        const refusal = (hold ??= inFlight?.requests.open(holder))?.reach(body.length);
        if (refusal !== undefined) throw refusal;
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

/** Strict, and a byte order mark stays: JSON has none (RFC 8259 §8.1). */
function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw notUtf8(cause);
  }
}

/** What the writing of responses depends on, besides the response. */
export interface FetchCare {
  readonly heartbeats: Heartbeats;
  readonly edge: EdgeOptions;
}

/**
 * The response of the core as a web-standard one. A large text becomes a stream of slices: only so is it known when the host
 * has taken all of it.
 */
export function toResponse(response: HttpResponse, request: FetchRequest, { heartbeats, edge }: FetchCare): Response {
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
    // It was counted by an estimate, which may be above the length of the text.
    hold?.release();
    return new Response(body, { status, headers });
  }
  const bytes = new TextEncoder().encode(body);
  const all = { ...headers, 'content-length': String(bytes.length) };
  const counted = hold ?? edge.inFlight?.responses.open(request);
  return new Response(sliceStream(bytes, counted), { status, headers: all });
}
