import { expect, test } from 'vitest';

import { TokenBuckets } from '../../host/limits/token-buckets.ts';
import { memoryStore } from '../../store/memory/store.ts';
import type { Store, TokenTake, TokenTaken } from '../../store/store.ts';
import { type FakeClock, fakeClock } from '../fake-clock.ts';
import { START } from './samples.ts';
import { Subject } from './subject.ts';
import { tokenBuckets } from './token-buckets.ts';

type TakeTokens = (take: TokenTake) => Promise<TokenTaken>;

/** A correct implementation. */
function rightly(clock: FakeClock): TakeTokens {
  const all = new Map<string, TokenBuckets>();
  return async ({ bucket, burst, perMinute }) => {
    const buckets = all.get(bucket) ?? new TokenBuckets({ burst, perMinute });
    all.set(bucket, buckets);
    return buckets.take(bucket, clock.now());
  };
}

async function firstFailure(make: ((clock: FakeClock) => TakeTokens) | undefined): Promise<string | undefined> {
  for (const [name, run] of Object.entries(tokenBuckets)) {
    const clock = fakeClock(START);
    const store: Store = Object.assign(memoryStore({ clock }), make && { takeTokens: make(clock) });
    const failed = await run(new Subject(store, clock)).then(
      () => false,
      () => true,
    );
    if (failed) return name;
  }
  return undefined;
}

test('the contract accepts a store with correct token buckets and one without any', async () => {
  expect(await firstFailure(rightly)).toBeUndefined();
  expect(await firstFailure(undefined)).toBeUndefined();
});

test.each<[string, (clock: FakeClock) => TakeTokens]>([
  [
    'never refuses',
    () =>
      async ({ burst }) => ({ isTaken: true, left: burst }),
  ],
  ['never fills up', () => rightly(fakeClock(START))],
  [
    'has one bucket for all',
    (clock) => {
      const take = rightly(clock);
      return (request) => take({ ...request, bucket: 'all' });
    },
  ],
  [
    'looks now and takes later',
    (clock) => {
      const buckets = new Map<string, { tokens: number; at: number }>();
      return async ({ bucket, burst, perMinute }) => {
        const { tokens, at } = buckets.get(bucket) ?? { tokens: burst, at: clock.now() };
        await Promise.resolve();
        const now = Math.min(burst, tokens + ((clock.now() - at) * perMinute) / 60_000);
        const left = now < 1 ? now : now - 1;
        buckets.set(bucket, { tokens: left, at: clock.now() });
        return { isTaken: now >= 1, left };
      };
    },
  ],
  [
    'charges for refusals',
    (clock) => {
      const take = rightly(clock);
      const debts = new Map<string, number>();
      return async (request) => {
        const debt = debts.get(request.bucket) ?? 0;
        const taken = await take(request);
        if (!taken.isTaken) debts.set(request.bucket, debt + 1);
        return debt > 3 ? { isTaken: false, left: 0 } : taken;
      };
    },
  ],
])('the contract rejects a store that %s', async (_, make) => {
  expect(await firstFailure(make)).toBeDefined();
});
