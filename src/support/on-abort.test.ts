import { expect, test } from 'vitest';
import { onAbort } from './on-abort.ts';

test('all who wait are called, once, and who has left is not', () => {
  const abort = new AbortController();
  const called: number[] = [];
  const leave = [1, 2, 3].map((number) => onAbort(abort.signal, () => called.push(number)));
  leave[1]?.();

  abort.abort();
  abort.abort();

  expect(called).toEqual([1, 3]);
});

test('who comes too late is called at once', () => {
  let isCalled = false;
  onAbort(AbortSignal.abort(), () => (isCalled = true))();
  expect(isCalled).toBe(true);
});

test('the same function twice is called twice', () => {
  const abort = new AbortController();
  let calls = 0;
  const count = (): void => void (calls += 1);
  onAbort(abort.signal, count);
  onAbort(abort.signal, count);
  abort.abort();
  expect(calls).toBe(2);
});
