import { A2AError, type ErrorCode } from '../errors.ts';
import { defined } from '../support/defined.ts';
import { retryAfterMs } from '../support/retry-after.ts';
import { isObject } from '../wire/codec.ts';
import { TransportFailure } from './transport/transport.ts';

/** Somebody answered, but no agent: the request was not even looked at. */
export class NotHere extends Error {
  override readonly name = 'NotHere';
  readonly url: string;
  readonly status: number;

  constructor(url: string, status: number) {
    super(`${url} answered ${status}: there is no agent at that address`);
    this.url = url;
    this.status = status;
  }
}

/** How web servers and frameworks say that nothing is at a path. */
const NO_SUCH_PATH =
  /^(?:not[ _]found\b|no such|(?:there is )?nothing (?:here|there|at)\b|unknown (?:path|route|endpoint)|method not allowed|cannot \w+ \/|route .*not found|404\b|405\b)/i;

/**
 * Whether nobody can have looked at a request that was answered with 404 or 405. An agent behind a route for everything may
 * have done what was asked, and mean something else by its 404: its words say so.
 */
export function isNoSuchPath(json: unknown): boolean {
  if (!isObject(json)) return true;
  const words = Object.values(json).filter((value) => typeof value === 'string');
  return words.length === 0 || words.some((text) => NO_SUCH_PATH.test(text));
}

/**
 * For a 404 or 405 that is not in the words of the protocol.
 *
 * @throws NotHere if nobody has looked at the request; A2AError if somebody may have.
 */
export function throwIfNotHere(url: string, status: number, json: unknown): void {
  if (status !== 404 && status !== 405) return;
  if (isNoSuchPath(json)) throw new NotHere(url, status);
  throw new A2AError(
    'INVALID_AGENT_RESPONSE',
    `The agent answered ${status}, and not why in the words of the protocol`,
    {
      details: { sent: 'maybe' },
    },
  );
}

/** What users see of an error that only we know the meaning of. */
export function toPublicError(error: unknown, url: string): unknown {
  if (error instanceof NotHere) {
    return new A2AError('DISCOVERY_FAILED', error.message, { details: { url: error.url }, cause: error });
  }
  if (!(error instanceof TransportFailure)) return error;
  const { origin } = new URL(url);
  const message = error.sent === 'no' ? `${origin} cannot be reached` : `The connection to ${origin} was lost`;
  return new A2AError('TRANSPORT_FAILED', `${message}: ${error.message}`, {
    details: { sent: error.sent },
    cause: error,
  });
}

/** The same error with more facts. */
export function withDetails(error: A2AError, more: Readonly<Record<string, string>>): A2AError;
export function withDetails(error: unknown, more: Readonly<Record<string, string>>): unknown;
export function withDetails(error: unknown, more: Readonly<Record<string, string>>): unknown {
  return A2AError.is(error) ? copyOf(error, { details: { ...more, ...error.details } }) : error;
}

/** The same error, knowing what the `Retry-After` header says. */
export function withRetryAfter(error: A2AError, header: string | undefined, now: number): A2AError {
  const ms = retryAfterMs(header, now);
  return ms === undefined || error.retryAfterMs !== undefined ? error : copyOf(error, { retryAfterMs: ms });
}

function copyOf<C extends ErrorCode>(
  error: A2AError<C>,
  changes: { readonly details?: Readonly<Record<string, string>>; readonly retryAfterMs?: number },
): A2AError<C> {
  const { code, message, details, violations, retryAfterMs, cause } = error;
  return new A2AError(code, message, defined({ details, violations, retryAfterMs, cause, ...changes }));
}
