import type { LeaveSignal } from '../../support/leave-signal.ts';
import type { Heartbeats } from './heartbeats.ts';
import type { ResponseHold } from '../../host/http.ts';
import { type BytesHold, UNCOUNTED_PIECE_BYTES } from '../../host/limits/bytes-in-flight.ts';

/** The request whose response is a stream. */
interface StreamClient {
  readonly signal: LeaveSignal;
  /** Called when the client stops reading. */
  leave(): void;
}

/** Counts large pieces while they wait to be read. */
interface Counted {
  open(): BytesHold | undefined;
}

/** How long a stream waits for its client to read more before it ends. Clients can resume event streams. */
const STALL_MS = 30_000;

const SLICE_BYTES = 64 * 2 ** 10;

/** The pieces of a response as a web-standard stream, with heartbeats in between. */
export function pieceStream(
  pieces: AsyncIterable<string>,
  client: StreamClient,
  heartbeats: Heartbeats,
  counted: Counted,
): ReadableStream<Uint8Array> {
  const source = new PieceSource(pieces[Symbol.asyncIterator](), client, counted);
  return new ReadableStream<Uint8Array>({
    start: (controller) => source.start(controller, heartbeats),
    pull: (controller) => source.pull(controller),
    cancel: () => source.cancel(),
  });
}

/** A stream of available bytes in slices. Releases the hold when the last one is taken or the client is gone. */
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
      // The timer must not keep the process alive.
      (timer as { unref?: () => void }).unref?.();
    },
    cancel: end,
  });
}

function unread(): Error {
  return new Error(`The response was not read for ${STALL_MS / 1000} s`);
}

/** However the stream ends, by its last piece, by an error or by its client: heartbeats and timers stop. */
class PieceSource {
  readonly #iterator: AsyncIterator<string, unknown>;
  readonly #client: StreamClient;
  readonly #counted: Counted;
  readonly #encoder = new TextEncoder();
  #hold: BytesHold | undefined;
  /** The time since which a piece waits to be read. */
  #unreadSince: number | undefined;
  #stopBeating = (): void => {};
  #isOver = false;

  constructor(iterator: AsyncIterator<string, unknown>, client: StreamClient, counted: Counted) {
    this.#iterator = iterator;
    this.#client = client;
    this.#counted = counted;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>, heartbeats: Heartbeats): void {
    this.#stopBeating = heartbeats.add((beat) => {
      // A client with unread data needs no heartbeat.
      if ((controller.desiredSize ?? 0) > 0) controller.enqueue(this.#encoder.encode(beat));
      else this.#endIfStalled(controller);
    });
    // Some hosts abort the signal without canceling the stream.
    const leave = (): void => {
      if (this.#isOver) return;
      this.#end();
      controller.close();
    };
    const { signal } = this.#client;
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#unreadSince = undefined;
    this.#hold?.release();
    try {
      const next = await this.#iterator.next();
      if (this.#isOver) return;
      if (next.done !== true) return this.#enqueue(controller, this.#encoder.encode(next.value));
      this.#end();
      controller.close();
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  cancel(): void {
    this.#end();
    // The iterator may be waiting for the next event; the signal ends that wait.
    this.#client.leave();
  }

  /** A large piece counts until the client requests the next one. @throws A2AError if it exceeds a limit. */
  #enqueue(controller: ReadableStreamDefaultController<Uint8Array>, piece: Uint8Array): void {
    if (piece.length > UNCOUNTED_PIECE_BYTES) {
      const rejection = (this.#hold ??= this.#counted.open())?.take(piece.length);
      if (rejection !== undefined) throw rejection;
    }
    controller.enqueue(piece);
    if ((controller.desiredSize ?? 0) <= 0) this.#unreadSince = performance.now();
  }

  #endIfStalled(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (this.#unreadSince === undefined || performance.now() - this.#unreadSince < STALL_MS) return;
    this.#end();
    controller.error(unread());
    this.#client.leave();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#hold?.release();
    this.#stopBeating();
    // Errors are ignored, because the stream has already ended.
    void this.#iterator.return?.().catch(() => {});
  }
}
