import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Clock } from './clock.ts';
import { TimerHeap } from './timer-heap.ts';

/** The heap may use only one timer at a time. */
function manualClock(): Clock & { advanceTo(time: number): void; readonly armed: number } {
  const timers = new Map<object, { readonly time: number; readonly run: () => void }>();
  let now = 0;
  return {
    now: () => now,
    callAt(time, run) {
      const key = {};
      timers.set(key, { time, run });
      return () => timers.delete(key);
    },
    get armed() {
      return timers.size;
    },
    advanceTo(time) {
      for (;;) {
        const due = [...timers].filter(([, timer]) => timer.time <= time).sort(([, a], [, b]) => a.time - b.time)[0];
        if (due === undefined) break;
        timers.delete(due[0]);
        now = Math.max(now, due[1].time);
        due[1].run();
      }
      now = time;
    },
  };
}

test('timers run in the order of their times, then in the order they were added', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ time: fc.nat(50), cancel: fc.boolean() }), { maxLength: 60 }), (timers) => {
      const clock = manualClock();
      const heap = new TimerHeap(clock);
      const ran: number[] = [];
      const cancels = timers.map(({ time }, i) => heap.add(time, () => ran.push(i)));
      for (const [i, { cancel }] of timers.entries()) if (cancel) cancels[i]?.();
      expect(heap.size).toBe(timers.filter(({ cancel }) => !cancel).length);
      expect(clock.armed).toBeLessThanOrEqual(1);
      clock.advanceTo(50);
      const expected = [...timers.entries()].filter(([, { cancel }]) => !cancel);
      expected.sort(([i, a], [j, b]) => a.time - b.time || i - j);
      expect(ran).toEqual(expected.map(([i]) => i));
      expect([heap.size, clock.armed]).toEqual([0, 0]);
    }),
  );
});

test('a timer does not run before its time', () => {
  const clock = manualClock();
  const heap = new TimerHeap(clock);
  let ran = 0;
  heap.add(10, () => ran++);
  clock.advanceTo(9);
  expect(ran).toBe(0);
  clock.advanceTo(10);
  expect(ran).toBe(1);
});

test('a timer can add timers, also in the past', () => {
  const clock = manualClock();
  const heap = new TimerHeap(clock);
  const ran: string[] = [];
  heap.add(5, () => {
    ran.push('first');
    heap.add(1, () => ran.push('late'));
    heap.add(7, () => ran.push('later'));
  });
  clock.advanceTo(6);
  expect(ran).toEqual(['first', 'late']);
  clock.advanceTo(7);
  expect(ran).toEqual(['first', 'late', 'later']);
});

test('NaN is rejected as a time, and other timers still run', () => {
  const clock = manualClock();
  const heap = new TimerHeap(clock);
  let ran = 0;
  heap.add(1, () => ran++);
  expect(() => heap.add(Number.NaN, () => ran++)).toThrow(TypeError);
  heap.add(2, () => ran++);
  expect(heap.size).toBe(2);
  clock.advanceTo(2);
  expect(ran).toBe(2);
});

test('the other timers run after one that throws', () => {
  const clock = manualClock();
  const heap = new TimerHeap(clock);
  let ran = 0;
  heap.add(1, () => {
    throw new Error('boom');
  });
  heap.add(1, () => ran++);
  expect(() => clock.advanceTo(1)).toThrow('boom');
  clock.advanceTo(1);
  expect(ran).toBe(1);
});

test('canceling a timer twice, or after it ran, does nothing', () => {
  const clock = manualClock();
  const heap = new TimerHeap(clock);
  const cancel = heap.add(1, () => {});
  const other = heap.add(2, () => {});
  clock.advanceTo(1);
  cancel();
  cancel();
  expect(heap.size).toBe(1);
  other();
  other();
  expect([heap.size, clock.armed]).toEqual([0, 0]);
});

test('clear() cancels all timers', () => {
  const clock = manualClock();
  const heap = new TimerHeap(clock);
  heap.add(1, () => expect.unreachable());
  heap.clear();
  expect([heap.size, clock.armed]).toEqual([0, 0]);
  clock.advanceTo(2);
});
