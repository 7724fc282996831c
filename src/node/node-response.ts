import type { ServerResponse } from 'node:http';
import type { Heartbeats } from '../server/heartbeats.ts';
import type { HttpResponse } from '../server/http.ts';
import { endAnswer } from './early-answer.ts';

/** What the writing of a stream depends on, besides the stream. */
export interface StreamCare {
  readonly heartbeats: Heartbeats;
  /** How long a reader may leave a full connection unread. */
  readonly stallMs: number;
}

/** Writes an answer of the core. */
export function sendResponse(
  response: HttpResponse,
  outgoing: ServerResponse,
  isHead: boolean,
  care: StreamCare,
): void {
  const { status, headers, body } = response;
  if (outgoing.destroyed) return leave(body);
  if (body === undefined || typeof body === 'string') {
    // 204 and 304 have no body, so no length either.
    outgoing.writeHead(status, body === undefined ? headers : withLength(outgoing, headers, Buffer.byteLength(body)));
    endAnswer(outgoing.req, outgoing, isHead ? '' : (body ?? ''));
    return;
  }
  outgoing.writeHead(status, headers);
  // The first events are often here before the loop turns, and then go with the headers in one write.
  setImmediate(flushHeaders, outgoing);
  new PieceWriter(body[Symbol.asyncIterator](), outgoing, care).start();
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
 * has not read yet is in the store.
 *
 * No async function: there may be thousands of these, and one that waits would hold all it has ever seen.
 */
class PieceWriter {
  readonly #pieces: AsyncIterator<string, unknown>;
  readonly #outgoing: ServerResponse;
  readonly #stopBeating: () => void;
  readonly #stallMs: number;

  constructor(pieces: AsyncIterator<string, unknown>, outgoing: ServerResponse, { heartbeats, stallMs }: StreamCare) {
    this.#pieces = pieces;
    this.#outgoing = outgoing;
    this.#stallMs = stallMs;
    this.#stopBeating = heartbeats.add((beat) => {
      // Who has not read what is there needs no sign of life.
      if (!outgoing.writableNeedDrain) outgoing.write(beat);
    });
  }

  start(): void {
    this.#pieces.next().then(this.#take, this.#breakOff);
  }

  readonly #take = (next: IteratorResult<string, unknown>): void => {
    const outgoing = this.#outgoing;
    try {
      if (next.done === true) {
        this.#stopBeating();
        outgoing.end();
      } else if (outgoing.destroyed) {
        this.#breakOff();
      } else if (outgoing.write(next.value)) {
        this.start();
      } else {
        whenDrained(outgoing, this.#stallMs, () => this.start());
      }
    } catch {
      // Somebody else's `write`: middleware may have put its own in the place of Node's.
      this.#breakOff();
    }
  };

  /** Nobody reads on, or nothing can be written. The core itself never rejects. */
  readonly #breakOff = (): void => {
    this.#stopBeating();
    this.#outgoing.destroy();
    void this.#pieces.return?.();
  };
}

/** Calls back when there is room again, or nobody to need it. */
function whenDrained(outgoing: ServerResponse, stallMs: number, then: () => void): void {
  const stalled = setTimeout(() => {
    outgoing.destroy();
    // An answer that waits for its turn on the connection is not told of its own end.
    done();
  }, stallMs);
  const done = (): void => {
    clearTimeout(stalled);
    outgoing.off('drain', done);
    outgoing.off('close', done);
    then();
  };
  outgoing.on('drain', done);
  outgoing.on('close', done);
  if (outgoing.destroyed) done();
}
