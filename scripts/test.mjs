/**
 * `npm test`: runs vitest with the arguments given, then prints the plain `N passed, N failed, N skipped` as the very
 * last line. The exit code is vitest's.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const reporter = fileURLToPath(new URL('count-reporter.mjs', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'tandem-test-'));
const countsFile = join(scratch, 'counts.json');

const runner = spawn(
  process.execPath,
  [vitest, 'run', '--reporter=default', `--reporter=${reporter}`, ...process.argv.slice(2)],
  { stdio: 'inherit', env: { ...process.env, TANDEM_TEST_COUNTS: countsFile } },
);
// The terminal's Ctrl-C reaches vitest by itself; other signals are passed on. Either way its end is waited for.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => runner.kill('SIGTERM'));

runner.on('close', (code, signal) => {
  const exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  const { passed, failed, skipped } = readCounts(exitCode);
  rmSync(scratch, { recursive: true });
  process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  process.exitCode = exitCode;
});

/** A runner that died before it could count has failed once, as far as anyone can tell. */
function readCounts(/** @type {number} */ exitCode) {
  try {
    return JSON.parse(readFileSync(countsFile, 'utf8'));
  } catch {
    return { passed: 0, failed: exitCode === 0 ? 0 : 1, skipped: 0 };
  }
}
