import { test } from 'vitest';
import { playSeeds } from './seeds.ts';

test('model and engine agree, whatever goes wrong (even seeds)', { timeout: 1_800_000 }, async () => {
  await playSeeds(2);
});
