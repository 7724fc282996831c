import type { Rate } from './limit-settings.ts';

export interface TakeResult {
  readonly isTaken: boolean;
  /** The remaining tokens, including the fraction of the next one. */
  readonly left: number;
}

interface Bucket {
  tokens: number;
  /** The time at which `tokens` was computed. */
  at: number;
}

/** Takes about 1 MB. */
const MAX_BUCKETS = 10_000;

/** Debt is limited to one hour, because the address may belong to another caller by then. */
const MAX_DEBT_MINUTES = 60;

const MS_PER_MINUTE = 60_000;

/**
 * Token buckets by name, for one process. Each starts full and refills at a constant rate.
 *
 * Two generations replace an LRU list: a bucket that is used moves to the young generation, and when that reaches half of the maximum,
 * the old one is dropped. Made-up names cannot fill the memory, and a bucket is dropped only if it is idle while thousands of others
 * are used.
 */
export class TokenBuckets {
  readonly rate: Rate;
  readonly #half: number;
  #young = new Map<string, Bucket>();
  #old = new Map<string, Bucket>();

  constructor(rate: Rate, maxBuckets = MAX_BUCKETS) {
    this.rate = rate;
    this.#half = Math.max(1, maxBuckets >> 1);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Takes one token, if there is a whole one. */
  take(name: string, now: number): TakeResult {
    const bucket = this.#find(name, now) ?? this.#add(name, now);
    if (bucket.tokens < 1) return { isTaken: false, left: bucket.tokens };
    bucket.tokens -= 1;
    return { isTaken: true, left: bucket.tokens };
  }

  /** Takes one token even if the bucket is empty, which makes it negative. For events that are known only after they happened. */
  charge(name: string, now: number): void {
    const bucket = this.#find(name, now) ?? this.#add(name, now);
    bucket.tokens = Math.max(bucket.tokens - 1, -MAX_DEBT_MINUTES * this.rate.perMinute);
  }

  left(name: string, now: number): number {
    if (this.size === 0) return this.rate.burst;
    return this.#find(name, now)?.tokens ?? this.rate.burst;
  }

  #find(name: string, now: number): Bucket | undefined {
    let bucket = this.#young.get(name);
    if (bucket === undefined) {
      bucket = this.#old.get(name);
      if (bucket === undefined) return undefined;
      this.#old.delete(name);
      this.#keep(name, bucket, now);
    }
    fill(bucket, this.rate, now);
    return bucket;
  }

  #add(name: string, now: number): Bucket {
    const bucket = { tokens: this.rate.burst, at: now };
    this.#keep(name, bucket, now);
    return bucket;
  }

  #keep(name: string, bucket: Bucket, now: number): void {
    if (this.#young.size >= this.#half) {
      this.#old = this.#young;
      this.#young = new Map();
      // A full bucket is equivalent to none.
      for (const [each, { tokens, at }] of this.#old) {
        if (tokens + gained(this.rate, now - at) >= this.rate.burst) this.#old.delete(each);
      }
    }
    this.#young.set(name, bucket);
  }
}

function fill(bucket: Bucket, rate: Rate, now: number): void {
  // If the clock was set back, nothing is added.
  if (now > bucket.at) bucket.tokens = Math.min(rate.burst, bucket.tokens + gained(rate, now - bucket.at));
  bucket.at = now;
}

function gained({ perMinute }: Rate, ms: number): number {
  return (ms * perMinute) / MS_PER_MINUTE;
}

/** The time until so many tokens are refilled, in milliseconds. */
export function timeFor({ perMinute }: Rate, tokens: number): number {
  return Math.ceil((Math.max(0, tokens) * MS_PER_MINUTE) / perMinute);
}
