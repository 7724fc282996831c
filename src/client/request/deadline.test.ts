import { expect, test } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { CallScope } from './call-scope.ts';
import { Deadline, durationText } from './deadline.ts';

test.each([
  [30, '30 ms'],
  [1984.947, '1.985 s'],
  [30_000, '30 s'],
])('%d ms are printed as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test('a timeout names the limit that the user gave', () => {
  const clock = fakeClock();
  const deadline = new Deadline(clock, { timeoutMs: 30_000 });
  clock.advance(30_000);
  expect(() => deadline.check()).toThrow(/^No result within 30 s \(timeoutMs: 30000\)$/);
});

test('a timeout of the rest of a limit names the whole limit', () => {
  const clock = fakeClock();
  const { deadline } = new CallScope(clock, { timeoutMs: 1984.9, statedTimeoutMs: 2000 }, undefined);
  clock.advance(2000);
  expect(() => deadline.check()).toThrow(/^No result within 2 s$/);
});

test('a timeout names the number of failed attempts and the last reason', () => {
  const clock = fakeClock();
  const deadline = new Deadline(clock, { timeoutMs: 500 });
  deadline.noteFailure('the agent responded with 429: slow down', undefined);
  const last = new Error('closing');
  deadline.noteFailure('the agent responded with 503: closing', last);
  clock.advance(500);
  expect(() => deadline.check()).toThrow(
    expect.objectContaining({
      code: 'TIMEOUT',
      message:
        'No result within 500 ms (timeoutMs: 500); 2 attempts failed, the last one: the agent responded with 503: closing',
      cause: last,
    }),
  );
});

test('a timeout does not name failures before a successful attempt', () => {
  const clock = fakeClock();
  const deadline = new Deadline(clock, { timeoutMs: 500 });
  deadline.noteFailure('the agent responded with 503: closing', undefined);
  deadline.noteSuccess();
  clock.advance(500);
  expect(() => deadline.check()).toThrow(/\(timeoutMs: 500\)$/);
});

test('a timeout by a signal of the user has the code TIMEOUT', () => {
  const signal = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
  const deadline = new Deadline(fakeClock(), { signal });
  expect(() => deadline.check()).toThrow(
    expect.objectContaining({ code: 'TIMEOUT', message: 'No result before the signal of the call timed out' }),
  );
});
