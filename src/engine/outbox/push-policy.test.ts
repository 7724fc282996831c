import { expect, test } from 'vitest';
import { DEFAULT_PUSH_POLICY, retryableFailure } from './push-policy.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const FAILED = { kind: 'failed', reason: 'no' } as const;
const NEW = { told: 4, attempts: 0, givenUp: 0 };

test.each([
  [0, 2000],
  [1, 10_000],
  [2, MINUTE],
  [3, 5 * MINUTE],
  [4, 30 * MINUTE],
  [5, 120 * MINUTE],
  [6, 300 * MINUTE],
  [60, 300 * MINUTE],
])('after %i attempts in vain the pause is %i ms, a fifth more or less', (attempts, pause) => {
  const policy = (random: number): typeof DEFAULT_PUSH_POLICY => ({ ...DEFAULT_PUSH_POLICY, random: () => random });
  const dueAt = (random: number): number =>
    retryableFailure(policy(random), { ...NEW, attempts, failingSince: 0 }, 5, FAILED, 1000).dueAt - 1000;

  expect([dueAt(0), dueAt(0.5), dueAt(1)]).toEqual([pause * 0.8, pause, pause * 1.2]);
});

test.each([
  ['shorter than the pause', 1, 2000],
  ['longer than the pause', 7000, 7000],
  ['longer than the event is tried', 9 * DAY, DAY],
])('a wish that is %s counts if it must', (_, retryAfterMs, pause) => {
  const policy = { ...DEFAULT_PUSH_POLICY, random: () => 0.5 };
  expect(retryableFailure(policy, NEW, 5, { ...FAILED, retryAfterMs }, 1000)).toEqual({
    progress: { told: 4, attempts: 1, failingSince: 1000, givenUp: 0 },
    dueAt: 1000 + pause,
    isGivenUp: false,
  });
});

test('the last attempt is at the end of the day, and no later', () => {
  const policy = { ...DEFAULT_PUSH_POLICY, random: () => 0.5 };
  const before = { ...NEW, attempts: 9, failingSince: 0 };
  expect(retryableFailure(policy, before, 5, FAILED, DAY - 1)).toMatchObject({ dueAt: DAY, isGivenUp: false });
  expect(retryableFailure(policy, before, 5, FAILED, DAY)).toEqual({
    progress: { told: 5, attempts: 0, failingSince: 0, givenUp: 1 },
    dueAt: DAY,
    isGivenUp: true,
  });
});

test('a receiver that was down for a day gets one attempt per event, half an hour apart', () => {
  const policy = { ...DEFAULT_PUSH_POLICY, random: () => 0.5 };
  const before = { told: 5, attempts: 0, failingSince: 0, givenUp: 1 };
  expect(retryableFailure(policy, before, 6, FAILED, DAY + 1)).toEqual({
    progress: { told: 6, attempts: 0, failingSince: 0, givenUp: 2 },
    dueAt: DAY + 1 + 30 * MINUTE,
    isGivenUp: true,
  });
});
