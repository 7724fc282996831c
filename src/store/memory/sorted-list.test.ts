import fc from 'fast-check';
import { expect, test } from 'vitest';

import { SortedList } from './sorted-list.ts';

function listOf(numbers: Iterable<number>): SortedList<number, number> {
  const list = new SortedList<number, number>((a, b) => a - b);
  for (const number of numbers) list.add(number);
  return list;
}

/** 0 to `count` - 1 in scattered order. `step` and `count` have no common divisor. */
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
])('items that are added %s are sorted', (_, numbers) => {
  const list = listOf(numbers);

  expect([...list]).toEqual(upTo(5000));
  expect(list).toHaveLength(5000);
});

test.each([
  ['the last ones', 3, undefined, [9, 7, 5]],
  ['those before an item', 2, 5, [3, 1]],
  ['those before a position between items', 2, 6, [5, 3]],
  ['those before a position after all items', 2, 100, [9, 7]],
  ['none before the first', 2, 1, []],
  ['all', Infinity, undefined, [9, 7, 5, 3, 1]],
  ['nothing', 0, undefined, []],
])('backwards returns %s', (_, limit, end, expected) => {
  expect(listOf([5, 1, 9, 3, 7]).backwards(limit, end)).toEqual(expected);
});

test('backwards iterates over all chunks', () => {
  const list = listOf(scattered(5000, 1777));

  expect(list.backwards(Infinity)).toEqual(upTo(5000).toReversed());
  expect(list.backwards(2000, 3001)).toEqual(upTo(3001).toReversed().slice(0, 2000));
});

test.each([
  ['an item', 5, [5, 7, 9]],
  ['a position between items', 4, [5, 7, 9]],
  ['a position before all items', 0, [1, 3, 5, 7, 9]],
  ['a position after all items', 10, []],
])('from() returns the items from %s in order', (_, place, expected) => {
  expect([...listOf([5, 1, 9, 3, 7]).from(place)]).toEqual(expected);
});

test('from() iterates over all chunks', () => {
  expect([...listOf(scattered(5000, 1777)).from(2345)]).toEqual(upTo(5000).slice(2345));
});

test('removing an item that is not in the list has no effect', () => {
  const list = listOf([1, 3]);
  for (const number of [0, 2, 4]) list.remove(number);

  expect([...list]).toEqual([1, 3]);
  expect(list).toHaveLength(2);
});

test('an emptied list can be filled again', () => {
  const list = listOf(scattered(2000, 777));
  for (const number of scattered(2000, 1333)) list.remove(number);
  expect([...list]).toEqual([]);
  expect(list.backwards(5)).toEqual([]);

  list.add(7);
  expect([...list]).toEqual([7]);
});

test('after random changes the list equals a sorted array', () => {
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
