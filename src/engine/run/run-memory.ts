import { A2AError } from '../../errors.ts';
import type { Clock } from '../../support/time/clock.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import type { Timers } from '../../support/time/timers.ts';

/** How long a run waits for memory before it fails. */
const MAX_WAIT_MS = 30_000;
/** A run that holds less than this share of the limit never waits, because that would free almost nothing. */
const SMALL_SHARE = 1 / 256;
/** Above this many times the limit, output of a handler that does not wait for room is rejected. */
const REFUSED_ABOVE = 2;

interface Waiter {
  readonly room: Deferred<void>;
  readonly disarm: () => void;
}

/**
 * Limits the memory of all running tasks of an engine: messages, step results and outputs. Above the limit, only callers
 * without a running task may start one, and runs that hold more than a little wait before their next output until others
 * have ended or are suspended. One of them continues anyway, so that runs that wait for each other end; `maxTaskBytes`
 * limits it.
 */
export class RunMemory {
  readonly #maxBytes: number;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #onRoom: () => void;
  #bytes = 0;
  /** The run that continues above the limit. */
  #first: object | undefined;
  /** The waiting runs, the oldest first. */
  readonly #waiting = new Map<object, Waiter>();

  /** @param onRoom Called when tasks may start again. */
  constructor(maxBytes: number, { clock, timers }: { clock: Clock; timers: Timers }, onRoom: () => void) {
    this.#maxBytes = maxBytes;
    this.#clock = clock;
    this.#timers = timers;
    this.#onRoom = onRoom;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether runs have to wait. */
  get isFull(): boolean {
    return this.#bytes > this.#maxBytes;
  }

  /** Adds the memory of a run. */
  add(bytes: number): void {
    this.#bytes += bytes;
  }

  /**
   * Releases the memory of a run that is over or suspended.
   *
   * @param error Rejects the wait of the run, if it waits for room. Without an error the wait stays pending, like
   * everything else that the run waits for.
   */
  release(run: object, bytes: number, error?: Error): void {
    const wasFull = this.isFull;
    this.#bytes -= bytes;
    const waiter = this.#stopWaiting(run);
    if (error !== undefined) waiter?.room.reject(error);
    if (this.#first === run) this.#first = undefined;
    if (this.#waiting.size > 0) this.#admit();
    if (wasFull && !this.isFull) this.#onRoom();
  }

  /**
   * Returns a promise that a run must await before its next output, if any.
   *
   * @param bytes The memory that the run holds.
   */
  room(run: object, bytes: number): Promise<void> | undefined {
    if (!this.isFull || bytes <= this.#maxBytes * SMALL_SHARE) return undefined;
    this.#first ??= run;
    if (this.#first === run) return undefined;
    return (this.#waiting.get(run) ?? this.#wait(run)).room.promise;
  }

  isWaiting(run: object): boolean {
    return this.#waiting.has(run);
  }

  /** @throws A2AError `UNAVAILABLE` if the run should have waited for room, did not, and there is none. */
  assertRoom(run: object): void {
    if (this.#bytes > REFUSED_ABOVE * this.#maxBytes && this.#waiting.has(run)) throw this.#exhausted();
  }

  #wait(run: object): Waiter {
    const room = deferred<void>();
    const disarm = this.#timers.add(this.#clock.now() + MAX_WAIT_MS, () => {
      this.#waiting.delete(run);
      room.reject(this.#exhausted());
    });
    const waiter = { room, disarm };
    this.#waiting.set(run, waiter);
    return waiter;
  }

  #admit(): void {
    for (const run of this.#waiting.keys()) {
      if (this.isFull && this.#first !== undefined) return;
      if (this.isFull) this.#first = run;
      this.#stopWaiting(run)?.room.resolve();
    }
  }

  #stopWaiting(run: object): Waiter | undefined {
    const waiter = this.#waiting.get(run);
    waiter?.disarm();
    this.#waiting.delete(run);
    return waiter;
  }

  #exhausted(): A2AError {
    return new A2AError(
      'UNAVAILABLE',
      'The running tasks of this agent use all the memory allowed for them, so this task cannot publish more output. Try again later.',
      { details: { limit: 'runBytes' } },
    );
  }
}
