import type { LeaveSignal } from '../support/leave-signal.ts';
import type { Heartbeats } from './heartbeats.ts';
import type { ResponseHold } from './http.ts';
import { type BytesHold, UNCOUNTED_PIECE_BYTES } from './limits/bytes-in-flight.ts';

/** The request whose answer is a stream. */
interface Reader {
  readonly signal: LeaveSignal;
  /** The reader of the answer is gone. */
  leave(): void;
}

/** What counts a large piece while it waits to be read. */
interface Counted {
  open(): BytesHold | undefined;
}

/** How long a stream waits for its reader to ask for more; then it is over. An event stream can be resumed by number. */
const STALL_MS = 30_000;

const SLICE_BYTES = 64 * 2 ** 10;

/** The pieces of an answer as a web-standard stream, with signs of life in between. */
export function pieceStream(
  pieces: AsyncIterable<string>,
  reader: Reader,
  heartbeats: Heartbeats,
  counted: Counted,
): ReadableStream<Uint8Array> {
  const source = new PieceSource(pieces[Symbol.asyncIterator](), reader, counted);
  return new ReadableStream<Uint8Array>({
    start: (controller) => source.start(controller, heartbeats),
    pull: (controller) => source.pull(controller),
    cancel: () => source.cancel(),
  });
}

/** Bytes that are there already, slice by slice. Releases the hold when the last one is taken or the reader is gone. */
export function sliceStream(bytes: Uint8Array, hold: ResponseHold | undefined): ReadableStream<Uint8Array> {
  let at = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => {
    clearTimeout(timer);
    hold?.release();
  };
  hold?.resize(bytes.length);
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      clearTimeout(timer);
      if (at >= bytes.length) {
        end();
        controller.close();
        return;
      }
      controller.enqueue(bytes.subarray(at, (at += SLICE_BYTES)));
      timer = setTimeout(() => {
        end();
        controller.error(unread());
      }, STALL_MS);
      // Where a timer keeps the process alive: this one is no reason to.
      (timer as { unref?: () => void }).unref?.();
    },
    cancel: end,
  });
}

function unread(): Error {
  return new Error(`The response was not read for ${STALL_MS / 1000} s`);
}

/** However a stream ends, by its last piece, by an error or by its reader: nothing beats or waits for it then. */
class PieceSource {
  readonly #iterator: AsyncIterator<string, unknown>;
  readonly #reader: Reader;
  readonly #counted: Counted;
  readonly #encoder = new TextEncoder();
  #hold: BytesHold | undefined;
  /** Since when a piece waits to be read. */
  #unreadSince: number | undefined;
  #stopBeating = (): void => {};
  #isOver = false;

  constructor(iterator: AsyncIterator<string, unknown>, reader: Reader, counted: Counted) {
    this.#iterator = iterator;
    this.#reader = reader;
    this.#counted = counted;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>, heartbeats: Heartbeats): void {
    this.#stopBeating = heartbeats.add((beat) => {
      // Who has not read what is there needs no sign of life.
      if ((controller.desiredSize ?? 0) > 0) controller.enqueue(this.#encoder.encode(beat));
      else this.#endIfStalled(controller);
    });
    // Not every host that tells of it by the signal cancels the stream as well.
    const leave = (): void => {
      if (this.#isOver) return;
      this.#end();
      controller.close();
    };
    const { signal } = this.#reader;
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#unreadSince = undefined;
    this.#hold?.release();
    try {
      const next = await this.#iterator.next();
      if (this.#isOver) return;
      if (next.done !== true) return this.#give(controller, this.#encoder.encode(next.value));
      this.#end();
      controller.close();
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  cancel(): void {
    this.#end();
    // The iterator waits for the next event and hears nothing before; the signal ends that wait.
    this.#reader.leave();
  }

  /** A large piece counts until the reader asks for the next one. @throws A2AError if there is no room for it. */
  #give(controller: ReadableStreamDefaultController<Uint8Array>, piece: Uint8Array): void {
    if (piece.length > UNCOUNTED_PIECE_BYTES) {
      const refusal = (this.#hold ??= this.#counted.open())?.take(piece.length);
      if (refusal !== undefined) throw refusal;
    }
    controller.enqueue(piece);
    if ((controller.desiredSize ?? 0) <= 0) this.#unreadSince = performance.now();
  }

  #endIfStalled(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (this.#unreadSince === undefined || performance.now() - this.#unreadSince < STALL_MS) return;
    this.#end();
    controller.error(unread());
    this.#reader.leave();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#hold?.release();
    this.#stopBeating();
    // Nobody is left to be told what goes wrong with it.
    void this.#iterator.return?.().catch(() => {});
  }
}
