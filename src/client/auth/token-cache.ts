import type { Clock } from '../../support/time/clock.ts';
import { Deadline, durationText } from '../request/deadline.ts';
import { SharedRequests } from '../request/shared-requests.ts';
import type { IssuedToken } from './token-endpoint.ts';

/** A token is replaced this long before it expires, or after four fifths of its lifetime if that is later. */
const MARGIN_MS = 30_000;

/** The limit for getting a token. Each waiting call has its own deadline in addition. */
const TIMEOUT_MS = 15_000;

interface CachedToken extends IssuedToken {
  readonly freshUntil: number;
  readonly since: number;
}

/** Gets a new token. */
export type MakeToken = (deadline: Deadline) => Promise<IssuedToken>;

/** Caches tokens by key. */
export class TokenCache {
  readonly #clock: Clock;
  readonly #cached = new Map<string, CachedToken>();
  readonly #pending = new SharedRequests<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string, deadline: Deadline, make: MakeToken): string | Promise<string> {
    const cached = this.#cached.get(key);
    if (cached !== undefined && this.#clock.now() < cached.freshUntil) return cached.value;
    return this.#pending.get(key, deadline, () => {
      const limit = new Deadline(this.#clock, { timeoutMs: TIMEOUT_MS, limit: durationText(TIMEOUT_MS) });
      return { promise: this.#make(key, limit, make), stop: () => limit.stop() };
    });
  }

  /** Removes a rejected token. Returns false if there was none, or if it is so new that the next one would be the same. */
  drop(key: string, minAgeMs: number): boolean {
    const cached = this.#cached.get(key);
    if (cached === undefined) return false;
    this.#cached.delete(key);
    return this.#clock.now() - cached.since >= minAgeMs;
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
