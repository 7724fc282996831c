import { A2AError } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import type { Endpoints } from './endpoints.ts';
import { type Passage, refusedContext, type Wiring } from './exchange.ts';
import { NotHere } from './failures.ts';
import { challengeOf, isRefusedUnread, isSaidInStream } from './response-error.ts';
import { TransportFailure } from './transport/transport.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 3000;

/** The pause before the n-th repetition, counted from 0: short at first, then longer. */
export function backoffMs(n: number, first = FIRST_PAUSE_MS): number {
  return Math.min(first * 2 ** n, LONGEST_PAUSE_MS);
}

/**
 * Decides after a failure whether the same request may, and should, be made again. Never if the agent could have done what
 * was asked: a message is sent twice only to an agent that is known to recognise it.
 */
export class Recovery {
  readonly #wiring: Wiring;
  readonly #endpoints: Endpoints;
  readonly #passage: Passage;
  readonly #isRepeatable: boolean;
  #repetitions = 0;
  #hasChangedVersion = false;

  constructor(wiring: Wiring, endpoints: Endpoints, passage: Passage, isRepeatable: boolean) {
    this.#wiring = wiring;
    this.#endpoints = endpoints;
    this.#passage = passage;
    this.#isRepeatable = isRepeatable;
  }

  /** Resolves to true when it is time to try again. */
  async recover(error: unknown, endpoint: Endpoint): Promise<boolean> {
    if (A2AError.is(error, 'UNAUTHENTICATED')) return this.#mayRepeat(error) && this.#renew(error, endpoint);
    if (A2AError.is(error, 'VERSION_NOT_SUPPORTED')) return this.#isUnbegun(error) && this.#changeVersion(endpoint);
    if (A2AError.is(error, 'METHOD_NOT_FOUND')) return this.#isUnbegun(error) && this.#endpoints.doubt(endpoint);
    const isUnreachable = (error instanceof TransportFailure && error.sent === 'no') || isRefusedAddress(error);
    if ((isUnreachable || error instanceof NotHere) && this.#endpoints.miss(endpoint, isUnreachable)) return true;
    return this.#isWorthRepeating(error) && this.#pause(error);
  }

  async #renew(error: A2AError, { url }: Endpoint): Promise<boolean> {
    const { credentials } = this.#wiring;
    const { auth, card, deadline } = this.#passage;
    if (credentials === undefined || auth === undefined) return false;
    return deadline.within(credentials.renew(refusedContext(url, card, challengeOf(error)), auth));
  }

  #changeVersion(endpoint: Endpoint): boolean {
    if (this.#hasChangedVersion) return false;
    this.#hasChangedVersion = true;
    return this.#endpoints.refuse(endpoint);
  }

  #isWorthRepeating(error: unknown): boolean {
    if (error instanceof TransportFailure) return error.sent === 'no' || this.#isRepeatable;
    const isBusy = A2AError.is(error, 'UNAVAILABLE') || A2AError.is(error, 'RATE_LIMIT_EXCEEDED');
    if (!isBusy || !this.#mayRepeat(error)) return false;
    // Who says when to come back has not begun with it.
    return this.#isRepeatable || error.retryAfterMs !== undefined;
  }

  /** What an agent says about itself with its words may be what somebody said to it, half-way through its work. */
  #mayRepeat(error: A2AError): boolean {
    return this.#isRepeatable || isRefusedUnread(error);
  }

  /** Who does not know the version or the method has not begun, unless it is said in a stream that was opened for it. */
  #isUnbegun(error: A2AError): boolean {
    return this.#isRepeatable || !isSaidInStream(error);
  }

  async #pause(error: unknown): Promise<boolean> {
    const { deadline } = this.#passage;
    if (this.#repetitions >= this.#wiring.settings.retries) return false;
    const asked = A2AError.is(error) ? (error.retryAfterMs ?? 0) : 0;
    const ms = Math.max(asked, backoffMs(this.#repetitions));
    // The answer that is here says more than a timeout would.
    if (ms >= deadline.remainingMs) return false;
    this.#repetitions++;
    await deadline.pause(ms);
    return true;
  }
}

function isRefusedAddress(error: unknown): boolean {
  return A2AError.is(error, 'TRANSPORT_FAILED') && error.details['reason'] === 'address-refused';
}
