import { expect, test } from 'vitest';
import { simulateSeedsWithStepOutputs } from './seeds.ts';
import { simulate } from './simulate.ts';

test(
  'every ended task has the outputs of its recorded steps and of its last attempt, and no others',
  { timeout: 900_000 },
  async () => {
    await simulateSeedsWithStepOutputs();
  },
);

test('the simulation checks the outputs of enough tasks, many of them after a replay', async () => {
  const sums = { checked: 0, replayed: 0 };
  for (let seed = 1; seed <= 40; seed++) {
    const { counts } = await simulate(seed, { hasStepOutputs: true });
    sums.checked += counts['checked outputs'] ?? 0;
    sums.replayed += counts['checked after a replay'] ?? 0;
  }
  expect(sums.checked).toBeGreaterThan(50);
  expect(sums.replayed).toBeGreaterThan(10);
});
