import type { Rate } from './limit-settings.ts';

/** What is left in a bucket after somebody has tried to take from it. */
export interface Taking {
  readonly isTaken: boolean;
  /** With the fraction that has come back since the last whole one. */
  readonly left: number;
}

interface Bucket {
  tokens: number;
  /** When there were so many. */
  at: number;
}

/** As many as a process can easily hold: about a megabyte. */
const MAX_BUCKETS = 10_000;

/** However much somebody owes, it is forgotten after an hour: an address may be somebody else's by then. */
const MAX_DEBT_MINUTES = 60;

const MS_PER_MINUTE = 60_000;

/**
 * Token buckets by name, for one process. Each begins full, and what is taken comes back at an even pace.
 *
 * There are two generations instead of a list in the order of use: a bucket that is used moves into the young one, and
 * when that is half of all, the old one is forgotten. Who makes up names cannot fill the memory; and to be forgotten
 * himself, somebody must be idle while thousands of others come.
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

  /** How many are kept. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Takes one token; nothing if there is not a whole one. */
  take(name: string, now: number): Taking {
    const bucket = this.#find(name, now) ?? this.#add(name, now);
    if (bucket.tokens < 1) return { isTaken: false, left: bucket.tokens };
    bucket.tokens -= 1;
    return { isTaken: true, left: bucket.tokens };
  }

  /** Takes one in any case, and what is not there is owed: for what only shows when it has happened, many times at once. */
  charge(name: string, now: number): void {
    const bucket = this.#find(name, now) ?? this.#add(name, now);
    bucket.tokens = Math.max(bucket.tokens - 1, -MAX_DEBT_MINUTES * this.rate.perMinute);
  }

  /** What is there, without taking any. */
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
      // A full one says no more than none.
      for (const [each, { tokens, at }] of this.#old) {
        if (tokens + gained(this.rate, now - at) >= this.rate.burst) this.#old.delete(each);
      }
    }
    this.#young.set(name, bucket);
  }
}

function fill(bucket: Bucket, rate: Rate, now: number): void {
  // A clock that was set back gives nothing, and takes nothing.
  if (now > bucket.at) bucket.tokens = Math.min(rate.burst, bucket.tokens + gained(rate, now - bucket.at));
  bucket.at = now;
}

function gained({ perMinute }: Rate, ms: number): number {
  return (ms * perMinute) / MS_PER_MINUTE;
}

/** How long it takes until so many tokens have come back. */
export function timeFor({ perMinute }: Rate, tokens: number): number {
  return Math.ceil((Math.max(0, tokens) * MS_PER_MINUTE) / perMinute);
}
