import { A2AError, copyError } from '../../errors.ts';
import { BodyTooLarge } from '../../support/bytes.ts';
import { retryAfterMs } from '../../support/net/retry-after.ts';
import { isObject } from '../../wire/codec.ts';
import { TransportFailure } from '../../support/http-client/http-client.ts';

/** A server responded that is not an agent. It did not process the request. */
export class NoAgent extends Error {
  override readonly name = 'NoAgent';
  readonly url: string;
  readonly status: number;

  constructor(url: string, status: number) {
    super(`${url} responded with ${status}: there is no agent at this URL`);
    this.url = url;
    this.status = status;
  }
}

/** A request was not sent, because the client is closed. */
export class ClientClosed extends DOMException {
  constructor() {
    super('The client is closed. Create a new one with connect()', 'AbortError');
  }
}

/** The error of a call whose client was closed before the call had its result. */
export function closedDuringCall(sent: 'no' | 'maybe', cause: unknown): A2AError {
  const message = 'This client was closed while the call was in flight; is an `await` missing?';
  return new A2AError('TRANSPORT_FAILED', message, { details: { sent }, cause });
}

/** The texts of web servers and frameworks for an unknown path. */
const NO_SUCH_PATH =
  /^(?:not[ _]found\b|no such|(?:there is )?nothing (?:here|there|at)\b|unknown (?:path|route|endpoint)|method not allowed|cannot \w+ \/|route .*not found|404\b|405\b)/i;

/**
 * Whether a 404 or 405 came from a web server that did not process the request. An agent behind a catch-all route may have processed
 * it and mean something else by its 404; the text of the response shows that.
 */
export function isNoSuchPath(json: unknown): boolean {
  if (!isObject(json)) return true;
  const texts = Object.values(json).filter((value) => typeof value === 'string');
  return texts.length === 0 || texts.some((text) => NO_SUCH_PATH.test(text));
}

/**
 * Handles a 404 or 405 without an error of the protocol.
 *
 * @throws NoAgent if the request was not processed; A2AError if it may have been.
 */
export function throwIfNoAgent(url: string, status: number, json: unknown): void {
  if (status !== 404 && status !== 405) return;
  if (isNoSuchPath(json)) throw new NoAgent(url, status);
  throw new A2AError('INVALID_AGENT_RESPONSE', `The agent responded with ${status} and without an A2A error`, {
    details: { sent: 'maybe' },
  });
}

/** Converts an internal error to the `A2AError` that users get. Other errors are returned unchanged. */
export function toPublicError(error: unknown, url: string): unknown {
  if (error instanceof NoAgent) {
    return new A2AError('DISCOVERY_FAILED', error.message, { details: { url: error.url }, cause: error });
  }
  if (error instanceof BodyTooLarge) {
    const hint = error.option === undefined ? '' : ` (${error.option})`;
    return new A2AError('INVALID_AGENT_RESPONSE', `The response is larger than ${error.maxBytes} bytes${hint}`);
  }
  if (!(error instanceof TransportFailure)) return error;
  const { origin } = new URL(url);
  const message = error.sent === 'no' ? `${origin} cannot be reached` : `The connection to ${origin} was lost`;
  return new A2AError('TRANSPORT_FAILED', `${message}: ${error.message}`, {
    details: { sent: error.sent },
    cause: error,
  });
}

/** The same error with more details. Existing details win. */
export function withDetails(error: A2AError, more: Readonly<Record<string, string>>): A2AError;
export function withDetails(error: unknown, more: Readonly<Record<string, string>>): unknown;
export function withDetails(error: unknown, more: Readonly<Record<string, string>>): unknown {
  return A2AError.is(error) ? copyError(error, error.message, { details: { ...more, ...error.details } }) : error;
}

/** The same error with the time of the `Retry-After` header. */
export function withRetryAfter(error: A2AError, header: string | undefined, now: number): A2AError {
  const ms = retryAfterMs(header, now);
  return ms === undefined || error.retryAfterMs !== undefined
    ? error
    : copyError(error, error.message, { retryAfterMs: ms });
}
