import { expect, test } from 'vitest';

import { runFixtures } from './run-fixtures.ts';

test('modules that one file has loaded anew are not those of the next in its process', () => {
  const run = runFixtures('test/helpers/fixtures/fresh/', '--no-isolate', '--maxWorkers=1');

  expect(run.stderr).toBe('');
  expect(run.stdout).toMatch(/\n2 passed, 0 failed, 0 skipped\n$/);
});
