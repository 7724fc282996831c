import { expect, test } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { TimeLimitPassed, withinTime } from './time-limit.ts';

const NEVER = new AbortController().signal;

/** Fails with its own error when it is aborted, like a connection while its response is read. */
function cutOff(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });
}

test('work that exceeds its time limit fails with TimeLimitPassed', async () => {
  const clock = fakeClock();
  const reading = withinTime(clock, 1500, NEVER, cutOff);
  clock.advance(1500);
  await expect(reading).rejects.toThrow(TimeLimitPassed);
  await expect(reading).rejects.toThrow('No response within 1.5 s');
});

test('work that the caller aborts fails with the reason of the caller', async () => {
  const caller = new AbortController();
  const reading = withinTime(fakeClock(), 1500, caller.signal, cutOff);
  caller.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
});

test('work that fails by itself keeps its error', async () => {
  const broken = withinTime(fakeClock(), 1500, NEVER, () => Promise.reject(new Error('It was reset')));
  await expect(broken).rejects.toThrow('It was reset');
});
