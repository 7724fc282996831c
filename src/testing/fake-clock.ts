import type { Clock } from '../support/clock.ts';

/** A clock that stands still until it is told to go on. */
export interface FakeClock extends Clock {
  /** How many calls still wait for their time. */
  readonly pending: number;
  advance(ms: number): void;
  advanceTo(time: number): void;
  /** Sets the clock forward, as the suspend of a machine does: what came due meanwhile is called late, at the new time. */
  jump(ms: number): void;
}

interface Call {
  readonly time: number;
  readonly run: () => void;
}

const START = Date.parse('2026-03-12T10:00:00.000Z');

/**
 * Time by hand: nothing happens but in `advance`, which makes the calls that have come due in the order of their times,
 * those of one time in the order in which they were asked for. While a call is made, it is the time of that call; what it
 * asks for in turn belongs to the same advance if it is due by then. A call for a time that has passed waits for the
 * next advance, be it `advance(0)`: like a real timer, it never comes before `callAt` has returned.
 */
export function fakeClock(start: number = START): FakeClock {
  let now = start;
  const calls: Call[] = [];

  const advanceTo = (time: number): void => {
    if (!(time >= now)) throw new RangeError(`The clock stands at ${now} and cannot go back to ${time}`);
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
