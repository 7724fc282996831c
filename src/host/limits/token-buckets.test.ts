import { expect, test } from 'vitest';
import { timeFor, TokenBuckets } from './token-buckets.ts';

const RATE = { perMinute: 60, burst: 3 };

test('a new bucket is full, issues whole tokens, and refills at a constant rate', () => {
  const buckets = new TokenBuckets(RATE);

  expect([1, 2, 3, 4].map(() => buckets.take('a', 0).isTaken)).toEqual([true, true, true, false]);
  expect(buckets.take('a', 999)).toEqual({ isTaken: false, left: 0.999 });
  expect(buckets.take('a', 1000)).toEqual({ isTaken: true, left: 0 });
  expect(buckets.left('a', 3_600_000)).toBe(3);
});

test('left() takes no token and creates no bucket', () => {
  const buckets = new TokenBuckets(RATE);

  expect([buckets.left('a', 0), buckets.left('a', 0)]).toEqual([3, 3]);
  expect(buckets.size).toBe(0);
});

test('charges beyond the tokens are a debt that the rate repays within one hour at most', () => {
  const buckets = new TokenBuckets(RATE);
  for (let i = 0; i < 10; i++) buckets.charge('a', 0);
  for (let i = 0; i < 100_000; i++) buckets.charge('b', 0);

  expect(buckets.left('a', 0)).toBe(-7);
  expect(buckets.take('a', 7000).isTaken).toBe(false);
  expect(buckets.take('a', 8000).isTaken).toBe(true);
  expect(buckets.left('b', 3_600_000)).toBe(0);
});

test('a clock that is set back issues no tokens, and the bucket refills from the new time', () => {
  const buckets = new TokenBuckets(RATE);
  for (let i = 0; i < 3; i++) buckets.take('a', 10_000);

  expect(buckets.take('a', 0).isTaken).toBe(false);
  expect(buckets.take('a', 1000).isTaken).toBe(true);
});

test('the number of buckets is bounded when callers make up names', () => {
  const buckets = new TokenBuckets(RATE, 100);
  for (let i = 0; i < 10_000; i++) buckets.take(`name ${i}`, 0);

  expect(buckets.size).toBeLessThanOrEqual(100);
});

test('a bucket in use is kept when callers make up names', () => {
  const buckets = new TokenBuckets(RATE, 100);
  for (let i = 0; i < 3; i++) buckets.take('busy', 0);

  for (let i = 0; i < 10_000; i++) {
    buckets.take(`name ${i}`, 0);
    if (i % 40 === 0) expect(buckets.take('busy', 0).isTaken).toBe(false);
  }
});

test('full buckets are dropped first', () => {
  const buckets = new TokenBuckets(RATE, 100);
  for (let i = 0; i < 50; i++) buckets.take(`early ${i}`, 0);

  buckets.take('late', 3_600_000);

  expect(buckets.size).toBe(1);
});

test.each([
  [1, 1000],
  [0.5, 500],
  [0.0001, 1],
  [0, 0],
  [-1, 0],
])('%d tokens refill in %d ms', (tokens, ms) => {
  expect(timeFor(RATE, tokens)).toBe(ms);
});
