import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonSize } from './json-size.ts';

test.each<[unknown, number]>([
  ['', 2],
  ['hello', 7],
  [null, 4],
  [[], 2],
  [{}, 2],
  [{ a: undefined }, 2],
  [['ab', 'c'], 11],
  [{ name: 'x', list: [true] }, 28],
])('the size of %j is %d', (value, size) => {
  expect(jsonSize(value)).toBe(size);
});

test('the size is between the length of the JSON text and 1.5 times that', () => {
  const plain = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'z') });
  const values = fc.oneof(fc.array(plain), fc.dictionary(plain, fc.array(plain)), fc.dictionary(plain, plain));
  fc.assert(
    fc.property(values, (value) => {
      const { length } = JSON.stringify(value);
      // Counts one comma more in each list and object.
      expect(jsonSize(value) - length).toBeGreaterThanOrEqual(0);
      expect(jsonSize(value)).toBeLessThanOrEqual(length * 1.5);
    }),
  );
});
