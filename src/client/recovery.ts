import { A2AError } from '../errors.ts';
import type { Deadline } from './deadline.ts';
import type { Endpoint } from './endpoint.ts';
import type { Endpoints } from './endpoints.ts';
import { type Passage, refusedContext, type Wiring } from './exchange.ts';
import { NotHere } from './failures.ts';
import { challengeOf, isRefusedUnread, isSaidInStream } from './response-error.ts';
import type { Settings } from './settings.ts';
import { TransportFailure } from './transport/transport.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 3000;

/** The pause before the n-th repetition, counted from 0: short at first, then longer. */
export function backoffMs(n: number, first = FIRST_PAUSE_MS): number {
  return Math.min(first * 2 ** n, LONGEST_PAUSE_MS);
}

/** Between two attempts to reach an agent that may be back at any moment. */
const LONGEST_RECONNECT_PAUSE_MS = 1000;
/**
 * How long to try if the user does not say so. A restart takes up to 10 s to drain, with 503, and about a second to start. An
 * address that has never answered may be wrong, and its user wants to know soon.
 */
const RECONNECT_MS = 15_000;
const FIRST_CONTACT_MS = 3000;

/** Why a request failed, as far as it matters for the next attempt. */
interface Failure {
  /** The agent did not take the request: a refused connection, or 503 with `Retry-After`. */
  readonly isNotTaken: boolean;
  /** How long the agent asked to wait. */
  readonly askedMs: number;
  /** Whether an agent has answered at this address before. */
  readonly isKnown: boolean;
}

/**
 * How often and how long one request is repeated: `retries` times, and one that was not taken for `reconnectMs`, so that a
 * client does not notice the restart of a single process.
 */
export class Repeats {
  readonly #settings: Pick<Settings, 'retries' | 'reconnectMs' | 'clock'>;
  readonly #deadline: Deadline;
  #repetitions = 0;
  #notTaken = 0;
  /** When the agent did not take the request for the first time in a row. */
  #since: number | undefined;

  constructor(settings: Pick<Settings, 'retries' | 'reconnectMs' | 'clock'>, deadline: Deadline) {
    this.#settings = settings;
    this.#deadline = deadline;
  }

  /** Resolves to true when it is time for the next attempt, and to false if there is none. */
  async next(failure: Failure): Promise<boolean> {
    const ms = failure.isNotTaken ? this.#reconnectPauseMs(failure) : this.#pauseMs(failure);
    // The response that is here says more than a timeout would.
    if (ms === undefined || ms >= this.#deadline.remainingMs) return false;
    await this.#deadline.pause(ms);
    return true;
  }

  #pauseMs({ askedMs }: Failure): number | undefined {
    this.#since = undefined;
    this.#notTaken = 0;
    if (this.#repetitions >= this.#settings.retries) return undefined;
    return Math.max(askedMs, backoffMs(this.#repetitions++));
  }

  #reconnectPauseMs({ askedMs, isKnown }: Failure): number | undefined {
    const { clock, retries, reconnectMs } = this.#settings;
    if (retries === 0) return undefined;
    const now = clock.now();
    this.#since ??= now;
    const ms = Math.max(askedMs, Math.min(backoffMs(this.#notTaken), LONGEST_RECONNECT_PAUSE_MS));
    const limitMs = reconnectMs ?? (isKnown ? RECONNECT_MS : FIRST_CONTACT_MS);
    if (this.#notTaken >= retries && now + ms - this.#since > limitMs) return undefined;
    this.#notTaken++;
    return ms;
  }
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
  readonly #repeats: Repeats;
  #hasChangedVersion = false;

  constructor(wiring: Wiring, endpoints: Endpoints, passage: Passage, isRepeatable: boolean) {
    this.#wiring = wiring;
    this.#endpoints = endpoints;
    this.#passage = passage;
    this.#isRepeatable = isRepeatable;
    this.#repeats = new Repeats(wiring.settings, passage.deadline);
  }

  /** Resolves to true when it is time to try again. */
  async recover(error: unknown, endpoint: Endpoint): Promise<boolean> {
    if (A2AError.is(error, 'UNAUTHENTICATED')) return this.#mayRepeat(error) && this.#renew(error, endpoint);
    if (A2AError.is(error, 'VERSION_NOT_SUPPORTED')) return this.#isUnbegun(error) && this.#changeVersion(endpoint);
    if (A2AError.is(error, 'METHOD_NOT_FOUND')) return this.#isUnbegun(error) && this.#endpoints.doubt(endpoint);
    const isUnreachable = (error instanceof TransportFailure && error.sent === 'no') || isRefusedAddress(error);
    if ((isUnreachable || error instanceof NotHere) && this.#endpoints.miss(endpoint, isUnreachable)) return true;
    return this.#isWorthRepeating(error) && this.#repeats.next(this.#failureOf(error, endpoint));
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

  #failureOf(error: unknown, endpoint: Endpoint): Failure {
    if (error instanceof TransportFailure) {
      return { isNotTaken: error.isRefused, askedMs: 0, isKnown: this.#endpoints.isConfirmed(endpoint) };
    }
    const { retryAfterMs } = error as A2AError;
    // A limit that was hit is not a restart: to wait longer would only add to the load.
    const isNotTaken = A2AError.is(error, 'UNAVAILABLE') && retryAfterMs !== undefined && !('limit' in error.details);
    return { isNotTaken, askedMs: retryAfterMs ?? 0, isKnown: true };
  }
}

function isRefusedAddress(error: unknown): boolean {
  return A2AError.is(error, 'TRANSPORT_FAILED') && error.details['reason'] === 'address-refused';
}
