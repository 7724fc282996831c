import type { Clock } from '../support/time/clock.ts';

/** A clock that stands still until `advance()`, `advanceTo()` or `jump()` is called. */
export interface FakeClock extends Clock {
  /** How many scheduled calls are not due yet. */
  readonly pending: number;
  /** Moves the clock forward and runs the calls that are due, each at its own time. */
  advance(ms: number): void;
  /** Moves the clock to a time in milliseconds since the epoch. @throws RangeError if it is in the past. */
  advanceTo(time: number): void;
  /** Sets the clock forward, as when a machine is suspended: calls that were due in between run late, at the new time. */
  jump(ms: number): void;
}

interface Call {
  readonly time: number;
  readonly run: () => void;
}

const START = Date.parse('2026-03-12T10:00:00.000Z');

/**
 * Creates a clock that a test controls. It starts at 2026-03-12T10:00:00Z unless `start` is given.
 *
 * `advance` runs the calls that are due in the order of their times, and calls with the same time in the order in which they were
 * scheduled. While a call runs, the clock shows its time; calls that it schedules run in the same advance if they are due by then. A
 * call for a time in the past waits for the next advance, even if that is `advance(0)`: like a real timer, it never runs before
 * `callAt` has returned.
 *
 * @example
 * const clock = fakeClock();
 * const store = memoryStore({ clock });
 * clock.advance(60_000);
 */
export function fakeClock(start: number = START): FakeClock {
  let now = start;
  const calls: Call[] = [];

  const advanceTo = (time: number): void => {
    if (!(time >= now))
      throw new RangeError(`Expected a time of ${now} or later, got ${time}: a fake clock cannot go back`);
    for (let next = calls[0]; next !== undefined && next.time <= time; next = calls[0]) {
      calls.shift();
      now = Math.max(now, next.time);
      next.run();
    }
    now = Math.max(now, time);
  };

  return {
    now: () => now,
    callAt(time, run) {
      const call = { time, run };
      calls.splice(calls.findLastIndex((other) => other.time <= time) + 1, 0, call);
      return () => {
        const index = calls.indexOf(call);
        if (index >= 0) calls.splice(index, 1);
      };
    },
    get pending() {
      return calls.length;
    },
    advance: (ms) => advanceTo(now + ms),
    advanceTo,
    jump(ms) {
      now += ms;
      advanceTo(now);
    },
  };
}
