import type { Clock } from '../../support/time/clock.ts';

/**
 * The share of a lease period during which a node relies on its lease. The remainder covers the time between the check and
 * the action.
 */
const SURE_SHARE = 2 / 3;

/**
 * Tracks whether this node can rely on its leases. A node that was stopped or cut off from its store for longer than a
 * lease period may have lost all its tasks to other nodes. The store then rejects its writes, but side effects elsewhere
 * would still happen, so the node checks before them.
 */
export class Liveness {
  readonly #clock: Clock;
  readonly #leaseMs: number;
  #last = 0;
  #leaseEpoch = 1;

  constructor(clock: Clock, leaseMs: number) {
    this.#clock = clock;
    this.#leaseMs = leaseMs;
  }

  /**
   * The lease epoch: it increases whenever the node has missed its heartbeats for longer than a lease period. Remember the
   * epoch from before a claim together with the claimed task.
   */
  get leaseEpoch(): number {
    return this.#leaseEpoch;
  }

  /** Whether leases that were claimed in that epoch are certainly still held. */
  isSureOf(leaseEpoch: number): boolean {
    return leaseEpoch === this.#leaseEpoch && this.lasts(this.#last);
  }

  /** Whether a heartbeat that was sent at this time is still recent enough. */
  lasts(sentAt: number): boolean {
    return this.#clock.now() - sentAt <= this.#leaseMs * SURE_SHARE;
  }

  /**
   * Records a heartbeat that the store has accepted, by the time at which it was sent. Returns whether it came too late.
   */
  renew(sentAt: number): boolean {
    const wasLate = this.hasLapsed;
    if (wasLate) this.#leaseEpoch++;
    this.#last = sentAt;
    return wasLate;
  }

  /** The time since the last heartbeat. */
  get age(): number {
    return this.#clock.now() - this.#last;
  }

  /** Whether the node has missed heartbeats for so long that other nodes may have taken over its tasks. */
  get hasLapsed(): boolean {
    return this.#last > 0 && this.age > this.#leaseMs;
  }
}
