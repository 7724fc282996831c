/** Runs vitest as a separate process and returns its counts. Shared by `npm test` and `npm run test:long`. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */
/** @typedef {{ args?: readonly string[], env?: NodeJS.ProcessEnv, node?: string }} Options */

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const reporter = fileURLToPath(new URL('count-reporter.mjs', import.meta.url));

/**
 * @param {Options} options `node` is the one to run it with, if not this one.
 * @returns {Promise<{ counts: Counts, exitCode: number }>} The exit code is vitest's.
 */
export async function runVitest({ args = [], env = {}, node = process.execPath } = {}) {
  const scratch = mkdtempSync(join(tmpdir(), 'tandem-test-'));
  const countsFile = join(scratch, 'counts.json');
  const runner = spawn(node, [vitest, 'run', '--reporter=default', `--reporter=${reporter}`, ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...env, TANDEM_TEST_COUNTS: countsFile },
  });
  // The terminal's Ctrl-C reaches vitest by itself; other signals are passed on. Either way its end is waited for.
  const wait = () => {};
  const passOn = () => void runner.kill('SIGTERM');
  process.on('SIGINT', wait);
  process.on('SIGTERM', passOn);
  const exitCode = await new Promise((resolve) => {
    runner.on('close', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
  process.off('SIGINT', wait);
  process.off('SIGTERM', passOn);
  const counts = readCounts(countsFile, exitCode);
  rmSync(scratch, { recursive: true });
  return { counts, exitCode };
}

/** The plain line that ends a test run. */
export function summary(/** @type {Counts} */ { passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped\n`;
}

/**
 * A runner that crashed before it wrote its counts counts as one failure.
 *
 * @param {string} file
 * @param {number} exitCode
 * @returns {Counts}
 */
function readCounts(file, exitCode) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: exitCode === 0 ? 0 : 1, skipped: 0 };
  }
}
