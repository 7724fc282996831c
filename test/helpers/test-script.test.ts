import { expect, test } from 'vitest';

import { runFixtures } from './run-fixtures.ts';

test.each([
  { fixture: 'pass-and-skip', line: '2 passed, 0 failed, 2 skipped', exitCode: 0 },
  // The failing test, and the group whose set-up failed.
  { fixture: 'fail', line: '1 passed, 2 failed, 1 skipped', exitCode: 1 },
  { fixture: 'does-not-load', line: '0 passed, 1 failed, 0 skipped', exitCode: 1 },
  { fixture: 'unhandled', line: '1 passed, 1 failed, 0 skipped', exitCode: 1 },
  { fixture: 'no-such-file', line: '0 passed, 0 failed, 0 skipped', exitCode: 1 },
  { fixture: 'crash', line: '0 passed, 1 failed, 0 skipped', exitCode: 128 + 9 },
])(
  'the last line of npm test after the fixture $fixture is "$line"',
  { timeout: 30_000 },
  ({ fixture, line, exitCode }) => {
    const run = runFixtures(`test/helpers/fixtures/counts/${fixture}`);

    expect(run.stdout.split('\n').slice(-2)).toEqual([line, '']);
    expect(run.exitCode).toBe(exitCode);
  },
);
