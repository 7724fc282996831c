import type { Clock } from '../support/clock.ts';
import { Deadline } from './deadline.ts';
import type { IssuedToken } from './token-endpoint.ts';

/** A token is given up so long before its end that it does not end on the way, or a fifth of its life if that is less. */
const MARGIN_MS = 30_000;

/** For all who wait; each of them has a limit of his own. */
const TIMEOUT_MS = 15_000;

interface Kept extends IssuedToken {
  readonly freshUntil: number;
  readonly since: number;
}

/** A token that is being made, and how many calls wait for it. */
interface Underway {
  readonly promise: Promise<string>;
  readonly deadline: Deadline;
  waiting: number;
}

/** Makes a token, until it is stopped. */
export type MakeToken = (deadline: Deadline) => Promise<IssuedToken>;

/** Tokens by what they are for. One that many want at the same time is made once, for as long as one of them waits. */
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

  /** After it was refused. False if there was none, or one that is so new that the next would be the same. */
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
    const deadline = new Deadline(this.#clock, { timeoutMs: TIMEOUT_MS });
    const promise = this.#make(key, deadline, make).finally(() => this.#forget(key, underway));
    const underway: Underway = { promise, deadline, waiting: 0 };
    this.#underway.set(key, underway);
    return underway;
  }

  /** Whoever comes later starts anew. */
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
