import type { Clock } from '../support/clock.ts';

/** The rest of a lease is for what takes a while from the question whether it lasts to what is done then. */
const SURE_SHARE = 2 / 3;

/**
 * Whether this node is sure of what it holds. One that was stopped, or cut off from its store, for longer than its lease
 * may have lost everything to others, and learns of it only when it writes. Writes of its own are refused then; what it
 * does elsewhere is not, so that it asks before it does anything.
 */
export class Liveness {
  readonly #clock: Clock;
  readonly #leaseMs: number;
  #last = 0;
  #spell = 1;

  constructor(clock: Clock, leaseMs: number) {
    this.#clock = clock;
    this.#leaseMs = leaseMs;
  }

  /**
   * The number of the time without a gap in which it lives. What it has got from the store it is to remember with the
   * number from before it asked.
   */
  get spell(): number {
    return this.#spell;
  }

  /** Whether nobody can have taken what it got in that spell. */
  isSureOf(spell: number): boolean {
    return spell === this.#spell && this.lasts(this.#last);
  }

  /** Whether a heartbeat that was sent at this time still leaves some of its lease. */
  lasts(sentAt: number): boolean {
    return this.#clock.now() - sentAt <= this.#leaseMs * SURE_SHARE;
  }

  /** The store has taken a heartbeat that was sent at this time. Says whether it came too late. */
  renew(sentAt: number): boolean {
    const wasLate = this.hasLapsed;
    if (wasLate) this.#spell++;
    this.#last = sentAt;
    return wasLate;
  }

  /** How long ago the last heartbeat was. */
  get age(): number {
    return this.#clock.now() - this.#last;
  }

  /** It was silent for so long that others may have taken its tasks. */
  get hasLapsed(): boolean {
    return this.#last > 0 && this.age > this.#leaseMs;
  }
}
