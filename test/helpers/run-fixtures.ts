import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface FixtureRun {
  readonly exitCode: number | null;
  /** The counts and the list of files, without colours. */
  readonly stdout: string;
  /** The failures. */
  readonly stderr: string;
}

/** Runs `npm test`'s script on the fixtures whose path contains `filter`, as a fresh process outside this run. */
export function runFixtures(filter: string, ...options: readonly string[]): FixtureRun {
  const outside = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  const run = spawnSync(
    process.execPath,
    ['scripts/test.mjs', '--config', 'test/helpers/fixtures/vitest.config.ts', filter, ...options],
    { cwd: ROOT, encoding: 'utf8', env: { ...Object.fromEntries(outside), NO_COLOR: '1', FORCE_COLOR: undefined } },
  );
  return { exitCode: run.status, stdout: run.stdout, stderr: run.stderr };
}
