import type { PushProgress } from '../store/store.ts';
import type { DeliveryResult } from './delivery.ts';

/** How hard receivers are tried to be told, and how many at a time. */
export interface PushPolicy {
  /** How long an event is tried again, counted from the first attempt in vain. */
  readonly maxAgeMs: number;
  /** Attempts for one event. */
  readonly maxAttempts: number;
  /** Events in a row that are given up before nothing more is sent there. */
  readonly disableAfter: number;
  /** Deliveries under way at the same time. */
  readonly concurrency: number;
  /** As many of them may be to one host. */
  readonly perReceiver: number;
  /** Events that were given up and stay to be sent again, the latest of all tasks. */
  readonly maxDeadLetters: number;
  /** As many of the deliveries under way may be for tasks of one owner. */
  readonly perOwner: number;
  /** @internal From 0 to 1, for the jitter. */
  readonly random: () => number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const DEFAULT_PUSH_POLICY: PushPolicy = Object.freeze({
  maxAgeMs: 24 * HOUR,
  maxAttempts: Number.POSITIVE_INFINITY,
  disableAfter: 20,
  concurrency: 32,
  perReceiver: 8,
  maxDeadLetters: 10_000,
  perOwner: 16,
  random: Math.random,
});

/** After each attempt in vain; the last one again and again. */
const PAUSES_MS: readonly number[] = [2 * SECOND, 10 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR];
/** Whoever went away at one moment must not be asked again at one moment. */
const JITTER = 0.2;
/** Between events that are tried once each, because the receiver has been away for so long. */
const PAUSE_AWAY_MS = 30 * MINUTE;

/** What follows from an attempt in vain. */
export interface Setback {
  readonly progress: PushProgress;
  /** When to go on, with this event or with the next one. */
  readonly dueAt: number;
  /** The event is not tried again. */
  readonly isGivenUp: boolean;
  /** Nothing more is sent, for this reason. */
  readonly disabled?: string;
}

/**
 * An event is tried again for a day. A receiver that has been away for longer is tried once with each event that follows,
 * so that every event is tried, but not each for a day of its own.
 */
export function setback(
  policy: PushPolicy,
  before: PushProgress,
  number: number,
  result: Extract<DeliveryResult, { kind: 'failed' }>,
  now: number,
): Setback {
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
  // The first may have failed for a reason of its own: the next one shows.
  const dueAt = givenUp === 1 ? now : now + jittered(policy, PAUSE_AWAY_MS);
  const disabled = reasonToStop(policy, givenUp, result);
  return { progress, dueAt, isGivenUp: true, ...(disabled !== undefined && { disabled }) };
}

function reasonToStop(
  { disableAfter }: PushPolicy,
  givenUp: number,
  { gone, reason }: Extract<DeliveryResult, { kind: 'failed' }>,
): string | undefined {
  if (gone === true) return `The receiver wants no more: ${reason}`;
  return givenUp >= disableAfter ? `${givenUp} events in a row could not be delivered: ${reason}` : undefined;
}

function pauseAfter(attempts: number): number {
  return PAUSES_MS[attempts - 1] ?? PAUSES_MS.at(-1) ?? 0;
}

function jittered({ random }: PushPolicy, ms: number): number {
  return Math.round(ms * (1 - JITTER + 2 * JITTER * random()));
}
