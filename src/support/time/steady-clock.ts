import { type Clock, clockOf } from './clock.ts';

/** Smaller steps back may be gradual corrections of the clock, such as by NTP. */
const SET_BACK_MS = 1000;

/**
 * The system time, except that it does not go back when the clock is set back while the process runs. Otherwise nothing
 * would be due until the clock catches up, and a node would miss its heartbeats and be considered dead.
 */
export const steadyClock: Clock = clockOf(
  steadyTime(
    () => Date.now(),
    () => performance.now(),
  ),
);

/** @param passed Returns a monotonic time in milliseconds. */
export function steadyTime(wall: () => number, passed: () => number): () => number {
  let last = wall();
  let lastPassed = passed();
  return () => {
    const nowPassed = passed();
    const expected = last + nowPassed - lastPassed;
    const system = wall();
    last = expected - system > SET_BACK_MS ? expected : system;
    lastPassed = nowPassed;
    return Math.trunc(last);
  };
}
