import { expect, test } from 'vitest';
import { fakeClock } from '../testing/fake-clock.ts';
import { TimeLimitPassed, withinTime } from './time-limit.ts';

const NEVER = new AbortController().signal;

/** As a connection does that is cut while its answer is read: with an error of its own. */
function cutOff(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });
}

test('what the time has cut off says so, however it broke', async () => {
  const clock = fakeClock();
  const reading = withinTime(clock, 1500, NEVER, cutOff);
  clock.advance(1500);
  await expect(reading).rejects.toThrow(TimeLimitPassed);
  await expect(reading).rejects.toThrow('It did not answer within 1.5 s');
});

test('what the caller has cut off says why he did', async () => {
  const caller = new AbortController();
  const reading = withinTime(fakeClock(), 1500, caller.signal, cutOff);
  caller.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
});

test('what breaks by itself says so', async () => {
  const broken = withinTime(fakeClock(), 1500, NEVER, () => Promise.reject(new Error('It was reset')));
  await expect(broken).rejects.toThrow('It was reset');
});
