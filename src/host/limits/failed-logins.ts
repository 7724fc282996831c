import { A2AError } from '../../errors.ts';
import type { HttpRequest } from '../http.ts';
import type { Identify } from '../auth/authenticator.ts';
import type { LimitSettings } from './limit-settings.ts';
import { addressKey } from './rate-limit.ts';
import { timeFor, TokenBuckets } from './token-buckets.ts';

/**
 * Slows down guessing: after too many invalid credentials from one address, requests from it are rejected without authentication for
 * a while. Counted per process. Requests without credentials do not count.
 */
export class FailedLogins {
  readonly #buckets: TokenBuckets | undefined;
  readonly #isForAll: boolean;

  constructor({ failedLogins, given }: LimitSettings) {
    this.#buckets = failedLogins === false ? undefined : new TokenBuckets(failedLogins);
    this.#isForAll = given.has('failedLogins');
  }

  before(identify: Identify): Identify {
    const buckets = this.#buckets;
    if (buckets === undefined) return identify;
    return (request) => {
      if (buckets.size === 0) return identify(request);
      const left = this.#counts(request) ? buckets.left(addressKey(request), Date.now()) : 1;
      if (left >= 1) return identify(request);
      throw new A2AError('RATE_LIMIT_EXCEEDED', 'Too many failed logins from this address', {
        details: { limit: 'failedLogins' },
        retryAfterMs: timeFor(buckets.rate, 1 - left),
      });
    };
  }

  countRejected(request: HttpRequest, { code }: A2AError): void {
    if (code !== 'UNAUTHENTICATED' || !this.#counts(request)) return;
    // Charged even if the bucket is empty, because many concurrent requests are all verified before the first one fails.
    this.#buckets?.charge(addressKey(request), Date.now());
  }

  /** Requests without an address, or from a proxy on this machine, would all share one count. */
  #counts({ remoteAddress, isLocal = false }: HttpRequest): boolean {
    return this.#isForAll || (remoteAddress !== undefined && !isLocal);
  }
}
