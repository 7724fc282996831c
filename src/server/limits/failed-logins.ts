import { A2AError } from '../../errors.ts';
import type { HttpRequest } from '../http.ts';
import type { Identify } from '../identify.ts';
import type { LimitSettings } from './limit-settings.ts';
import { addressKey } from './rate-limit.ts';
import { timeFor, TokenBuckets } from './token-buckets.ts';

/**
 * Slows down who guesses: after some wrong credentials from one address, more are not even looked at for a while. Counted
 * in this process alone. Who brings none does not guess.
 */
export class FailedLogins {
  readonly #buckets: TokenBuckets | undefined;
  readonly #isForAll: boolean;

  constructor({ failedLogins, given }: LimitSettings) {
    this.#buckets = failedLogins === false ? undefined : new TokenBuckets(failedLogins);
    this.#isForAll = given.has('failedLogins');
  }

  /** Asks first whether the address may try at all. */
  before(identify: Identify): Identify {
    const buckets = this.#buckets;
    if (buckets === undefined) return identify;
    return (request) => {
      if (buckets.size === 0) return identify(request);
      const left = this.#counts(request) ? buckets.left(addressKey(request), Date.now()) : 1;
      if (left >= 1) return identify(request);
      throw new A2AError('RATE_LIMIT_EXCEEDED', 'Too many wrong credentials from this address', {
        details: { limit: 'failedLogins' },
        retryAfterMs: timeFor(buckets.rate, 1 - left),
      });
    };
  }

  /** Counts who has brought credentials, and nobody knows them. */
  refused(request: HttpRequest, { code }: A2AError): void {
    if (code !== 'UNAUTHENTICATED' || !this.#counts(request)) return;
    // Of many at once none is known to be wrong before all are looked at.
    this.#buckets?.charge(addressKey(request), Date.now());
  }

  /** All who come without an address would answer for each other; and so would all behind a proxy on this machine. */
  #counts({ remoteAddress, isLocal = false }: HttpRequest): boolean {
    return this.#isForAll || (remoteAddress !== undefined && !isLocal);
  }
}
