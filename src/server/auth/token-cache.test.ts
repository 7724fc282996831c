import { expect, test } from 'vitest';
import type { Caller } from '../../engine/handler.ts';
import { TokenCache } from './token-cache.ts';

const ALICE: Caller = { id: 'alice', isVerified: true };

test.each<[string, number | undefined, number, Caller | undefined]>([
  ['a minute', undefined, 59_999, ALICE],
  ['no longer', undefined, 60_000, undefined],
  ['as long as the token', 5000, 4999, ALICE],
  ['not after its end', 5000, 5000, undefined],
])('a caller is remembered for %s', (_, expiresAt, later, expected) => {
  let now = 0;
  const cache = new TokenCache(() => now);
  cache.set('digest', { ...ALICE, ...(expiresAt !== undefined && { expiresAt }) });

  now = later;

  expect(cache.get('digest')?.id).toBe(expected?.id);
  expect(cache.get('other')).toBeUndefined();
});

test('of too many, those are forgotten that nobody has used for the longest time', () => {
  const cache = new TokenCache(() => 0);
  for (let i = 0; i < 4096; i++) cache.set(`digest ${i}`, ALICE);
  cache.get('digest 0');

  cache.set('one more', ALICE);

  expect(cache.get('digest 0')).toBe(ALICE);
  expect(cache.get('digest 1')).toBeUndefined();
  expect(cache.get('digest 2')).toBe(ALICE);
  expect(cache.get('one more')).toBe(ALICE);
});
