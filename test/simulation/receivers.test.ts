import { expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { bound } from './breakages.ts';
import { findViolation, playSeedsWithReceivers } from './seeds.ts';
import { type Breakage, simulate } from './simulate.ts';

test(
  'whatever dies, stands still or is cut off: every receiver is told everything, in order',
  { timeout: 600_000 },
  async () => {
    await playSeedsWithReceivers();
  },
);

test('enough is told, and told again', async () => {
  const sums = { arrived: 0, again: 0 };
  for (let seed = 1; seed <= 20; seed++) {
    const { counts } = await simulate(seed, { hasReceivers: true });
    sums.arrived += counts['arrived'] ?? 0;
    sums.again += counts['arrived again'] ?? 0;
  }
  expect(sums.arrived).toBeGreaterThan(100);
  expect(sums.again).toBeGreaterThan(5);
});

function noting(change: (store: Store) => Partial<Store>): Breakage {
  return { store: (store) => ({ ...bound(store), ...change(store) }) };
}

test.each<{ name: string; breakage: Breakage; found: RegExp }>([
  {
    name: 'counts an event more than was told',
    breakage: noting((store) => ({ notePush: (report) => store.notePush({ ...report, told: report.told + 1 }) })),
    found: /is told of event|limbo/,
  },
  {
    name: 'forgets how far it was',
    breakage: noting((store) => ({ notePush: (report) => store.notePush({ ...report, told: 0 }) })),
    found: /never comes to rest|limbo/,
  },
  {
    name: 'drops the log while somebody is to be told of it',
    breakage: noting((store) => ({ events: (id, after, limit) => store.events(id, after, after === 1 ? 0 : limit) })),
    found: /is told of event|limbo/,
  },
])(
  'a store that $name is found',
  async ({ breakage, found }) => {
    expect(await findViolation(breakage, 300, true)).toMatch(found);
  },
  60_000,
);
