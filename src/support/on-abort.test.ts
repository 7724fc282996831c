import { expect, test } from 'vitest';
import { onAbort } from './on-abort.ts';

test('every listener is called once, except those that were removed', () => {
  const abort = new AbortController();
  const called: number[] = [];
  const leave = [1, 2, 3].map((number) => onAbort(abort.signal, () => called.push(number)));
  leave[1]?.();

  abort.abort();
  abort.abort();

  expect(called).toEqual([1, 3]);
});

test('a listener that is added after the abort is called immediately', () => {
  let isCalled = false;
  onAbort(AbortSignal.abort(), () => (isCalled = true))();
  expect(isCalled).toBe(true);
});

test('a function that is added twice is called twice', () => {
  const abort = new AbortController();
  let calls = 0;
  const count = (): void => void (calls += 1);
  onAbort(abort.signal, count);
  onAbort(abort.signal, count);
  abort.abort();
  expect(calls).toBe(2);
});
