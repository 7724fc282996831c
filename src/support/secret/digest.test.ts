import { expect, test } from 'vitest';
import { digest } from './digest.ts';

test('equal texts have equal digests, of a fixed length', () => {
  expect(digest('Good morning')).toBe(digest(['Good', 'morning'].join(' ')));
  expect(digest('')).toHaveLength(22);
  expect(digest('x'.repeat(10_000))).toHaveLength(22);
});

test('100,000 similar texts have different digests', () => {
  const seen = new Set(Array.from({ length: 100_000 }, (_, i) => digest(`task ${i}`)));
  expect(seen.size).toBe(100_000);
});

// Stores keep digests for a day and longer: a new version must recognise the requests of the old one.
test('the digest of a text never changes', () => {
  expect(digest('Good morning')).toMatchInlineSnapshot(`"03bot9fr0le1z2byhc1w38"`);
});
