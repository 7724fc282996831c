import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deferred } from './deferred.ts';
import { inTime } from './in-time.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = (): Promise<string> => new Promise(() => {});

test('an answer that comes in time is given, and so is what went wrong', async () => {
  expect(await inTime(Promise.resolve('here'), 10, () => 'late')).toBe('here');
  await expect(inTime(Promise.reject(new Error('broken')), 10, () => 'late')).rejects.toThrow('broken');
  expect(vi.getTimerCount()).toBe(0);
});

test('one that does not is not waited for', async () => {
  const answer = inTime(never(), 10, () => 'late');
  await vi.advanceTimersByTimeAsync(10);
  expect(await answer).toBe('late');
});

test('being late may be an error', async () => {
  const answer = inTime(never(), 10, () => {
    throw new Error('too slow');
  });
  await Promise.all([expect(answer).rejects.toThrow('too slow'), vi.advanceTimersByTimeAsync(10)]);
});

test('nobody hears what comes of it later', async () => {
  const { promise, reject } = deferred<string>();
  const answer = inTime(promise, 10, () => 'late');
  await vi.advanceTimersByTimeAsync(10);
  reject(new Error('broken'));
  expect(await answer).toBe('late');
});
