import { A2AError } from '../errors.ts';
import { defined } from '../support/defined.ts';
import { withRetryAfter } from './failures.ts';
import type { TransportResponse } from './transport/transport.ts';

/** The challenges of answers that refused a credential, for the strategies that want to know them. */
const challenges = new WeakMap<object, string>();

/** An error that an agent answered with, and what the headers of the answer say about it. */
export function answerError(
  error: unknown,
  response: Pick<TransportResponse, 'status' | 'header'>,
  now: number,
): unknown {
  if (!A2AError.is(error)) return error;
  const named = response.status === 401 ? unauthenticated(error) : error;
  const whole = withRetryAfter(named, response.header('retry-after'), now);
  const challenge = response.header('www-authenticate');
  if (challenge !== undefined) challenges.set(whole, challenge);
  return whole;
}

/** Whatever the body says: some have the number of an unknown task for it. */
function unauthenticated(error: A2AError): A2AError {
  if (error.code === 'UNAUTHENTICATED') return error;
  const { message, details, violations, retryAfterMs, cause } = error;
  return new A2AError('UNAUTHENTICATED', message, defined({ details, violations, retryAfterMs, cause }));
}

export function challengeOf(error: object): string | undefined {
  return challenges.get(error);
}
