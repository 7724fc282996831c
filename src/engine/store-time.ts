import type { Clock } from '../support/clock.ts';

/** Differences that may be the way to the store and back, and are not worth a jump. */
const TOLERANCE_MS = 20;

/**
 * The time of a store that several machines share, told by the clock of this one. Tasks become due by the time of the
 * store; a node whose clock is wrong by a minute would have them sleep a minute too long, or not at all.
 */
export class StoreTime implements Clock {
  readonly #clock: Clock;
  /** How much later it is at the store than here. */
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

  /** Takes the answer of a store that was asked for the time just now. */
  async measure(answer: Promise<number>): Promise<void> {
    const asked = this.#clock.now();
    const there = await answer;
    const answered = this.#clock.now();
    const offset = Math.round(there - (asked + answered) / 2);
    const isUnsure = Math.abs(offset - this.#offset) <= (answered - asked) / 2 + TOLERANCE_MS;
    if (!isUnsure) this.#offset = offset;
  }
}
