import { expect, test } from 'vitest';
import { migrationSummary } from './migrate.ts';

test.each([
  ['creates the schema', [1, 2, 3, 4, 5], 'Created schema s with version 5'],
  ['upgrades by one version', [5], 'Migrated schema s from version 4 to 5'],
  ['upgrades by several versions', [3, 4, 5], 'Migrated schema s from version 2 to 5'],
  ['changes nothing', [], 'Already up to date: schema s has version 5'],
])('the summary of a migration that %s has the versions before and after', (_, applied, expected) => {
  expect(migrationSummary(applied, 'schema s', 5)).toBe(expected);
});
