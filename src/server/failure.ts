import { A2AError, type ErrorCode, isNested } from '../errors.ts';
import type { AuditTrail } from '../observe/audit.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { newId } from '../support/id.ts';
import { auditFacts, type FailedRequest, requestFields } from './failed-request.ts';
import { limitOf } from './known-limits.ts';
import { isProxyUnheard } from './limits/address.ts';

/** Errors quote what they are about, which can be as large as a body may be. */
const MAX_MESSAGE = 1000;
const MAX_DETAIL = 256;

/** A store that is away fails every request: one warning in this time says it all. */
const QUIET_MS = 1000;

/** Somebody wanted what he may not have, or too much of it. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['UNAUTHENTICATED', 'PERMISSION_DENIED', 'RATE_LIMIT_EXCEEDED']);

/** Refusals that are counted by address, or come of such a count. */
const COUNTED_BY_ADDRESS: ReadonlySet<ErrorCode> = new Set(['UNAUTHENTICATED', 'RATE_LIMIT_EXCEEDED']);

/** What a store says when it cannot be reached, and of what it cannot keep. */
const HAVE_CAUSES: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'INVALID_PARAMS']);

/** Who is told of failures, beside the log. */
export interface FailureObservers {
  readonly audit?: AuditTrail;
  readonly metrics?: Metrics | undefined;
}

/** Stands between what goes wrong here and whoever asked: he learns what he may know, the log learns the rest. */
export class Failures {
  readonly #log: Log;
  readonly #now: () => number;
  readonly #observers: FailureObservers;
  #lastWarning = Number.NEGATIVE_INFINITY;
  #leftOut = 0;
  /** The id of the last warning. */
  #incident = '';
  #hasToldOfProxy = false;

  constructor(log: Log, now: () => number = Date.now, observers: FailureObservers = {}) {
    this.#log = log;
    this.#now = now;
    this.#observers = observers;
  }

  /**
   * What a stranger may see of an error. What is our fault goes to the log, under an id that he can quote; that he was
   * refused goes to the audit. Every error answer passes here, so that no refusal is forgotten.
   */
  publicError(error: unknown, about?: FailedRequest): A2AError {
    const shown = this.#shown(error, about);
    if (about !== undefined) this.#observe(shown, about);
    return shown;
  }

  #shown(error: unknown, about: FailedRequest | undefined): A2AError {
    // An author's hook, such as `auth`, may call another agent. Errors of that call stay in the log.
    if (!isA2AError(error) || isNested(error)) return this.#internal(error, 'Something went wrong here', {}, about);
    const shown = isLong(error) ? shortened(error) : error;
    // Whoever made it: a store tells of its own in these words, with what only the log may have as the cause.
    if (error.code === 'INTERNAL_ERROR') return this.#internal(error, shown.message, shown.details, about);
    if (HAVE_CAUSES.has(error.code) && error.cause !== undefined) return withId(shown, this.#warn(error, about));
    return shown;
  }

  #observe(error: A2AError, about: FailedRequest): void {
    const { audit, metrics } = this.#observers;
    const { code, details } = error;
    if (about.binding !== undefined) metrics?.requestFailed(about.binding, code);
    const limit = limitOf(error);
    if (limit !== undefined) metrics?.limitHit(limit);
    if (COUNTED_BY_ADDRESS.has(code)) this.#tellOfProxy(about);
    // A guard that refuses an address says so, whatever the code.
    if (REFUSALS.has(code) || limit !== undefined || details['guard'] !== undefined)
      audit?.refused(code, auditFacts(about, error));
  }

  /** Behind a proxy that nobody trusts all callers have one address: one who guesses locks out all, or is never counted. */
  #tellOfProxy({ request }: FailedRequest): void {
    if (this.#hasToldOfProxy || !isProxyUnheard(request)) return;
    this.#hasToldOfProxy = true;
    this.#log.warn(
      'A proxy says who is behind it, and is not heard: set trustProxy if it is yours, or all share its limits',
    );
  }

  #internal(error: unknown, message: string, details: A2AError['details'], about: FailedRequest | undefined): A2AError {
    const errorId = newId();
    this.#log.error('A request failed', { errorId, ...(about && requestFields(about)), error });
    return withId(new A2AError('INTERNAL_ERROR', message, { details }), errorId);
  }

  /** Gives the id under which the log has it: those that it leaves out have that of the line that stands for them. */
  #warn(error: A2AError, about: FailedRequest | undefined): string {
    const now = this.#now();
    // Also if the time was set back.
    if (Math.abs(now - this.#lastWarning) < QUIET_MS) {
      this.#leftOut++;
      return this.#incident;
    }
    this.#incident = newId();
    this.#log.warn('A request could not be answered', {
      errorId: this.#incident,
      ...(about && requestFields(about)),
      error,
      ...(this.#leftOut > 0 && { othersSinceTheLast: this.#leftOut }),
    });
    this.#lastWarning = now;
    this.#leftOut = 0;
    return this.#incident;
  }
}

function isLong({ message, details }: A2AError): boolean {
  if (message.length > MAX_MESSAGE) return true;
  for (const name in details) if ((details[name] ?? '').length > MAX_DETAIL) return true;
  return false;
}

function shortened({ code, message, details, violations, retryAfterMs, cause }: A2AError): A2AError {
  const short = Object.entries(details).map(([name, value]) => [name, cut(value, MAX_DETAIL)] as const);
  return new A2AError(code, cut(message, MAX_MESSAGE), {
    details: Object.fromEntries(short),
    violations,
    cause,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** For who asked: with the id that he can quote, and without the cause. */
function withId({ code, message, details, violations, retryAfterMs }: A2AError, errorId: string): A2AError {
  return new A2AError(code, `${message}; the log has it as ${errorId}`, {
    details: { ...details, errorId },
    violations,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** Errors can come from an author's code, where even looking at them may throw. */
function isA2AError(error: unknown): error is A2AError {
  try {
    return A2AError.is(error);
  } catch {
    return false;
  }
}
