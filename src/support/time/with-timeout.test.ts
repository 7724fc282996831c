import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deferred } from '../deferred.ts';
import { withTimeout } from './with-timeout.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = (): Promise<string> => new Promise(() => {});

test('withTimeout() returns the result or the error of a promise that settles in time', async () => {
  expect(await withTimeout(Promise.resolve('here'), 10, () => 'late')).toBe('here');
  await expect(withTimeout(Promise.reject(new Error('broken')), 10, () => 'late')).rejects.toThrow('broken');
  expect(vi.getTimerCount()).toBe(0);
});

test('withTimeout() returns the result of onLate after the timeout', async () => {
  const result = withTimeout(never(), 10, () => 'late');
  await vi.advanceTimersByTimeAsync(10);
  expect(await result).toBe('late');
});

test('withTimeout() rejects if onLate throws', async () => {
  const result = withTimeout(never(), 10, () => {
    throw new Error('too slow');
  });
  await Promise.all([expect(result).rejects.toThrow('too slow'), vi.advanceTimersByTimeAsync(10)]);
});

test('withTimeout() ignores an error after the timeout', async () => {
  const { promise, reject } = deferred<string>();
  const result = withTimeout(promise, 10, () => 'late');
  await vi.advanceTimersByTimeAsync(10);
  reject(new Error('broken'));
  expect(await result).toBe('late');
});
