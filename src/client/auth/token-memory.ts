import type { Clock } from '../../support/time/clock.ts';
import { Deadline, durationText } from '../request/deadline.ts';
import type { IssuedToken } from './token-endpoint.ts';

/** A token is replaced this long before it expires, or after four fifths of its lifetime if that is later. */
const MARGIN_MS = 30_000;

/** The limit for getting a token. Each waiting call has its own deadline in addition. */
const TIMEOUT_MS = 15_000;

interface Kept extends IssuedToken {
  readonly freshUntil: number;
  readonly since: number;
}

/** A token that is being requested, and the number of calls that wait for it. */
interface Underway {
  readonly promise: Promise<string>;
  readonly deadline: Deadline;
  waiting: number;
}

/** Gets a new token. */
export type MakeToken = (deadline: Deadline) => Promise<IssuedToken>;

/** Caches tokens by key. Concurrent calls share one request, which is stopped when no call waits for it any more. */
export class TokenMemory {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();
  readonly #underway = new Map<string, Underway>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string, deadline: Deadline, make: MakeToken): string | Promise<string> {
    const kept = this.#kept.get(key);
    if (kept !== undefined && this.#clock.now() < kept.freshUntil) return kept.value;
    return this.#wait(key, this.#underway.get(key) ?? this.#start(key, make), deadline);
  }

  /** Removes a rejected token. Returns false if there was none, or if it is so new that the next one would be the same. */
  drop(key: string, minAgeMs: number): boolean {
    const kept = this.#kept.get(key);
    if (kept === undefined) return false;
    this.#kept.delete(key);
    return this.#clock.now() - kept.since >= minAgeMs;
  }

  async #wait(key: string, underway: Underway, deadline: Deadline): Promise<string> {
    underway.waiting++;
    try {
      return await deadline.within(underway.promise);
    } finally {
      if (--underway.waiting === 0) {
        this.#forget(key, underway);
        underway.deadline.stop();
      }
    }
  }

  #start(key: string, make: MakeToken): Underway {
    const deadline = new Deadline(this.#clock, { timeoutMs: TIMEOUT_MS, limit: durationText(TIMEOUT_MS) });
    const promise = this.#make(key, deadline, make).finally(() => this.#forget(key, underway));
    const underway: Underway = { promise, deadline, waiting: 0 };
    this.#underway.set(key, underway);
    return underway;
  }

  /** Lets later calls start a new request. */
  #forget(key: string, underway: Underway): void {
    if (this.#underway.get(key) === underway) this.#underway.delete(key);
  }

  async #make(key: string, deadline: Deadline, make: MakeToken): Promise<string> {
    this.#kept.delete(key);
    const since = this.#clock.now();
    const { value, expiresAt } = await make(deadline);
    const freshUntil =
      expiresAt === undefined ? Number.POSITIVE_INFINITY : expiresAt - Math.min(MARGIN_MS, (expiresAt - since) / 5);
    this.#kept.set(key, { value, expiresAt, freshUntil, since });
    return value;
  }
}
