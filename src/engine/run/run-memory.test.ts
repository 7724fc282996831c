import { expect, test } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { TimerHeap } from '../../support/time/timer-heap.ts';
import { RunMemory } from './run-memory.ts';

function memoryOf(maxBytes: number): { memory: RunMemory; clock: ReturnType<typeof fakeClock>; rooms: () => number } {
  const clock = fakeClock();
  let rooms = 0;
  const memory = new RunMemory(maxBytes, { clock, timers: new TimerHeap(clock) }, () => rooms++);
  return { memory, clock, rooms: () => rooms };
}

/** Whether a promise is settled after all that is due now. */
async function isSettled(promise: Promise<unknown> | undefined): Promise<boolean> {
  let settled = false;
  promise?.then(
    () => (settled = true),
    () => (settled = true),
  );
  await new Promise((resolve) => setImmediate(resolve));
  return promise === undefined || settled;
}

test('below the bound nothing waits', () => {
  const { memory } = memoryOf(256);
  memory.add(256);
  expect(memory.isFull).toBe(false);
  expect(memory.room({}, 2)).toBeUndefined();
});

test('above the bound one run continues, and the others wait until there is room', async () => {
  const { memory, rooms } = memoryOf(256);
  const [first, second, third] = [{}, {}, {}];
  memory.add(257);
  expect(memory.room(first, 2)).toBeUndefined();
  const waiting = [memory.room(second, 2), memory.room(third, 2)];
  expect(memory.room(first, 2)).toBeUndefined();
  expect(await Promise.all(waiting.map(isSettled))).toEqual([false, false]);
  memory.release(first, 60);
  expect(await Promise.all(waiting.map(isSettled))).toEqual([true, true]);
  expect(memory.room(second, 2)).toBeUndefined();
  expect(rooms()).toBe(1);
});

test('a run that holds little does not wait', () => {
  const { memory } = memoryOf(256);
  memory.add(257);
  void memory.room({}, 2);
  expect(memory.room({}, 1)).toBeUndefined();
});

test('if the run that continued has ended and there is no room, the one that waited longest continues', async () => {
  const { memory, rooms } = memoryOf(256);
  const [first, second, third] = [{}, {}, {}];
  memory.add(700);
  void memory.room(first, 2);
  const waiting = [memory.room(second, 2), memory.room(third, 2)];
  memory.release(first, 50);
  expect(await Promise.all(waiting.map(isSettled))).toEqual([true, false]);
  expect(memory.room(second, 2)).toBeUndefined();
  expect(rooms()).toBe(0);
});

test('a run that has waited for 30 s fails with the reason', async () => {
  const { memory, clock } = memoryOf(256);
  memory.add(257);
  void memory.room({}, 2);
  const waiting = memory.room({}, 2);
  clock.advance(29_999);
  expect(await isSettled(waiting)).toBe(false);
  clock.advance(1);
  await expect(waiting).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('use all the memory'),
  });
});

test('a run that is over does not wait any more', async () => {
  const { memory, clock } = memoryOf(256);
  const run = {};
  memory.add(257);
  void memory.room({}, 2);
  const waiting = memory.room(run, 2);
  memory.release(run, 0);
  clock.advance(60_000);
  expect(await isSettled(waiting)).toBe(false);
});

test('above twice the bound a run that was to wait and did not gets no room, and others do', () => {
  const { memory } = memoryOf(256);
  const [first, waiting, small] = [{}, {}, {}];
  memory.add(512);
  void memory.room(first, 2);
  void memory.room(waiting, 2);
  expect(() => memory.assertRoom(waiting)).not.toThrow();
  memory.add(1);
  expect(() => memory.assertRoom(waiting)).toThrow(/use all the memory/);
  expect(() => memory.assertRoom(first)).not.toThrow();
  expect(() => memory.assertRoom(small)).not.toThrow();
});
