import { expect, test } from 'vitest';

import { runFixtures } from './run-fixtures.ts';

test('a test file does not get modules that an earlier file in its process has reloaded', () => {
  const run = runFixtures('test/helpers/fixtures/fresh/', '--no-isolate', '--maxWorkers=1');

  expect(run.stderr).toBe('');
  expect(run.stdout).toMatch(/\n2 passed, 0 failed, 0 skipped\n$/);
});
