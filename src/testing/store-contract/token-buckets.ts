import { deepEqual, equal, ok } from 'node:assert/strict';

import type { Store, TokenTaken } from '../../store/store.ts';
import type { Behaviours, Subject } from './subject.ts';
import { times } from './samples.ts';

type Take = (bucket: string, rate?: { readonly burst: number; readonly perMinute: number }) => Promise<TokenTaken>;

/** Skips the test for a store without token buckets, which are optional. */
function ifOffered(run: (take: Take, subject: Subject) => Promise<void>): (subject: Subject) => Promise<void> {
  return async (t) => {
    const store: Store = t.store;
    if (store.takeTokens === undefined) return;
    const slow = { burst: 3, perMinute: 60 };
    await run(async (bucket, rate = slow) => {
      const taken = await store.takeTokens?.({ bucket, burst: rate.burst, perMinute: rate.perMinute });
      return taken ?? { isTaken: false, left: Number.NaN };
    }, t);
  };
}

/** Compares roughly, because the clock of a store may advance between two calls. */
function isAbout(left: number, expected: number): void {
  ok(Math.abs(left - expected) < 0.5, `expected about ${expected}, got ${left}`);
}

export const tokenBuckets: Behaviours = {
  'a token bucket returns as many tokens as its burst, then none': ifOffered(async (take) => {
    for (const left of [2, 1, 0]) {
      const taken = await take('a');
      equal(taken.isTaken, true);
      isAbout(taken.left, left);
    }
    const refused = await take('a');
    equal(refused.isTaken, false);
    isAbout(refused.left, 0);
  }),

  'a token bucket refills at an even rate up to its burst': ifOffered(async (take, { clock }) => {
    for (const _ of times(3)) await take('a');
    clock.advance(1500);
    deepEqual([(await take('a')).isTaken, (await take('a')).isTaken], [true, false]);
    clock.advance(500);
    equal((await take('a')).isTaken, true);
    clock.advance(3_600_000);
    isAbout((await take('a')).left, 2);
  }),

  'a rejected request for a token costs no tokens': ifOffered(async (take, { clock }) => {
    for (const _ of times(20)) await take('a');
    clock.advance(1000);
    equal((await take('a')).isTaken, true);
  }),

  'token buckets are distinguished by every character of their name': ifOffered(async (take) => {
    for (const _ of times(4)) await take('a');
    for (const name of ['A', 'a ', '', 'ä', '["a"]', 'a%']) equal((await take(name)).isTaken, true, name);
    equal((await take('a')).isTaken, false);
  }),

  'no token is returned twice to concurrent requests': ifOffered(async (take) => {
    const all = await Promise.all(times(50).map(() => take('a', { burst: 7, perMinute: 0.001 })));
    equal(all.filter(({ isTaken }) => isTaken).length, 7);
  }),
};
