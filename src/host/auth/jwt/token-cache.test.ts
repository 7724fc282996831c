import { expect, test } from 'vitest';
import type { Caller } from '../../../engine/handler.ts';
import { TokenCache } from './jwt-authenticator.ts';

const ALICE: Caller = { id: 'alice', isVerified: true };

test.each<[string, number | undefined, number, Caller | undefined]>([
  ['is cached just before one minute has passed', undefined, 59_999, ALICE],
  ['is not cached after one minute', undefined, 60_000, undefined],
  ['is cached just before the token expires', 5000, 4999, ALICE],
  ['is not cached once the token has expired', 5000, 5000, undefined],
])('a verified caller %s', (_, expiresAt, later, expected) => {
  let now = 0;
  const cache = new TokenCache(() => now);
  cache.set('claims', '.signature', { ...ALICE, ...(expiresAt !== undefined && { expiresAt }) });

  now = later;

  expect(cache.get('claims', '.signature')?.id).toBe(expected?.id);
  expect(cache.get('other', '.signature')).toBeUndefined();
});

test.each(['.signaturE', '.signatur', '.signature2', '.', ''])(
  'cached claims with the signature "%s" are not accepted',
  (other) => {
    const cache = new TokenCache(() => 0);
    cache.set('claims', '.signature', ALICE);

    expect(cache.get('claims', other)).toBeUndefined();
    expect(cache.get('claims', '.signature')).toBe(ALICE);
  },
);

test('if the same claims are signed twice, the cache keeps the last signature', () => {
  const cache = new TokenCache(() => 0);
  cache.set('claims', '.one', ALICE);
  cache.set('claims', '.two', ALICE);

  expect(cache.get('claims', '.one')).toBeUndefined();
  expect(cache.get('claims', '.two')).toBe(ALICE);
});

test('a full cache drops the least recently used tokens', () => {
  const cache = new TokenCache(() => 0);
  const keep = (from: number, to: number) => {
    for (let i = from; i < to; i++) cache.set(`claims ${i}`, '.', ALICE);
  };
  const remembered = (to: number) =>
    Array.from({ length: to }, (_, i) => i).filter((i) => cache.get(`claims ${i}`, '.'));
  keep(0, 4095);
  expect(cache.get('claims 0', '.')).toBe(ALICE);

  keep(4096, 6000);

  expect(cache.get('claims 0', '.')).toBe(ALICE);
  expect(cache.get('claims 1', '.')).toBeUndefined();
  expect(cache.get('claims 4094', '.')).toBe(ALICE);
  expect(remembered(6000).length).toBeLessThanOrEqual(4096);
});
