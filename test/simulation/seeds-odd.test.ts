import { test } from 'vitest';
import { simulateSeeds } from './seeds.ts';

test(
  'engines and store behave as the model expects under random faults (odd seeds)',
  { timeout: 1_800_000 },
  async () => {
    await simulateSeeds(1);
  },
);
