import { A2AError, copyError, type ErrorCode, isNested } from '../errors.ts';
import type { AuditTrail } from '../observe/audit.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { newId } from '../support/id.ts';
import { auditFacts, type FailedRequest, requestFields, limitOfError } from './failed-request.ts';
import { isProxyIgnored } from './limits/address.ts';
import type { OperationName } from '../model/operation.ts';
import type { Warning } from '../wire/decoder.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { Binding } from '../wire/offer.ts';

/** Errors may quote parts of the request, which can be as large as its body. */
const MAX_MESSAGE = 1000;
const MAX_DETAIL = 256;

/** An unavailable store fails every request, so warnings are limited to one per this time. */
const QUIET_MS = 1000;

const AUDITED: ReadonlySet<ErrorCode> = new Set(['UNAUTHENTICATED', 'PERMISSION_DENIED', 'RATE_LIMIT_EXCEEDED']);

const COUNTED_BY_ADDRESS: ReadonlySet<ErrorCode> = new Set(['UNAUTHENTICATED', 'RATE_LIMIT_EXCEEDED']);

/** Codes that a store uses if it is unreachable or cannot store a value. Their cause goes to the log. */
const HAVE_CAUSES: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'INVALID_PARAMS']);

export interface FailureObservers {
  readonly audit?: AuditTrail | undefined;
  readonly metrics?: Metrics | undefined;
}

/** Separates what callers may see of an error from what goes to the log. */
export class Failures {
  readonly #log: Log;
  readonly #now: () => number;
  readonly #observers: FailureObservers;
  #lastWarning = Number.NEGATIVE_INFINITY;
  #leftOut = 0;
  #incident = '';
  #hasWarnedAboutProxy = false;

  constructor(log: Log, now: () => number = Date.now, observers: FailureObservers = {}) {
    this.#log = log;
    this.#now = now;
    this.#observers = observers;
  }

  /**
   * The error as the caller may see it. Failures of the server go to the log, under an error id that the caller can quote. Rejections
   * go to the audit trail. Every error response passes through here, so that no rejection is missed.
   */
  publicError(error: unknown, about?: FailedRequest): A2AError {
    const shown = this.#shown(error, about);
    if (about !== undefined) this.#observe(shown, about);
    return shown;
  }

  #shown(error: unknown, about: FailedRequest | undefined): A2AError {
    // An author's hook, such as `auth`, may call another agent. Errors of that call stay in the log.
    if (!isA2AError(error) || isNested(error)) return this.#internal(error, 'Internal error', {}, about);
    const shown = isLong(error) ? shortened(error) : error;
    // Also errors that a store has thrown as A2AError, because their cause may only go to the log.
    if (error.code === 'INTERNAL_ERROR') return this.#internal(error, shown.message, shown.details, about);
    if (HAVE_CAUSES.has(error.code) && error.cause !== undefined) return withId(shown, this.#warn(error, about));
    return shown;
  }

  #observe(error: A2AError, about: FailedRequest): void {
    const { audit, metrics } = this.#observers;
    const { code, details } = error;
    if (about.binding !== undefined) metrics?.requestFailed(about.binding, code);
    const limit = limitOfError(error);
    if (limit !== undefined) metrics?.limitHit(limit);
    if (COUNTED_BY_ADDRESS.has(code)) this.#warnAboutProxy(about);
    // Rejections by a guard are audited, whatever their code.
    if (AUDITED.has(code) || limit !== undefined || details['guard'] !== undefined)
      audit?.rejected(code, auditFacts(about, error));
  }

  /** Behind an untrusted proxy all callers share one address: one caller who guesses locks out all, or is never counted. */
  #warnAboutProxy({ request }: FailedRequest): void {
    if (this.#hasWarnedAboutProxy || !isProxyIgnored(request)) return;
    this.#hasWarnedAboutProxy = true;
    this.#log.warn(
      'Ignored X-Forwarded-For, so callers behind the proxy share its limits. Set trustProxy if the proxy is yours',
    );
  }

  #internal(error: unknown, message: string, details: A2AError['details'], about: FailedRequest | undefined): A2AError {
    const errorId = newId();
    this.#log.error('Request failed', { errorId, ...(about && requestFields(about)), error });
    return withId(new A2AError('INTERNAL_ERROR', message, { details }), errorId);
  }

  /** Returns the error id in the log. Suppressed warnings share the id of the last logged one. */
  #warn(error: A2AError, about: FailedRequest | undefined): string {
    const now = this.#now();
    // abs, because the clock may have been set back.
    if (Math.abs(now - this.#lastWarning) < QUIET_MS) {
      this.#leftOut++;
      return this.#incident;
    }
    this.#incident = newId();
    this.#log.warn('Request could not be served', {
      errorId: this.#incident,
      ...(about && requestFields(about)),
      error,
      ...(this.#leftOut > 0 && { suppressed: this.#leftOut }),
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

function shortened(error: A2AError): A2AError {
  const details = Object.entries(error.details).map(([name, value]) => [name, cut(value, MAX_DETAIL)] as const);
  return copyError(error, cut(error.message, MAX_MESSAGE), { details: Object.fromEntries(details) });
}

/** The error for the caller: with the error id, and without the cause. */
function withId(error: A2AError, errorId: string): A2AError {
  const { message, details } = error;
  return copyError(error, `${message}. Error id: ${errorId}`, { details: { ...details, errorId }, cause: undefined });
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** Errors can come from an author's code, where even reading a property may throw. */
function isA2AError(error: unknown): error is A2AError {
  try {
    return A2AError.is(error);
  } catch {
    return false;
  }
}

/**
 * Logs requests that deviate from the protocol and are accepted nevertheless. Each kind of deviation is logged once per
 * process, so that the operator learns about it and callers cannot fill the log.
 */
export class Deviations {
  readonly #log: Log;
  /** Bounded: codes are constants of the decoders. */
  readonly #logged = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  log(
    { binding, dialect }: { readonly binding: Binding; readonly dialect: Dialect },
    operation: OperationName,
    warnings: readonly Warning[],
  ): void {
    for (const { code, field, description } of warnings) {
      if (this.#logged.has(code)) continue;
      this.#logged.add(code);
      const { version } = dialect;
      this.#log.warn('Accepted a request that deviates from the protocol', {
        deviation: code,
        field,
        description,
        operation,
        binding,
        version,
      });
    }
  }
}
