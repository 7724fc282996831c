import fc from 'fast-check';
import { expect, test } from 'vitest';

import { SortedList } from './sorted-list.ts';

function listOf(numbers: Iterable<number>): SortedList<number, number> {
  const list = new SortedList<number, number>((a, b) => a - b);
  for (const number of numbers) list.add(number);
  return list;
}

/** 0 to `count` - 1, in an order that jumps about. `step` and `count` have no common divisor. */
function scattered(count: number, step: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => (i * step) % count);
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function isThird(number: number): boolean {
  return number % 3 === 0;
}

test.each([
  ['in order', upTo(5000)],
  ['in reverse', upTo(5000).toReversed()],
  ['scattered', scattered(5000, 1777)],
])('items that come %s stand in order', (_, numbers) => {
  const list = listOf(numbers);

  expect([...list]).toEqual(upTo(5000));
  expect(list).toHaveLength(5000);
});

test.each([
  ['the last ones', 3, undefined, [9, 7, 5]],
  ['those before an item', 2, 5, [3, 1]],
  ['those before a place between items', 2, 6, [5, 3]],
  ['those before a place behind all', 2, 100, [9, 7]],
  ['none before the first', 2, 1, []],
  ['all', Infinity, undefined, [9, 7, 5, 3, 1]],
  ['nothing', 0, undefined, []],
])('backwards gives %s', (_, limit, end, expected) => {
  expect(listOf([5, 1, 9, 3, 7]).backwards(limit, end)).toEqual(expected);
});

test('backwards goes on through all chunks', () => {
  const list = listOf(scattered(5000, 1777));

  expect(list.backwards(Infinity)).toEqual(upTo(5000).toReversed());
  expect(list.backwards(2000, 3001)).toEqual(upTo(3001).toReversed().slice(0, 2000));
});

test.each([
  ['an item', 5, [5, 7, 9]],
  ['a place between items', 4, [5, 7, 9]],
  ['a place before all', 0, [1, 3, 5, 7, 9]],
  ['a place behind all', 10, []],
])('the items from %s on come in order', (_, place, expected) => {
  expect([...listOf([5, 1, 9, 3, 7]).from(place)]).toEqual(expected);
});

test('the items from a place on come from all chunks', () => {
  expect([...listOf(scattered(5000, 1777)).from(2345)]).toEqual(upTo(5000).slice(2345));
});

test('what is not in the list cannot be removed', () => {
  const list = listOf([1, 3]);
  for (const number of [0, 2, 4]) list.remove(number);

  expect([...list]).toEqual([1, 3]);
  expect(list).toHaveLength(2);
});

test('a list that was emptied is as good as new', () => {
  const list = listOf(scattered(2000, 777));
  for (const number of scattered(2000, 1333)) list.remove(number);
  expect([...list]).toEqual([]);
  expect(list.backwards(5)).toEqual([]);

  list.add(7);
  expect([...list]).toEqual([7]);
});

test('a list that was changed at random gives what sorting gives', () => {
  const change = fc.record({
    adds: fc.boolean(),
    from: fc.nat(9999),
    count: fc.nat(700),
    step: fc.integer({ min: 1, max: 9 }),
  });

  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), fc.nat(9999), fc.nat(700), (changes, end, limit) => {
      const list = listOf([]);
      const model = new Set<number>();
      for (const { adds, from, count, step } of changes) {
        for (const i of upTo(count)) {
          const number = (from + i * step) % 10_000;
          if (!adds) list.remove(number);
          else if (!model.has(number)) list.add(number);
          if (adds) model.add(number);
          else model.delete(number);
        }
      }
      const sorted = [...model].sort((a, b) => a - b);

      expect([...list]).toEqual(sorted);
      expect(list).toHaveLength(sorted.length);
      const before = sorted.filter((number) => number < end).toReversed();
      expect(list.backwards(limit, end)).toEqual(before.slice(0, limit));
      expect(list.backwards(limit, end, isThird)).toEqual(before.filter(isThird).slice(0, limit));
      expect(list.count(isThird)).toBe(sorted.filter(isThird).length);
    }),
  );
});
