import { A2AError, copyError } from '../../errors.ts';
import type { Deadline } from './deadline.ts';
import { toPublicError, withDetails, withRetryAfter } from './failures.ts';
import { GATEWAY_STATUSES } from '../../wire/error-codec.ts';
import { TransportFailure, type OutboundResponse } from '../../support/http-client/http-client.ts';

/** The HTTP status and challenge of a response with an error. */
interface ResponseFacts {
  readonly status: number;
  readonly challenge: string | undefined;
}

const facts = new WeakMap<object, ResponseFacts>();

/**
 * Removes the details that only this client may set from an error that the agent sent. A caller passes `details.handle` to
 * `connect()` together with credentials, so an agent must not be able to choose it.
 */
export function peerError(error: A2AError): A2AError {
  const { handle, sent, ...details } = error.details;
  if (handle === undefined && sent === undefined) return error;
  return copyError(error, error.message, { details });
}

/** Completes the error of an agent with the status and the headers of the response. */
export function responseError(
  error: unknown,
  response: Pick<OutboundResponse, 'status' | 'header'>,
  now: number,
): unknown {
  if (!A2AError.is(error)) return error;
  const classified = response.status === 401 ? unauthenticated(error) : error;
  const located = GATEWAY_STATUSES.includes(response.status) ? maybeSent(classified) : classified;
  const complete = withRetryAfter(located, response.header('retry-after'), now);
  facts.set(complete, { status: response.status, challenge: response.header('www-authenticate') });
  return complete;
}

/** A 401 is `UNAUTHENTICATED` whatever the body contains: some agents send the code of an unknown task. */
function unauthenticated(error: A2AError): A2AError {
  return error.code === 'UNAUTHENTICATED' ? error : copyError(error, error.message, { code: 'UNAUTHENTICATED' });
}

/** A gateway may have forwarded the request, so it may have been processed, as after a lost connection. */
function maybeSent(error: A2AError): A2AError {
  return error.code === 'UNAVAILABLE' ? withDetails(error, { sent: 'maybe' }) : error;
}

/** The `WWW-Authenticate` header of the response. */
export function challengeOf(error: object): string | undefined {
  return facts.get(error)?.challenge;
}

/** Notes why an attempt failed, if the attempt may be repeated: the agent was busy, or could not be reached. */
export function noteFailure(deadline: Deadline, error: unknown, url: string): void {
  if (error instanceof TransportFailure) {
    const shown = toPublicError(error, url);
    if (shown instanceof Error) deadline.noteFailure(shown.message, shown);
  } else if (A2AError.is(error, 'UNAVAILABLE') || A2AError.is(error, 'RATE_LIMIT_EXCEEDED')) {
    const status = facts.get(error)?.status;
    const response = status === undefined ? error.code : String(status);
    deadline.noteFailure(`the agent responded with ${response}: ${error.message}`, error);
  }
}

const inStreams = new WeakSet();

/** Marks an error that arrived in a stream. An agent that opened the stream has read the request and may have acted on it. */
export function streamError(error: unknown): unknown {
  if (A2AError.is(error)) inStreams.add(error);
  return error;
}

/** Whether the agent reported this error in a stream. */
export function isReceivedInStream(error: object): boolean {
  return inStreams.has(error);
}

const unsent = new WeakSet();

/** Marks an error that occurred before anything was sent. */
export function unsentError(error: unknown): unknown {
  if (error instanceof Error) unsent.add(error);
  return error;
}

/** Statuses of requests that were rejected before processing. */
const NOT_PROCESSED: readonly unknown[] = [401, 429, 503];

/** Whether the request was rejected, or not sent at all, before the agent processed it. */
export function isRejectedUnread(error: object): boolean {
  return unsent.has(error) || NOT_PROCESSED.includes(facts.get(error)?.status);
}
