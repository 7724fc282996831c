import { type Clock, clockOf } from './clock.ts';

/** What is less may be the work of whoever keeps clocks right, a bit at a time. */
const SET_BACK_MS = 1000;

/**
 * The time of the system, but for one that is set back while we run: nothing would be due until it is as late again, and
 * whoever has to say every few seconds that he lives would be taken for dead. Such a time goes on as it was.
 */
export const steadyClock: Clock = clockOf(
  steadyTime(
    () => Date.now(),
    () => performance.now(),
  ),
);

/** @param passed Milliseconds that only grow, and by as many as have passed. */
export function steadyTime(wall: () => number, passed: () => number): () => number {
  let last = wall();
  let lastPassed = passed();
  return () => {
    const nowPassed = passed();
    const expected = last + nowPassed - lastPassed;
    const told = wall();
    last = expected - told > SET_BACK_MS ? expected : told;
    lastPassed = nowPassed;
    return Math.trunc(last);
  };
}
