import { beforeAll, expect, test } from 'vitest';

import { runFixtures } from './run-fixtures.ts';
import type { FixtureRun } from './run-fixtures.ts';

const FIXTURE = 'test/helpers/fixtures/leaks/';

let run: FixtureRun;
beforeAll(() => {
  run = runFixtures(FIXTURE);
}, 30_000);

test.each([
  ['timeout', `timer (setTimeout, 60000 ms) started at ${FIXTURE}in-a-test.fixture.ts:12`],
  ['unreferenced interval', `timer (setInterval, 60000 ms) started at ${FIXTURE}in-a-test.fixture.ts:16`],
  ['promised timeout', `timers/promises, 60000 ms) started at ${FIXTURE}in-a-test.fixture.ts:20`],
  ['server', /server listening on 127\.0\.0\.1:\d+ started at .+leaks\/open-server\.ts:4/],
  ['server closed with a client still connected', `closed server with open connections started at ${FIXTURE}`],
  ['child process', /child process \d+ \(.+60_000\)\) started at .+in-a-test\.fixture\.ts:37/],
  ['rejection', 'unhandled rejection: Error: nobody waited'],
])('a test that leaves a %s running fails, and its failure names it', (name, leak) => {
  const report = failure(`in-a-test.fixture.ts > ${name}`);

  expect(report).toContain('Error: The test left running:');
  expect(report).toMatch(leak);
});

test('a timer that a file leaves running fails the file and none of its tests', () => {
  expect(failure('in-the-file.fixture.ts [')).toContain(
    `The file left running:\n  - timer (setInterval, 60000 ms) started at ${FIXTURE}in-the-file.fixture.ts:4`,
  );
  expect(run.stdout).toContain('✓ a test beside the leak passes');
});

test('a file that changes shared state fails with the names of the changes', () => {
  const report = failure('changed-state.fixture.ts [');

  expect(report).toContain('Error: The file left changed:');
  expect(report.match(/(?<= {2}- ).+/g)?.toSorted()).toEqual([
    'Array.includes',
    'environment variable TANDEM_FIXTURE',
    'globalThis.fixture',
    'listeners of the process for SIGUSR2',
  ]);
});

test('a file that stops everything that it starts passes', () => {
  expect(run.stdout).toContain(`✓ ${FIXTURE}clean.fixture.ts (11 tests)`);
  expect(run.stdout).toMatch(/\n13 passed, 9 failed, 0 skipped\n$/);
  expect(run.exitCode).toBe(1);
});

/** The text below the headline of a failure in the report. */
function failure(headline: string): string {
  const start = run.stderr.indexOf(` FAIL  ${FIXTURE}${headline}`);
  expect(start, `no failure of ${headline} in:\n${run.stderr}`).toBeGreaterThan(-1);
  return run.stderr.slice(start, run.stderr.indexOf('⎯⎯⎯', start));
}
