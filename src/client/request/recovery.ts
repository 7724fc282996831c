import { A2AError } from '../../errors.ts';
import type { AuthAttempt } from '../auth/credentials.ts';
import type { CallScope } from './call-scope.ts';
import type { Deadline } from './deadline.ts';
import type { Endpoint } from './endpoint.ts';
import type { Endpoints } from './endpoints.ts';
import { refusedContext } from './exchange.ts';
import { NoAgent } from './failures.ts';
import { challengeOf, isRejectedUnread, isReceivedInStream } from './response-error.ts';
import type { Settings } from '../settings.ts';
import { TransportFailure } from '../../support/http-client/http-client.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 3000;

/** The pause before the n-th retry, counted from 0. It doubles up to 3 s. */
export function backoffMs(n: number, first = FIRST_PAUSE_MS): number {
  return Math.min(first * 2 ** n, LONGEST_PAUSE_MS);
}

/** The longest pause between two attempts to reach an agent that restarts. */
const LONGEST_RECONNECT_PAUSE_MS = 1000;
/**
 * The defaults of `reconnectMs`. A restart takes up to 10 s to drain, with 503, and about a second to start. An address that has
 * never responded may be wrong, so its user should know soon.
 */
const RECONNECT_MS = 15_000;
const FIRST_CONTACT_MS = 3000;

/** Why a request failed, as far as it matters for the next attempt. */
interface Failure {
  /** The agent did not accept the request: a refused connection, or 503 with `Retry-After`. */
  readonly isNotTaken: boolean;
  /** The time of `Retry-After`. */
  readonly askedMs: number;
  /** Whether an agent has responded at this address before. */
  readonly isKnown: boolean;
}

/**
 * Limits the retries of one request: `retries` times, and for `reconnectMs` if the agent did not accept it, so that a client does not
 * notice the restart of a single process.
 */
export class Repeats {
  readonly #settings: Pick<Settings, 'retries' | 'reconnectMs' | 'clock'>;
  readonly #deadline: Deadline;
  #repetitions = 0;
  #notTaken = 0;
  /** When the agent first did not accept the request, since it last did. */
  #since: number | undefined;

  constructor(settings: Pick<Settings, 'retries' | 'reconnectMs' | 'clock'>, deadline: Deadline) {
    this.#settings = settings;
    this.#deadline = deadline;
  }

  /** Resolves to true when it is time for the next attempt, and to false if there is none. */
  async next(failure: Failure): Promise<boolean> {
    const ms = failure.isNotTaken ? this.#reconnectPauseMs(failure) : this.#pauseMs(failure);
    // If the deadline would pass during the pause, the last response is more useful than a timeout.
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
 * Decides after a failure whether to repeat the request. A request that the agent may have processed is not repeated: a message is
 * sent twice only to an agent that deduplicates messages.
 */
export class Recovery {
  readonly #endpoints: Endpoints;
  readonly #scope: CallScope;
  readonly #auth: AuthAttempt | undefined;
  readonly #isRepeatable: boolean;
  readonly #repeats: Repeats;
  #hasChangedVersion = false;

  constructor(
    settings: Settings,
    endpoints: Endpoints,
    scope: CallScope,
    auth: AuthAttempt | undefined,
    isRepeatable: boolean,
  ) {
    this.#endpoints = endpoints;
    this.#scope = scope;
    this.#auth = auth;
    this.#isRepeatable = isRepeatable;
    this.#repeats = new Repeats(settings, scope.deadline);
  }

  /** Resolves to true when it is time to try again. */
  async recover(error: unknown, endpoint: Endpoint): Promise<boolean> {
    if (A2AError.is(error, 'UNAUTHENTICATED')) return this.#mayRepeat(error) && this.#renew(error, endpoint);
    if (A2AError.is(error, 'VERSION_NOT_SUPPORTED')) return this.#isUnbegun(error) && this.#changeVersion(endpoint);
    if (A2AError.is(error, 'METHOD_NOT_FOUND')) return this.#isUnbegun(error) && this.#endpoints.doubt(endpoint);
    const isUnreachable = (error instanceof TransportFailure && error.sent === 'no') || isRefusedAddress(error);
    if ((isUnreachable || error instanceof NoAgent) && this.#endpoints.miss(endpoint, isUnreachable)) return true;
    return this.#isWorthRepeating(error) && this.#repeats.next(this.#failureOf(error, endpoint));
  }

  async #renew(error: A2AError, { url }: Endpoint): Promise<boolean> {
    const auth = this.#auth;
    if (auth === undefined) return false;
    const refused = refusedContext(url, auth.card, challengeOf(error));
    return this.#scope.deadline.within(auth.credentials.renew(refused, auth));
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
    // An agent that sends Retry-After has not started to process the request.
    return this.#isRepeatable || error.retryAfterMs !== undefined;
  }

  /** An error in the body may come from a nested call that the agent made, half-way through its work. The HTTP status decides. */
  #mayRepeat(error: A2AError): boolean {
    return this.#isRepeatable || isRejectedUnread(error);
  }

  /** An agent that rejects the version or method has not started, unless it reports the error in a stream that it opened. */
  #isUnbegun(error: A2AError): boolean {
    return this.#isRepeatable || !isReceivedInStream(error);
  }

  #failureOf(error: unknown, endpoint: Endpoint): Failure {
    if (error instanceof TransportFailure) {
      return { isNotTaken: error.isRefused, askedMs: 0, isKnown: this.#endpoints.isConfirmed(endpoint) };
    }
    const { retryAfterMs } = error as A2AError;
    // An agent that is over a limit does not restart. Longer retries would only add to its load.
    const isNotTaken = A2AError.is(error, 'UNAVAILABLE') && retryAfterMs !== undefined && !('limit' in error.details);
    return { isNotTaken, askedMs: retryAfterMs ?? 0, isKnown: true };
  }
}

function isRefusedAddress(error: unknown): boolean {
  return A2AError.is(error, 'TRANSPORT_FAILED') && error.details['reason'] === 'address-refused';
}
