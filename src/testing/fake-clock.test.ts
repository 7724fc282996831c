import { expect, test } from 'vitest';

import { fakeClock } from './fake-clock.ts';

test('a fake clock stands still until it is advanced', () => {
  const clock = fakeClock(1000);
  expect(clock.now()).toBe(1000);

  clock.advance(5);
  expect(clock.now()).toBe(1005);
  clock.advanceTo(2000);
  expect(clock.now()).toBe(2000);
});

test('a fake clock without a start time always starts at the same time', () => {
  expect(fakeClock().now()).toBe(fakeClock().now());
  expect(new Date(fakeClock().now()).toISOString()).toBe('2026-03-12T10:00:00.000Z');
});

test('calls run in the order of their times, then in the order in which they were scheduled', () => {
  const clock = fakeClock(0);
  const seen: string[] = [];
  for (const [name, time] of [
    ['c', 20],
    ['a', 10],
    ['d', 20],
    ['b', 10],
    ['e', 30],
    ['late', 31],
  ] as const) {
    clock.callAt(time, () => seen.push(`${name}@${clock.now()}`));
  }
  expect(clock.pending).toBe(6);

  clock.advance(30);

  expect(seen).toEqual(['a@10', 'b@10', 'c@20', 'd@20', 'e@30']);
  expect(clock.now()).toBe(30);
  expect(clock.pending).toBe(1);
});

test('a call scheduled by another call runs in the same advance if it is due by then', () => {
  const clock = fakeClock(0);
  const seen: number[] = [];
  const tick = (): void => {
    seen.push(clock.now());
    clock.callAt(clock.now() + 10, tick);
  };
  clock.callAt(10, tick);
  clock.callAt(25, () => seen.push(-25));

  clock.advance(45);

  expect(seen).toEqual([10, 20, -25, 30, 40]);
  expect([clock.now(), clock.pending]).toEqual([45, 1]);
});

test('a call for a past time waits for the next advance, and the clock does not go back for it', () => {
  const clock = fakeClock(100);
  const seen: number[] = [];
  clock.callAt(50, () => seen.push(clock.now()));
  expect(seen).toEqual([]);

  clock.advance(0);

  expect(seen).toEqual([100]);
  expect(clock.now()).toBe(100);
});

test('a canceled call never runs, and canceling it twice affects no other call', () => {
  const clock = fakeClock(0);
  const seen: string[] = [];
  const takeBack = clock.callAt(10, () => seen.push('a'));
  clock.callAt(10, () => seen.push('b'));
  takeBack();
  takeBack();

  clock.advance(10);

  expect(seen).toEqual(['b']);
  takeBack();
  expect(clock.pending).toBe(0);
});

test('a call may cancel one that is due in the same advance', () => {
  const clock = fakeClock(0);
  const seen: string[] = [];
  clock.callAt(10, () => takeBack());
  const takeBack = clock.callAt(20, () => seen.push('never'));

  clock.advance(100);

  expect(seen).toEqual([]);
});

test('a call may itself advance the clock', () => {
  const clock = fakeClock(0);
  const seen: string[] = [];
  clock.callAt(10, () => clock.advance(50));
  clock.callAt(20, () => seen.push(`${clock.now()}`));

  clock.advance(30);

  expect(seen).toEqual(['20']);
  expect(clock.now()).toBe(60);
});

test('advance throws the error of a call, and later calls stay scheduled', () => {
  const clock = fakeClock(0);
  const seen: string[] = [];
  clock.callAt(10, () => {
    throw new Error('broken');
  });
  clock.callAt(20, () => seen.push('b'));

  expect(() => clock.advance(30)).toThrow('broken');
  clock.advance(20);

  expect(seen).toEqual(['b']);
});

test.each([[-1], [Number.NaN]])('a clock cannot be advanced by %s', (ms) => {
  const clock = fakeClock(1000);

  expect(() => clock.advance(ms)).toThrow(RangeError);
  expect(clock.now()).toBe(1000);
});
