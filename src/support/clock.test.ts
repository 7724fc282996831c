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

test('the time is that of the system', () => {
  expect(systemClock.now()).toBe(START);
  vi.setSystemTime(START + 5);
  expect(systemClock.now()).toBe(START + 5);
});

test('a call comes once, when its time has come', () => {
  const run = vi.fn<() => void>();
  systemClock.callAt(START + 1000, run);

  vi.advanceTimersByTime(999);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(run).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(DAY);
  expect(run).toHaveBeenCalledOnce();
});

test('a call for a time that has passed comes soon, but never before callAt returns', () => {
  const run = vi.fn<() => void>();
  systemClock.callAt(START - DAY, run);

  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(run).toHaveBeenCalledOnce();
});

test('a call that is taken back never comes', () => {
  const run = vi.fn<() => void>();
  const takeBack = systemClock.callAt(START + 1000, run);
  takeBack();

  vi.advanceTimersByTime(DAY);
  expect(run).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test('a call further away than a timer can wait comes at its time, not at once', () => {
  const run = vi.fn<() => void>();
  systemClock.callAt(START + 60 * DAY, run);

  vi.advanceTimersByTime(60 * DAY - 1);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(run).toHaveBeenCalledOnce();
});

test('a call far away can be taken back when part of the wait is over', () => {
  const run = vi.fn<() => void>();
  const takeBack = systemClock.callAt(START + 60 * DAY, run);
  vi.advanceTimersByTime(40 * DAY);
  takeBack();

  vi.advanceTimersByTime(60 * DAY);
  expect(run).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});
