import { A2AError } from '../errors.ts';
import { defined } from '../support/defined.ts';
import { withDetails, withRetryAfter } from './failures.ts';
import { GATEWAY_STATUSES } from '../wire/error-codec.ts';
import type { TransportResponse } from './transport/transport.ts';

/** What an answer said beside its error. */
interface AnswerFacts {
  readonly status: number;
  readonly challenge: string | undefined;
}

const facts = new WeakMap<object, AnswerFacts>();

/**
 * Removes the details that only this client may set from an error that the agent sent. A caller passes `details.handle` to
 * `connect()` together with credentials, so an agent must not be able to choose it.
 */
export function peerError(error: A2AError): A2AError {
  const { handle, sent, ...details } = error.details;
  if (handle === undefined && sent === undefined) return error;
  const { code, message, violations, retryAfterMs, cause } = error;
  return new A2AError(code, message, defined({ details, violations, retryAfterMs, cause }));
}

/** An error that an agent answered with, and what the status and the headers of the answer say about it. */
export function answerError(
  error: unknown,
  response: Pick<TransportResponse, 'status' | 'header'>,
  now: number,
): unknown {
  if (!A2AError.is(error)) return error;
  const named = response.status === 401 ? unauthenticated(error) : error;
  const placed = GATEWAY_STATUSES.includes(response.status) ? maybeSent(named) : named;
  const whole = withRetryAfter(placed, response.header('retry-after'), now);
  facts.set(whole, { status: response.status, challenge: response.header('www-authenticate') });
  return whole;
}

/** Whatever the body says: some have the number of an unknown task for it. */
function unauthenticated(error: A2AError): A2AError {
  if (error.code === 'UNAUTHENTICATED') return error;
  const { message, details, violations, retryAfterMs, cause } = error;
  return new A2AError('UNAUTHENTICATED', message, defined({ details, violations, retryAfterMs, cause }));
}

/** A gateway may have handed the request on: nobody knows more than after a connection that was lost. */
function maybeSent(error: A2AError): A2AError {
  return error.code === 'UNAVAILABLE' ? withDetails(error, { sent: 'maybe' }) : error;
}

/** The `WWW-Authenticate` header of the answer. */
export function challengeOf(error: object): string | undefined {
  return facts.get(error)?.challenge;
}

const inStreams = new WeakSet();

/** An error as an item of a stream. Who opens a stream has read what it is for: nothing is beyond doubt after that. */
export function streamError(error: unknown): unknown {
  if (A2AError.is(error)) inStreams.add(error);
  return error;
}

/** Whether the agent opened a stream before it said this. */
export function isSaidInStream(error: object): boolean {
  return inStreams.has(error);
}

const unsent = new WeakSet();

/** What went wrong before anything was sent: the agent does not even know of it. */
export function unsentError(error: unknown): unknown {
  if (error instanceof Error) unsent.add(error);
  return error;
}

/** What HTTP itself refuses; an agent that has begun to work answers otherwise. */
const REFUSALS: readonly unknown[] = [401, 429, 503];

/** Whether the request was refused, or given up, before the agent looked at what it asks for. */
export function isRefusedUnread(error: object): boolean {
  return unsent.has(error) || REFUSALS.includes(facts.get(error)?.status);
}
