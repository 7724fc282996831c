import type { LeaveSignal } from '../support/leave-signal.ts';
import type { Heartbeats } from './heartbeats.ts';

/** The request whose answer is a stream. */
interface Reader {
  readonly signal: LeaveSignal;
  /** The reader of the answer is gone. */
  leave(): void;
}

/** The pieces of an answer as a web-standard stream, with signs of life in between. */
export function pieceStream(
  pieces: AsyncIterable<string>,
  reader: Reader,
  heartbeats: Heartbeats,
): ReadableStream<Uint8Array> {
  const source = new PieceSource(pieces[Symbol.asyncIterator](), reader);
  return new ReadableStream<Uint8Array>({
    start: (controller) => source.start(controller, heartbeats),
    pull: (controller) => source.pull(controller),
    cancel: () => source.cancel(),
  });
}

/** However a stream ends, by its last piece, by an error or by its reader: nothing beats or waits for it then. */
class PieceSource {
  readonly #iterator: AsyncIterator<string, unknown>;
  readonly #reader: Reader;
  readonly #encoder = new TextEncoder();
  #stopBeating = (): void => {};
  #isOver = false;

  constructor(iterator: AsyncIterator<string, unknown>, reader: Reader) {
    this.#iterator = iterator;
    this.#reader = reader;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>, heartbeats: Heartbeats): void {
    this.#stopBeating = heartbeats.add((beat) => {
      // Who has not read what is there needs no sign of life.
      if ((controller.desiredSize ?? 0) > 0) controller.enqueue(this.#encoder.encode(beat));
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
    try {
      const next = await this.#iterator.next();
      if (this.#isOver) return;
      if (next.done !== true) return controller.enqueue(this.#encoder.encode(next.value));
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

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopBeating();
    // Nobody is left to be told what goes wrong with it.
    void this.#iterator.return?.().catch(() => {});
  }
}
