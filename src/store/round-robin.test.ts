import fc from 'fast-check';
import { expect, test } from 'vitest';

import { type DueTask, RoundRobin, rotationOf } from './round-robin.ts';
import type { ClaimShares } from './store.ts';

interface Task extends DueTask {
  readonly name: string;
}

/** Tasks of the keys in `ann bob ann`, each due later than the previous one. */
function tasks(keys: string): readonly Task[] {
  const counts = new Map<string, number>();
  return keys.split(' ').map((key, order) => {
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return { key, wakeAt: order, order, name: `${key}-${count}` };
  });
}

function chosen(due: readonly Task[], limit: number, shares?: ClaimShares, position?: string): readonly string[] {
  const robin = new RoundRobin(shares === undefined ? { limit } : { limit, shares });
  return robin.choose([rotationOf('agent', due, position)]).tasks.map(({ name }) => name);
}

test('a rotation begins after the key that got the last task, and wraps around', () => {
  const due = tasks('ann bob carl');
  const order = (position: string | undefined): readonly string[] =>
    rotationOf('agent', due, position).queues.map(({ key }) => key);

  expect(order(undefined)).toEqual(['ann', 'bob', 'carl']);
  expect(order('ann')).toEqual(['bob', 'carl', 'ann']);
  expect(order('b')).toEqual(['bob', 'carl', 'ann']);
  expect(order('carl')).toEqual(['ann', 'bob', 'carl']);
  expect(order('zoe')).toEqual(['ann', 'bob', 'carl']);
});

test('chosen tasks are sorted by time, and the position is the last key of the rotation that got one', () => {
  const due = tasks('carl ann ann bob');
  const { tasks: given, positions } = new RoundRobin({ limit: 2 }).choose([rotationOf('agent', due, 'bob')]);

  expect(given.map(({ name }) => name)).toEqual(['carl-0', 'ann-0']);
  expect([...positions]).toEqual([['agent', 'ann']]);
});

test('without open slots only keys without a running task get one', () => {
  const shares = { running: new Map([['ann', 1]]), openSlots: 0 };

  expect(chosen(tasks('ann ann bob bob carl'), 9, shares)).toEqual(['bob-0', 'carl-0']);
  expect(new RoundRobin({ limit: 9, shares }).excluded).toEqual(['ann']);
});

test('candidates end after enough keys without a running task', () => {
  const seen: string[] = [];
  const keys = function* endless(): Generator<string> {
    for (let i = 0; ; i++) {
      const key = i % 2 === 0 ? `busy-${i % 6}` : `idle-${i}`;
      seen.push(key);
      yield key;
    }
  };
  const running = new Map([0, 2, 4].map((i) => [`busy-${i}`, 1]));
  const robin = new RoundRobin({ limit: 3, shares: { running, openSlots: 0 } });

  expect(robin.candidates(keys())).toEqual(['idle-1', 'idle-3', 'idle-5']);
  expect(seen.length).toBeLessThan(10);
  expect(new RoundRobin({ limit: 0 }).candidates(keys())).toEqual([]);
});

test('no key gets a second task before every other eligible key got its first, with any limits', () => {
  const names = ['ann', 'bob', 'carl', 'dave'];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 30 }),
      fc.nat(12),
      fc.nat(8),
      fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      fc.dictionary(fc.constantFrom(...names), fc.integer({ min: 1, max: 4 })),
      (keys, limit, openSlots, perKey, running) => {
        const due = tasks(keys.join(' '));
        const shares = {
          running: new Map(Object.entries(running)),
          openSlots,
          ...(perKey !== undefined && { perKey }),
        };
        const given = chosen(due, limit, shares).map((name) => name.split('-')[0] ?? '');
        const count = (key: string): number => given.filter((each) => each === key).length;
        const waiting = new Set(keys);

        expect(given.length).toBeLessThanOrEqual(limit);
        const extra = given.filter((key, i) => key in running || given.indexOf(key) < i).length;
        expect(extra).toBeLessThanOrEqual(openSlots);
        for (const key of waiting) {
          const isFirst = count(key) <= 1 && !(key in running);
          if (!isFirst) expect(count(key) === 0 || count(key) + (running[key] ?? 0) <= (perKey ?? 99)).toBe(true);
          // Each key without a running task gets one, unless the limit is reached before.
          if (!(key in running) && count(key) === 0) expect(given.length).toBe(limit);
          // No key is two tasks ahead of another one that could have got more.
          for (const other of waiting) {
            const isClaimable = count(other) < keys.filter((each) => each === other).length;
            const mayHave = count(other) + (running[other] ?? 0) < (perKey ?? 99);
            if (isClaimable && mayHave && count(key) > count(other) + 1) expect(other in running).toBe(true);
          }
        }
      },
    ),
  );
});

test('allowsAll is true if the tasks fit into the open slots and no key exceeds its share', () => {
  const due = tasks('ann ann bob');
  const running = new Map([['ann', 2]]);
  const allows = (limit: number, shares?: ClaimShares): boolean =>
    new RoundRobin(shares === undefined ? { limit } : { limit, shares }).allowsAll(due);

  expect(allows(3)).toBe(true);
  expect(allows(2)).toBe(false);
  expect(allows(3, { running, openSlots: 3 })).toBe(true);
  expect(allows(3, { running, openSlots: 2 })).toBe(false);
  expect(allows(3, { running, openSlots: 3, perKey: 4 })).toBe(true);
  expect(allows(3, { running, openSlots: 3, perKey: 3 })).toBe(false);
});
