import { expect, test } from 'vitest';
import { Leaving, type LeaveSignal } from './leave-signal.ts';

test('those who listen are told once, and those who come later see it', () => {
  const leaving = new Leaving();
  const told: string[] = [];
  const gone = (): void => void told.push('gone');
  leaving.addEventListener('abort', () => told.push('a'));
  leaving.addEventListener('abort', gone);
  leaving.removeEventListener('abort', gone);
  expect(leaving.aborted).toBe(false);
  leaving.leave();
  leaving.leave();
  leaving.addEventListener('abort', () => told.push('late'));
  expect([leaving.aborted, told]).toEqual([true, ['a']]);
});

test('a real signal can stand in its place', () => {
  const controller = new AbortController();
  const signal: LeaveSignal = controller.signal;
  let isTold = false;
  signal.addEventListener('abort', () => (isTold = true), { once: true });
  controller.abort();
  expect([signal.aborted, isTold]).toEqual([true, true]);
});
