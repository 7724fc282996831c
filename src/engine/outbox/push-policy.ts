import type { PushProgress } from '../../store/store.ts';
import { count, defaultsOf, type OptionTable } from '../../support/options.ts';
import type { DeliveryResult } from './delivery.ts';

/** Retries and limits of push notifications. */
export interface PushPolicy {
  /** How long an event is retried, in milliseconds since its first failed attempt; 24 hours by default. */
  readonly maxAgeMs: number;
  /** The maximum number of attempts per event; unlimited by default. */
  readonly maxAttempts: number;
  /** How many consecutive undeliverable events disable a push configuration; 20 by default. */
  readonly disableAfter: number;
  /** The maximum number of concurrent deliveries; 32 by default. */
  readonly concurrency: number;
  /** The maximum number of concurrent deliveries to one host; 8 by default. */
  readonly perReceiver: number;
  /** How many dead letters of all tasks are kept, the latest; 10,000 by default. */
  readonly maxDeadLetters: number;
  /** The maximum number of concurrent deliveries for tasks of one owner; 16 by default. */
  readonly perOwner: number;
  /** @internal Returns a number from 0 to 1 for the jitter. */
  readonly random: () => number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The options of the policy. */
export const PUSH_POLICY = {
  maxAgeMs: count({ least: 0, byDefault: 24 * HOUR }),
  maxAttempts: count({ byDefault: Number.POSITIVE_INFINITY }),
  disableAfter: count({ byDefault: 20 }),
  concurrency: count({ byDefault: 32 }),
  perReceiver: count({ byDefault: 8 }),
  perOwner: count({ byDefault: 16 }),
  maxDeadLetters: count({ least: 0, byDefault: 10_000 }),
} as const satisfies OptionTable<Omit<PushPolicy, 'random'>>;

/** The policy if no option is set. */
export const DEFAULT_PUSH_POLICY: PushPolicy = Object.freeze({ ...defaultsOf(PUSH_POLICY), random: Math.random });

/** The pause after each failed attempt. The last one repeats. */
const PAUSES_MS: readonly number[] = [2 * SECOND, 10 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR];
/** Spreads retries, so that receivers that failed at the same moment are not called again at the same moment. */
const JITTER = 0.2;
/** The pause between events that are tried only once each, because the receiver has failed for longer than `maxAgeMs`. */
const PAUSE_AWAY_MS = 30 * MINUTE;

/** The consequence of a failed attempt. */
export interface RetryableFailure {
  readonly progress: PushProgress;
  /** When to continue, with this event or with the next one. */
  readonly dueAt: number;
  /** Whether the event becomes a dead letter. */
  readonly isGivenUp: boolean;
  /** Why the push configuration is disabled, if it is. */
  readonly disabled?: string;
}

/**
 * Decides about the next attempt. An event is retried for `maxAgeMs`. If the receiver has failed for longer, each later
 * event is tried once, so that every event is tried but not each for a day of its own.
 */
export function retryableFailure(
  policy: PushPolicy,
  before: PushProgress,
  number: number,
  result: Extract<DeliveryResult, { kind: 'failed' }>,
  now: number,
): RetryableFailure {
  const { failingSince = now } = before;
  const attempts = before.attempts + 1;
  const lastTry = failingSince + policy.maxAgeMs;
  if (result.gone !== true && now < lastTry && attempts < policy.maxAttempts) {
    const pause = Math.max(jittered(policy, pauseAfter(attempts)), result.retryAfterMs ?? 0);
    const progress = { told: before.told, attempts, failingSince, givenUp: before.givenUp };
    return { progress, dueAt: Math.min(now + pause, lastTry), isGivenUp: false };
  }
  const givenUp = before.givenUp + 1;
  const progress = { told: number, attempts: 0, failingSince, givenUp };
  // The first event may have failed because of its content, so the next one is tried at once.
  const dueAt = givenUp === 1 ? now : now + jittered(policy, PAUSE_AWAY_MS);
  const disabled = reasonToStop(policy, givenUp, result);
  return { progress, dueAt, isGivenUp: true, ...(disabled !== undefined && { disabled }) };
}

function reasonToStop(
  { disableAfter }: PushPolicy,
  givenUp: number,
  { gone, reason }: Extract<DeliveryResult, { kind: 'failed' }>,
): string | undefined {
  if (gone === true) return `The receiver declined further notifications: ${reason}`;
  return givenUp >= disableAfter ? `${givenUp} events in a row could not be delivered: ${reason}` : undefined;
}

function pauseAfter(attempts: number): number {
  return PAUSES_MS[attempts - 1] ?? PAUSES_MS.at(-1) ?? 0;
}

function jittered({ random }: PushPolicy, ms: number): number {
  return Math.round(ms * (1 - JITTER + 2 * JITTER * random()));
}
