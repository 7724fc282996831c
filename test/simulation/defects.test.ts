import { expect, test } from 'vitest';
import { ENGINE_DEFECTS, STORE_DEFECTS } from './defects.ts';
import { findViolation } from './seeds.ts';

/** A defect must be found within so many worlds; most are found within ten. */
const SEEDS = 300;

test.each(ENGINE_DEFECTS.map((defect) => [defect.name, defect] as const))(
  'the simulation finds an engine that %s',
  { timeout: 120_000 },
  async (_, { found, ...defect }) => {
    expect(await findViolation(defect, SEEDS)).toMatch(found);
  },
);

test.each(STORE_DEFECTS.map((defect) => [defect.name, defect] as const))(
  'the simulation finds a store that %s',
  { timeout: 120_000 },
  async (_, { found, ...defect }) => {
    expect(await findViolation(defect, SEEDS)).toMatch(found);
  },
);
