import { A2AError } from '../errors.ts';
import { withRetryAfter } from './failures.ts';
import type { TransportResponse } from './transport/transport.ts';

/** The challenges of answers that refused a credential, for the strategies that want to know them. */
const challenges = new WeakMap<object, string>();

/** An error that an agent answered with, and what the headers of the answer say about it. */
export function answerError(error: unknown, response: Pick<TransportResponse, 'header'>, now: number): unknown {
  if (!A2AError.is(error)) return error;
  const whole = withRetryAfter(error, response.header('retry-after'), now);
  const challenge = response.header('www-authenticate');
  if (challenge !== undefined) challenges.set(whole, challenge);
  return whole;
}

export function challengeOf(error: object): string | undefined {
  return challenges.get(error);
}
