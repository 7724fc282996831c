import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BodyPace, pacedBody } from './body-pace.ts';

const SECOND = 64 * 2 ** 10;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function bodyOf(length = 0) {
  const tooSlow = vi.fn<() => void>();
  return Object.assign(pacedBody(tooSlow), { length, tooSlow });
}

test('a body has 5 s to arrive at any pace, then it is too slow, once', () => {
  const pace = new BodyPace();
  const body = bodyOf();
  pace.watch(body);

  vi.advanceTimersByTime(5000);
  expect(body.tooSlow).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);

  expect(body.tooSlow).toHaveBeenCalledOnce();
});

test('a body at 64 KiB/s is not too slow, however long it takes', () => {
  const pace = new BodyPace();
  const body = bodyOf();
  pace.watch(body);

  for (let seconds = 0; seconds < 600; seconds++) {
    body.length += SECOND;
    vi.advanceTimersByTime(1000);
  }

  expect(body.tooSlow).not.toHaveBeenCalled();
  pace.close();
});

test('a body that stalls after a fast start is too slow once its average is', () => {
  const pace = new BodyPace();
  const body = bodyOf(10 * SECOND);
  pace.watch(body);

  vi.advanceTimersByTime(15_000);
  expect(body.tooSlow).not.toHaveBeenCalled();
  vi.advanceTimersByTime(2000);

  expect(body.tooSlow).toHaveBeenCalledOnce();
});

test('a body that starts later has its own 5 s', () => {
  const pace = new BodyPace();
  const [early, late] = [bodyOf(), bodyOf()];
  pace.watch(early);
  vi.advanceTimersByTime(4500);
  pace.watch(late);

  vi.advanceTimersByTime(5000);

  expect([early.tooSlow.mock.calls.length, late.tooSlow.mock.calls.length]).toEqual([1, 0]);
  pace.close();
});

test('slow bodies are found at any position among other bodies', () => {
  const pace = new BodyPace();
  const bodies = [0, 100, 0, 100, 0].map((seconds) => bodyOf(seconds * SECOND));
  for (const body of bodies) pace.watch(body);
  const [first, , third] = bodies;
  if (first !== undefined) pace.unwatch(first);

  vi.advanceTimersByTime(10_000);

  expect(bodies.map(({ tooSlow }) => tooSlow.mock.calls.length)).toEqual([0, 0, 1, 0, 1]);
  expect(third?.tooSlow).toHaveBeenCalledWith(expect.objectContaining({ code: 'REQUEST_TIMEOUT' }));
  pace.close();
});

test('no timer runs without bodies, or after close()', () => {
  const pace = new BodyPace();
  const body = bodyOf();
  pace.watch(body);
  pace.unwatch(body);
  vi.advanceTimersByTime(1000);
  expect(vi.getTimerCount()).toBe(0);

  pace.watch(body);
  pace.close();
  pace.watch(body);
  expect(vi.getTimerCount()).toBe(0);
});
