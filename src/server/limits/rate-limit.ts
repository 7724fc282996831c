import type { Caller } from '../../engine/handler.ts';
import { A2AError } from '../../errors.ts';
import type { Store } from '../../store/store.ts';
import { networkOf } from '../../support/network-of.ts';
import { type HttpRequest, type HttpResponse, withHeaders } from '../http.ts';
import type { LimitSettings, Rate } from './limit-settings.ts';
import { type Taking, timeFor, TokenBuckets } from './token-buckets.ts';

type Requester = Pick<HttpRequest, 'remoteAddress' | 'isLocal'>;

/** All who come without an address, such as calls in process, are one. */
const UNKNOWN = 'unknown';

/** How a caller stands after his request was counted. */
export interface RateStatus extends Taking {
  readonly rate: Rate;
  readonly now: number;
}

/** Where buckets are shared with other processes. */
type TakeTokens = NonNullable<Store['takeTokens']>;

export interface RateLimitOptions {
  readonly settings: LimitSettings;
  /** Names the buckets in a store that several agents share. */
  readonly agent: string;
  readonly takeTokens?: TakeTokens | undefined;
}

/** Counts the requests of each caller. What it knows at once it says at once, so that nobody waits for a promise. */
export class RateLimit {
  readonly #settings: LimitSettings;
  readonly #agent: string;
  readonly #takeTokens: TakeTokens | undefined;
  readonly #callers: TokenBuckets | undefined;
  readonly #addresses: TokenBuckets | undefined;

  constructor({ settings, agent, takeTokens }: RateLimitOptions) {
    const { rate } = settings;
    this.#settings = settings;
    this.#agent = agent;
    this.#takeTokens = takeTokens;
    if (rate === false) return;
    this.#callers = new TokenBuckets(rate);
    this.#addresses = new TokenBuckets(rate);
  }

  /** Counts one request; undefined if this one is not limited. */
  take(request: Requester, caller: Caller): RateStatus | undefined | Promise<RateStatus> {
    const buckets = caller.isVerified ? this.#callers : this.#addresses;
    if (buckets === undefined || isSpared(this.#settings, 'rate', request, caller)) return undefined;
    const name = caller.isVerified ? caller.id : addressKey(request);
    if (this.#takeTokens !== undefined) return this.#takeShared(this.#takeTokens, buckets, caller.isVerified, name);
    return statusOf(buckets, name);
  }

  /** A store that is away must not make the agent so: then each process counts for itself. */
  async #takeShared(
    takeTokens: TakeTokens,
    buckets: TokenBuckets,
    isVerified: boolean,
    name: string,
  ): Promise<RateStatus> {
    const bucket = JSON.stringify([this.#agent, isVerified ? 'caller' : 'address', name]);
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

/** Limits that are counted by caller or address. */
type CountedName =
  | 'rate'
  | 'streamsPerCaller'
  | 'subscribersPerTask'
  | 'requestBytesPerCaller'
  | 'responseBytesPerCaller';

/** Whom a limit that nobody has set is not meant for. Who has a name is counted by it, wherever he comes from. */
export function isSpared(
  { given }: LimitSettings,
  name: CountedName,
  { remoteAddress, isLocal = false }: Requester,
  { isVerified }: Pick<Caller, 'isVerified'>,
): boolean {
  if (isVerified || given.has(name)) return false;
  return remoteAddress === undefined || isLocal;
}

/** By what those are told apart who need not say who they are. */
export function addressKey({ remoteAddress }: Requester): string {
  return remoteAddress === undefined ? UNKNOWN : networkOf(remoteAddress);
}

/** @throws A2AError `RATE_LIMIT_EXCEEDED` */
export function assertTaken(status: RateStatus | undefined): void {
  if (status === undefined || status.isTaken) return;
  const { rate, left } = status;
  throw new A2AError('RATE_LIMIT_EXCEEDED', `Too many requests: ${rate.perMinute} a minute, ${rate.burst} at once`, {
    details: { limit: 'rate' },
    retryAfterMs: timeFor(rate, 1 - left),
  });
}

/** The answer with how its reader stands; the bucket is full again at `Reset`, in seconds since 1970. */
export function withRate(response: HttpResponse, status: RateStatus | undefined): HttpResponse {
  if (status === undefined) return response;
  const { rate, left, now } = status;
  const stands = {
    'x-ratelimit-limit': String(rate.burst),
    'x-ratelimit-remaining': String(Math.floor(left)),
    'x-ratelimit-reset': String(Math.ceil((now + timeFor(rate, rate.burst - left)) / 1000)),
  };
  // A spread with members after it takes thirty times as long: each has a hidden class of its own.
  const headers = Object.assign(stands, response.headers);
  return withHeaders(response, headers);
}
