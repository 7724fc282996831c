import type { Clock } from '../../support/time/clock.ts';

/** Differences up to this may be caused by the round trip to the store, and are ignored. */
const TOLERANCE_MS = 20;

/**
 * The time of a store that several machines share, derived from the local clock. Tasks become due by the time of the store:
 * on a node whose clock is wrong by a minute, they would sleep a minute too long or not at all.
 */
export class StoreTime implements Clock {
  readonly #clock: Clock;
  /** How far the store is ahead of the local clock. */
  #offset = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now() + this.#offset;
  }

  callAt(time: number, run: () => void): () => void {
    return this.#clock.callAt(time - this.#offset, run);
  }

  /** Adjusts to the response of the store, which must have been requested just now. */
  async measure(answer: Promise<number>): Promise<void> {
    const asked = this.#clock.now();
    const there = await answer;
    const answered = this.#clock.now();
    const offset = Math.round(there - (asked + answered) / 2);
    const isUnsure = Math.abs(offset - this.#offset) <= (answered - asked) / 2 + TOLERANCE_MS;
    if (!isUnsure) this.#offset = offset;
  }
}
