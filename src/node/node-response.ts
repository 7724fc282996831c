import type { ServerResponse } from 'node:http';
import type { Heartbeats } from '../server/heartbeats.ts';
import type { HttpResponse, ResponseHold } from '../server/http.ts';
import {
  type BytesInFlight,
  type Holder,
  UNCOUNTED_BYTES,
  UNCOUNTED_PIECE_BYTES,
} from '../server/limits/bytes-in-flight.ts';
import { endAnswer } from './early-answer.ts';
import { whenDrained, whenSent, writeSlices } from './unread.ts';

/** What the writing of responses depends on, besides the response. */
export interface SendCare {
  readonly heartbeats: Heartbeats;
  /** How long a client may leave a full connection unread. */
  readonly stallMs: number;
  /** Counts the bytes that wait to be sent. */
  readonly responses: BytesInFlight;
}

/** Writes a response of the core for `holder`. */
export function sendResponse(
  response: HttpResponse,
  holder: Holder,
  outgoing: ServerResponse,
  isHead: boolean,
  care: SendCare,
): void {
  const { status, headers, body, hold } = response;
  if (outgoing.destroyed) {
    hold?.release();
    return leave(body);
  }
  if (typeof body === 'object') {
    outgoing.writeHead(status, headers);
    // The first events are often here before the loop turns, and then go with the headers in one write.
    setImmediate(flushHeaders, outgoing);
    new PieceWriter(body[Symbol.asyncIterator](), holder, outgoing, care).start();
  } else if (body !== undefined && body.length > UNCOUNTED_BYTES && !isHead) {
    sendLarge(response, body, hold ?? care.responses.open(holder), outgoing, care.stallMs);
  } else {
    hold?.release();
    // 204 and 304 have no body, so no length either.
    outgoing.writeHead(status, body === undefined ? headers : withLength(outgoing, headers, Buffer.byteLength(body)));
    endText(outgoing, isHead ? '' : (body ?? ''), care.stallMs);
  }
}

/**
 * Writes a text as bytes, which lie outside of the heap of JavaScript, and in slices, so that the client is seen to read.
 * The bytes count until all of them are sent.
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
      // Middleware may have put its own `end` in the place of Node's.
      outgoing.destroy();
    }
  });
}

/** Nearly always the operating system takes all of a small text at once; if not, the client has to read it. */
function endText(outgoing: ServerResponse, text: string, stallMs: number): void {
  endAnswer(outgoing.req, outgoing, text);
  if (outgoing.writableLength > 0) whenSent(outgoing, stallMs);
}

/**
 * As a list, which Node takes as it is: another object for each answer would cost more than to write it. But not where
 * middleware has its own `writeHead`: on-headers before 1.1, which many use, makes nonsense of a list.
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

/** Does nothing if they are sent. */
function flushHeaders(outgoing: ServerResponse): void {
  if (!outgoing.destroyed) outgoing.flushHeaders();
}

/** Nobody reads it: what it holds is let go. */
function leave(body: HttpResponse['body']): void {
  if (typeof body === 'object') void body[Symbol.asyncIterator]().return?.();
}

/**
 * Takes a piece only when there is room for it, so that a slow reader holds no more than the buffer of its socket: what it
 * has not read yet is in the store. A large piece counts as long as it waits; a stream whose piece has no room is closed,
 * and its client can resume it by number.
 *
 * No async function: there may be thousands of these, and one that waits would hold all it has ever seen.
 */
class PieceWriter {
  readonly #pieces: AsyncIterator<string, unknown>;
  readonly #holder: Holder;
  readonly #outgoing: ServerResponse;
  readonly #stopBeating: () => void;
  readonly #care: SendCare;
  /** Whether the connection has not taken the last piece yet. */
  #isWriting = false;

  constructor(pieces: AsyncIterator<string, unknown>, holder: Holder, outgoing: ServerResponse, care: SendCare) {
    this.#pieces = pieces;
    this.#holder = holder;
    this.#outgoing = outgoing;
    this.#care = care;
    this.#stopBeating = care.heartbeats.add(this.#beat);
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
        if (outgoing.writableLength > 0) whenSent(outgoing, this.#care.stallMs);
      } else if (outgoing.destroyed) {
        this.#breakOff();
      } else if (next.value.length > UNCOUNTED_PIECE_BYTES) {
        this.#writeLarge(Buffer.from(next.value));
      } else if (outgoing.write(next.value)) {
        this.start();
      } else {
        this.#isWriting = true;
        whenDrained(outgoing, this.#care.stallMs, () => this.start());
      }
    } catch {
      // Middleware may have replaced `write` by its own.
      this.#breakOff();
    }
  };

  #writeLarge(bytes: Buffer): void {
    const hold = this.#care.responses.open(this.#holder);
    if (hold.take(bytes.length) !== undefined) return this.#breakOff();
    this.#isWriting = true;
    writeSlices(this.#outgoing, bytes, this.#care.stallMs, () => {
      hold.release();
      this.start();
    });
  }

  /** Nobody reads on, or nothing can be written. The core itself never rejects. */
  readonly #breakOff = (): void => {
    this.#stopBeating();
    this.#outgoing.destroy();
    void this.#pieces.return?.();
  };
}
