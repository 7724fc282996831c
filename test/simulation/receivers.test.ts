import { expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { bound } from './defects.ts';
import { findViolation, simulateSeedsWithReceivers } from './seeds.ts';
import { type Defect, simulate } from './simulate.ts';

test(
  'every receiver gets all events in order although nodes die, freeze and lose their store',
  { timeout: 600_000 },
  async () => {
    await simulateSeedsWithReceivers();
  },
);

test('the simulation delivers enough events, and enough of them twice', async () => {
  const sums = { arrived: 0, again: 0 };
  for (let seed = 1; seed <= 20; seed++) {
    const { counts } = await simulate(seed, { hasReceivers: true });
    sums.arrived += counts['arrived'] ?? 0;
    sums.again += counts['arrived again'] ?? 0;
  }
  expect(sums.arrived).toBeGreaterThan(100);
  expect(sums.again).toBeGreaterThan(5);
});

function noting(change: (store: Store) => Partial<Store>): Defect {
  return { store: (store) => ({ ...bound(store), ...change(store) }) };
}

test.each<[string, Defect, RegExp]>([
  [
    'counts one delivered event too many',
    noting((store) => ({ notePush: (report) => store.notePush({ ...report, told: report.told + 1 }) })),
    /gets event|left unfinished/,
  ],
  [
    'forgets the delivery cursor',
    noting((store) => ({ notePush: (report) => store.notePush({ ...report, told: 0 }) })),
    /never settles|left unfinished/,
  ],
  [
    'removes events before they are delivered',
    noting((store) => ({ events: (id, after, limit) => store.events(id, after, after === 1 ? 0 : limit) })),
    /gets event|left unfinished/,
  ],
])(
  'the simulation finds a store that %s',
  async (_, defect, found) => {
    expect(await findViolation(defect, 300, true)).toMatch(found);
  },
  60_000,
);
