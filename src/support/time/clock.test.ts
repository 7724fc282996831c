import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { systemClock } from './clock.ts';

const START = Date.parse('2026-03-12T10:00:00.000Z');
const DAY = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});

afterEach(() => {
  vi.useRealTimers();
});

test('now() is the time of the system', () => {
  expect(systemClock.now()).toBe(START);
  vi.setSystemTime(START + 5);
  expect(systemClock.now()).toBe(START + 5);
});

test('callAt() calls once, at the given time', () => {
  const run = vi.fn<() => void>();
  systemClock.callAt(START + 1000, run);

  vi.advanceTimersByTime(999);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(run).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(DAY);
  expect(run).toHaveBeenCalledOnce();
});

test('callAt() with a past time calls soon, but not before it returns', () => {
  const run = vi.fn<() => void>();
  systemClock.callAt(START - DAY, run);

  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(run).toHaveBeenCalledOnce();
});

test('a canceled call does not run', () => {
  const run = vi.fn<() => void>();
  const takeBack = systemClock.callAt(START + 1000, run);
  takeBack();

  vi.advanceTimersByTime(DAY);
  expect(run).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test('a call further away than the longest timer runs at its time, not immediately', () => {
  const run = vi.fn<() => void>();
  systemClock.callAt(START + 60 * DAY, run);

  vi.advanceTimersByTime(60 * DAY - 1);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(run).toHaveBeenCalledOnce();
});

test('a call further away than the longest timer can be canceled halfway', () => {
  const run = vi.fn<() => void>();
  const takeBack = systemClock.callAt(START + 60 * DAY, run);
  vi.advanceTimersByTime(40 * DAY);
  takeBack();

  vi.advanceTimersByTime(60 * DAY);
  expect(run).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});
