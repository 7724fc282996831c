import { expect, test } from 'vitest';
import { Leaving, type LeaveSignal } from './leave-signal.ts';

test('listeners are called once, and later ones see aborted', () => {
  const leaving = new Leaving();
  const called: string[] = [];
  const gone = (): void => void called.push('gone');
  leaving.addEventListener('abort', () => called.push('a'));
  leaving.addEventListener('abort', gone);
  leaving.removeEventListener('abort', gone);
  expect(leaving.aborted).toBe(false);
  leaving.leave();
  leaving.leave();
  leaving.addEventListener('abort', () => called.push('late'));
  expect([leaving.aborted, called]).toEqual([true, ['a']]);
});

test('an AbortSignal is a LeaveSignal', () => {
  const controller = new AbortController();
  const signal: LeaveSignal = controller.signal;
  let isCalled = false;
  signal.addEventListener('abort', () => (isCalled = true), { once: true });
  controller.abort();
  expect([signal.aborted, isCalled]).toEqual([true, true]);
});
