import { expect, test } from 'vitest';
import { BROKEN_ENGINES, BROKEN_STORES } from './breakages.ts';
import { findViolation } from './seeds.ts';

/** What is broken must be found within so many worlds; most of it is within ten. */
const SEEDS = 300;

test.each(BROKEN_ENGINES)('an engine that $name is found out', { timeout: 120_000 }, async ({ found, ...breakage }) => {
  expect(await findViolation(breakage, SEEDS)).toMatch(found);
});

test.each(BROKEN_STORES)('a store that $name is found out', { timeout: 120_000 }, async ({ found, ...breakage }) => {
  expect(await findViolation(breakage, SEEDS)).toMatch(found);
});
