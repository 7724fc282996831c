import type { Caller } from '../../engine/handler.ts';

/** So long a token that was taken back is still believed. */
const MAX_AGE_MS = 60_000;
/** About a kilobyte each. */
const MAX_TOKENS = 4096;

interface Entry {
  readonly caller: Caller;
  readonly until: number;
}

/** Who the bearers of verified tokens are, by the digest of the token: to verify one takes 100 times as long. */
export class TokenCache {
  /** The one that was used last is the last. */
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get(digest: string): Caller | undefined {
    const entry = this.#entries.get(digest);
    if (entry === undefined) return undefined;
    this.#entries.delete(digest);
    if (entry.until <= this.#now()) return undefined;
    this.#entries.set(digest, entry);
    return entry.caller;
  }

  set(digest: string, caller: Caller): void {
    const { expiresAt = Number.POSITIVE_INFINITY } = caller;
    this.#entries.set(digest, { caller, until: Math.min(expiresAt, this.#now() + MAX_AGE_MS) });
    if (this.#entries.size <= MAX_TOKENS) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      break;
    }
  }
}
