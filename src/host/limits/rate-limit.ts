import type { Caller } from '../../engine/handler.ts';
import { A2AError } from '../../errors.ts';
import type { Store } from '../../store/store.ts';
import { networkOf } from '../../support/net/network-of.ts';
import { type HttpRequest, type HttpResponse, withHeaders } from '../http.ts';
import type { LimitSettings, Rate } from './limit-settings.ts';
import { type TakeResult, timeFor, TokenBuckets } from './token-buckets.ts';

type Requester = Pick<HttpRequest, 'remoteAddress' | 'isLocal'>;

/** All requests without an address, such as calls in process, are counted together. */
const UNKNOWN = 'unknown';

/** The quota of a caller after a request was counted. */
export interface RateStatus extends TakeResult {
  readonly rate: Rate;
  readonly now: number;
}

/** Takes tokens from buckets that are shared with other processes. */
type TakeTokens = NonNullable<Store['takeTokens']>;

export interface RateLimitOptions {
  readonly settings: LimitSettings;
  /** Part of the bucket names, because several hosts may share a store. */
  readonly name: string;
  readonly takeTokens?: TakeTokens | undefined;
}

/** Counts the requests of each caller. Returns a promise only if buckets are shared through the store. */
export class RateLimit {
  readonly #settings: LimitSettings;
  readonly #name: string;
  readonly #takeTokens: TakeTokens | undefined;
  readonly #callers: TokenBuckets | undefined;
  readonly #addresses: TokenBuckets | undefined;

  constructor({ settings, name, takeTokens }: RateLimitOptions) {
    const { rate } = settings;
    this.#settings = settings;
    this.#name = name;
    this.#takeTokens = takeTokens;
    if (rate === false) return;
    this.#callers = new TokenBuckets(rate);
    this.#addresses = new TokenBuckets(rate);
  }

  /** Counts one request; returns undefined if it is not limited. */
  take(request: Requester, caller: Caller): RateStatus | undefined | Promise<RateStatus> {
    const buckets = caller.isVerified ? this.#callers : this.#addresses;
    if (buckets === undefined || isExempt(this.#settings, 'rate', request, caller)) return undefined;
    const name = caller.isVerified ? caller.id : addressKey(request);
    if (this.#takeTokens !== undefined) return this.#takeShared(this.#takeTokens, buckets, caller.isVerified, name);
    return statusOf(buckets, name);
  }

  /** If the store is unavailable, each process counts for itself, so that the agent stays available. */
  async #takeShared(
    takeTokens: TakeTokens,
    buckets: TokenBuckets,
    isVerified: boolean,
    name: string,
  ): Promise<RateStatus> {
    const bucket = JSON.stringify([this.#name, isVerified ? 'caller' : 'address', name]);
    const { rate } = buckets;
    try {
      const { isTaken, left } = await takeTokens({ bucket, burst: rate.burst, perMinute: rate.perMinute });
      return { isTaken, left, rate, now: Date.now() };
    } catch {
      return statusOf(buckets, name);
    }
  }
}

function statusOf(buckets: TokenBuckets, name: string): RateStatus {
  const now = Date.now();
  const { isTaken, left } = buckets.take(name, now);
  return { isTaken, left, rate: buckets.rate, now };
}

type CountedName =
  | 'rate'
  | 'streamsPerCaller'
  | 'subscribersPerTask'
  | 'requestBytesPerCaller'
  | 'responseBytesPerCaller';

/** Whether a default limit spares the request: it is anonymous, and comes from this machine or from an unknown address. */
export function isExempt(
  { given }: LimitSettings,
  name: CountedName,
  { remoteAddress, isLocal = false }: Requester,
  { isVerified }: Pick<Caller, 'isVerified'>,
): boolean {
  if (isVerified || given.has(name)) return false;
  return remoteAddress === undefined || isLocal;
}

export function addressKey({ remoteAddress }: Requester): string {
  return remoteAddress === undefined ? UNKNOWN : networkOf(remoteAddress);
}

/** @throws A2AError `RATE_LIMIT_EXCEEDED` */
export function assertTaken(status: RateStatus | undefined): void {
  if (status === undefined || status.isTaken) return;
  const { rate, left } = status;
  throw new A2AError(
    'RATE_LIMIT_EXCEEDED',
    `Rate limit exceeded: ${rate.perMinute} requests per minute, with bursts of up to ${rate.burst}`,
    {
      details: { limit: 'rate' },
      retryAfterMs: timeFor(rate, 1 - left),
    },
  );
}

/** The response with the quota of its caller. The bucket is full again at `Reset`, in seconds since 1970. */
export function withRate(response: HttpResponse, status: RateStatus | undefined): HttpResponse {
  if (status === undefined) return response;
  const { rate, left, now } = status;
  const quota = {
    'x-ratelimit-limit': String(rate.burst),
    'x-ratelimit-remaining': String(Math.floor(left)),
    'x-ratelimit-reset': String(Math.ceil((now + timeFor(rate, rate.burst - left)) / 1000)),
  };
  // A spread takes thirty times as long, because each result gets its own hidden class.
  const headers = Object.assign(quota, response.headers);
  return withHeaders(response, headers);
}
