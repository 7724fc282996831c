import type { Clock } from '../../support/time/clock.ts';
import { Deadline, durationText } from '../request/deadline.ts';
import type { IssuedToken } from './token-endpoint.ts';

/** A token is replaced this long before it expires, or after four fifths of its lifetime if that is later. */
const MARGIN_MS = 30_000;

/** The limit for getting a token. Each waiting call has its own deadline in addition. */
const TIMEOUT_MS = 15_000;

interface CachedToken extends IssuedToken {
  readonly freshUntil: number;
  readonly since: number;
}

/** A token that is being requested, and the number of calls that wait for it. */
interface PendingToken {
  readonly promise: Promise<string>;
  readonly deadline: Deadline;
  waiting: number;
}

/** Gets a new token. */
export type MakeToken = (deadline: Deadline) => Promise<IssuedToken>;

/** Caches tokens by key. Concurrent calls share one request, which is stopped when no call waits for it any more. */
export class TokenCache {
  readonly #clock: Clock;
  readonly #cached = new Map<string, CachedToken>();
  readonly #pending = new Map<string, PendingToken>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string, deadline: Deadline, make: MakeToken): string | Promise<string> {
    const cached = this.#cached.get(key);
    if (cached !== undefined && this.#clock.now() < cached.freshUntil) return cached.value;
    return this.#wait(key, this.#pending.get(key) ?? this.#start(key, make), deadline);
  }

  /** Removes a rejected token. Returns false if there was none, or if it is so new that the next one would be the same. */
  drop(key: string, minAgeMs: number): boolean {
    const cached = this.#cached.get(key);
    if (cached === undefined) return false;
    this.#cached.delete(key);
    return this.#clock.now() - cached.since >= minAgeMs;
  }

  async #wait(key: string, pending: PendingToken, deadline: Deadline): Promise<string> {
    pending.waiting++;
    try {
      return await deadline.within(pending.promise);
    } finally {
      if (--pending.waiting === 0) {
        this.#forget(key, pending);
        pending.deadline.stop();
      }
    }
  }

  #start(key: string, make: MakeToken): PendingToken {
    const deadline = new Deadline(this.#clock, { timeoutMs: TIMEOUT_MS, limit: durationText(TIMEOUT_MS) });
    const promise = this.#make(key, deadline, make).finally(() => this.#forget(key, pending));
    const pending: PendingToken = { promise, deadline, waiting: 0 };
    this.#pending.set(key, pending);
    return pending;
  }

  /** Lets later calls start a new request. */
  #forget(key: string, pending: PendingToken): void {
    if (this.#pending.get(key) === pending) this.#pending.delete(key);
  }

  async #make(key: string, deadline: Deadline, make: MakeToken): Promise<string> {
    this.#cached.delete(key);
    const since = this.#clock.now();
    const { value, expiresAt } = await make(deadline);
    const freshUntil =
      expiresAt === undefined ? Number.POSITIVE_INFINITY : expiresAt - Math.min(MARGIN_MS, (expiresAt - since) / 5);
    this.#cached.set(key, { value, expiresAt, freshUntil, since });
    return value;
  }
}
