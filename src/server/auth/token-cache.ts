import type { Caller } from '../../engine/handler.ts';
import { isSameText } from '../../support/same-secret.ts';

/** So long a token that was taken back is still believed. */
const MAX_AGE_MS = 60_000;
/** About two kilobytes each. */
const MAX_TOKENS = 4096;

interface Entry {
  readonly signature: string;
  readonly caller: Caller;
  readonly until: number;
}

/**
 * Who the bearers of verified tokens are: to verify one takes 100 times as long. They are found by their claims, which are
 * no secret, and believed by their signature, which is compared in constant time.
 */
export class TokenCache {
  /** When it is half of what may be kept it becomes the older half: what was not used since then goes with the next. */
  #recent = new Map<string, Entry>();
  #older = new Map<string, Entry>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get(claims: string, signature: string): Caller | undefined {
    const recent = this.#recent.get(claims);
    const entry = recent ?? this.#older.get(claims);
    if (entry === undefined || entry.until <= this.#now() || !isSameText(entry.signature, signature)) return undefined;
    if (recent === undefined) this.#keep(claims, entry);
    return entry.caller;
  }

  set(claims: string, signature: string, caller: Caller): void {
    const { expiresAt = Number.POSITIVE_INFINITY } = caller;
    this.#keep(claims, { signature, caller, until: Math.min(expiresAt, this.#now() + MAX_AGE_MS) });
  }

  #keep(claims: string, entry: Entry): void {
    this.#recent.set(claims, entry);
    if (this.#recent.size < MAX_TOKENS / 2) return;
    this.#older = this.#recent;
    this.#recent = new Map();
  }
}
