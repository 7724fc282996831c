import { expect, test } from 'vitest';
import type { Clock } from '../../support/time/clock.ts';
import { TimerHeap } from '../../support/time/timer-heap.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { WorkClock } from './work-clock.ts';

/** A work clock, and what happens to its process. */
function workClock(): {
  work: WorkClock;
  /** Time passes, and timers are on time. */
  pass(ms: number): void;
  /** The clock is later than expected, and all timers are late: the process was stopped, or the clock was set. */
  jump(ms: number, cpuMs?: number): void;
  pending(): number;
} {
  const inner = fakeClock();
  let offset = 0;
  let cpu = 0;
  const clock: Clock = {
    now: () => inner.now() + offset,
    callAt: (time, run) => inner.callAt(time - offset, run),
  };
  const timers = new TimerHeap(clock);
  return {
    work: new WorkClock({ clock, timers }, () => cpu),
    pass: (ms) => inner.advance(ms),
    jump(ms, cpuMs = 0) {
      offset += ms;
      cpu += cpuMs;
      inner.advance(0);
    },
    pending: () => timers.size,
  };
}

test('working time passes as time does', () => {
  const { work, pass } = workClock();
  work.begin();
  const start = work.now();
  pass(10_400);

  expect(work.now() - start).toBe(10_400);
});

test.each([2000, 3_600_000])('a jump of %i ms counts as one second', (ms) => {
  const { work, pass, jump } = workClock();
  work.begin();
  const start = work.now();
  pass(300);
  jump(ms);
  pass(1500);

  expect(work.now() - start).toBeGreaterThanOrEqual(1500);
  expect(work.now() - start).toBeLessThanOrEqual(300 + 1000 + 1500);
});

test('time in which the process used the CPU counts, though all timers are late', () => {
  const { work, pass, jump } = workClock();
  work.begin();
  const start = work.now();
  pass(1000);
  jump(8000, 7500);

  expect(work.now() - start).toBe(1000 + 7500);
});

test('a clock that is set back does not take working time away', () => {
  const { work, pass, jump } = workClock();
  work.begin();
  pass(5500);
  const before = work.now();
  jump(-3000);

  expect(work.now()).toBeGreaterThanOrEqual(before - 500);
  pass(10_000);
  expect(work.now()).toBeGreaterThan(before);
});

test('without a run there are no ticks', () => {
  const { work, pass, pending } = workClock();
  work.begin();
  work.begin();
  work.end();
  pass(5000);
  expect(pending()).toBe(1);
  work.end();
  pass(1000);
  expect(pending()).toBe(0);
});
