import type { ServerResponse } from 'node:http';
import type { Heartbeats } from '../server/http/heartbeats.ts';
import type { HttpResponse, ResponseHold } from '../host/http.ts';
import {
  type BytesInFlight,
  type Holder,
  UNCOUNTED_BYTES,
  UNCOUNTED_PIECE_BYTES,
} from '../host/limits/bytes-in-flight.ts';
import { endResponse } from './early-response.ts';
import { whenDrained, whenSent, writeSlices } from './stalled-responses.ts';

export interface SendContext {
  readonly heartbeats: Heartbeats;
  /** How long a client may not read from a full connection. */
  readonly stallMs: number;
  /** Counts the bytes that wait to be sent. */
  readonly responses: BytesInFlight;
}

/** Writes a response. Its bytes count for `holder`. */
export function sendResponse(
  response: HttpResponse,
  holder: Holder,
  outgoing: ServerResponse,
  isHead: boolean,
  context: SendContext,
): void {
  const { status, headers, body, hold } = response;
  if (outgoing.destroyed) {
    hold?.release();
    return leave(body);
  }
  if (typeof body === 'object') {
    outgoing.writeHead(status, headers);
    // The first events are often available in the same turn of the event loop, and are then written together with the headers.
    setImmediate(flushHeaders, outgoing);
    new PieceWriter(body[Symbol.asyncIterator](), holder, outgoing, context).start();
  } else if (body !== undefined && body.length > UNCOUNTED_BYTES && !isHead) {
    sendLarge(response, body, hold ?? context.responses.open(holder), outgoing, context.stallMs);
  } else {
    hold?.release();
    // 204 and 304 have no body, so no length either.
    outgoing.writeHead(status, body === undefined ? headers : withLength(outgoing, headers, Buffer.byteLength(body)));
    endText(outgoing, isHead ? '' : (body ?? ''), context.stallMs);
  }
}

/**
 * Writes a text as bytes, which are outside of the JavaScript heap, and in slices, so that progress of the client is visible. The
 * bytes count until all of them are sent.
 */
function sendLarge(
  { status, headers }: HttpResponse,
  text: string,
  hold: ResponseHold,
  outgoing: ServerResponse,
  stallMs: number,
): void {
  const bytes = Buffer.from(text);
  hold.resize(bytes.length);
  try {
    outgoing.writeHead(status, withLength(outgoing, headers, bytes.length));
  } catch (error) {
    hold.release();
    throw error;
  }
  writeSlices(outgoing, bytes, stallMs, () => {
    hold.release();
    if (outgoing.destroyed) return;
    try {
      endText(outgoing, '', stallMs);
    } catch {
      // Middleware may have replaced `end`.
      outgoing.destroy();
    }
  });
}

/** The operating system nearly always takes a small text at once. If not, the client has to read it in time. */
function endText(outgoing: ServerResponse, text: string, stallMs: number): void {
  endResponse(outgoing.req, outgoing, text);
  if (outgoing.writableLength > 0) whenSent(outgoing, stallMs);
}

/**
 * Headers with a length as an array, which Node uses as it is: another object for each response would cost more than writing it. An
 * object if middleware has replaced `writeHead`, because on-headers before 1.1 does not support arrays.
 */
function withLength(
  outgoing: ServerResponse,
  headers: HttpResponse['headers'],
  length: number,
): string[] | Record<string, string | number> {
  if (Object.hasOwn(outgoing, 'writeHead')) return { ...headers, 'content-length': length };
  const list: string[] = [];
  for (const name in headers) list.push(name, headers[name] as string);
  list.push('content-length', String(length));
  return list;
}

/** Does nothing if the headers are already sent. */
function flushHeaders(outgoing: ServerResponse): void {
  if (!outgoing.destroyed) outgoing.flushHeaders();
}

/** Releases a body that no client will read. */
function leave(body: HttpResponse['body']): void {
  if (typeof body === 'object') void body[Symbol.asyncIterator]().return?.();
}

/**
 * Requests the next piece only when the socket has room, so that a slow client holds no more than the buffer of its socket; later
 * events stay in the store. A large piece counts until it is written. A stream whose piece exceeds a limit is closed, and its client
 * can resume it with `Last-Event-ID`.
 *
 * Not an async function: there may be thousands of these, and a suspended one would retain everything it has referenced.
 */
class PieceWriter {
  readonly #pieces: AsyncIterator<string, unknown>;
  readonly #holder: Holder;
  readonly #outgoing: ServerResponse;
  readonly #stopBeating: () => void;
  readonly #context: SendContext;
  /** Whether the connection has not taken the last piece yet. */
  #isWriting = false;

  constructor(pieces: AsyncIterator<string, unknown>, holder: Holder, outgoing: ServerResponse, context: SendContext) {
    this.#pieces = pieces;
    this.#holder = holder;
    this.#outgoing = outgoing;
    this.#context = context;
    this.#stopBeating = context.heartbeats.add(this.#beat);
  }

  start(): void {
    this.#isWriting = false;
    this.#pieces.next().then(this.#take, this.#breakOff);
  }

  /**
   * Writes a heartbeat, unless the client has something to read anyway. `writableNeedDrain` alone does not show that,
   * because middleware may have its own `write`, with its own buffer: the heartbeat would end up inside a large event.
   */
  readonly #beat = (beat: string): void => {
    if (this.#isWriting || this.#outgoing.writableNeedDrain) return;
    try {
      this.#outgoing.write(beat);
    } catch {
      this.#breakOff();
    }
  };

  readonly #take = (next: IteratorResult<string, unknown>): void => {
    const outgoing = this.#outgoing;
    try {
      if (next.done === true) {
        this.#stopBeating();
        outgoing.end();
        if (outgoing.writableLength > 0) whenSent(outgoing, this.#context.stallMs);
      } else if (outgoing.destroyed) {
        this.#breakOff();
      } else if (next.value.length > UNCOUNTED_PIECE_BYTES) {
        this.#writeLarge(Buffer.from(next.value));
      } else if (outgoing.write(next.value)) {
        this.start();
      } else {
        this.#isWriting = true;
        whenDrained(outgoing, this.#context.stallMs, () => this.start());
      }
    } catch {
      // Middleware may have replaced `write`.
      this.#breakOff();
    }
  };

  #writeLarge(bytes: Buffer): void {
    const hold = this.#context.responses.open(this.#holder);
    if (hold.take(bytes.length) !== undefined) return this.#breakOff();
    this.#isWriting = true;
    writeSlices(this.#outgoing, bytes, this.#context.stallMs, () => {
      hold.release();
      this.start();
    });
  }

  /** Ends a stream whose client has disconnected, or that cannot be written. The core itself never rejects. */
  readonly #breakOff = (): void => {
    this.#stopBeating();
    this.#outgoing.destroy();
    void this.#pieces.return?.();
  };
}
