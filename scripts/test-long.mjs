/**
 * `npm run test:long`: tests that take too long for every change. Ten times the kills and the seeds of `npm test`, ten
 * minutes of mixed load on a server, ten minutes of a cluster with failures, a million fuzzed requests, the live peers
 * of `npm run test:peers`, the programs of users with another compiler, the tests that only need Node on each later Node
 * that we support, and a smoke test on Bun.
 * Ends with the totals as `N passed, N failed, N skipped`. `TANDEM_KILLS`, `SEEDS`, `TANDEM_SOAK_MS`, `TANDEM_CHAOS_MS`
 * and `TANDEM_FUZZ` change its duration.
 */
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

import { livePeersRun, prepareLivePeers } from './live-peers.mjs';
import { runVitest, summary } from './run-vitest.mjs';

const NODES = [22, 24];
/** Between the oldest compiler that `npm test` runs and the newest. */
const COMPILER = '5.9';
const { TANDEM_KILLS = '500', SEEDS = '20000', TANDEM_SOAK_MS = '600000', TANDEM_CHAOS_MS = '600000' } = process.env;
const { TANDEM_FUZZ = '1000000' } = process.env;

const total = { passed: 0, failed: 0, skipped: 0 };
let exitCode = 0;
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void (isInterrupted = true));

printStep(`${TANDEM_KILLS} kills, ${SEEDS} seeds`);
// The whole matrix of calls between agents, too.
await run({ args: ['test/crash', 'test/simulation'], env: { TANDEM_KILLS, SEEDS, TANDEM_CALL_KILLS: 'whole' } });
if (!isInterrupted) {
  printStep('Calls on PostgreSQL: every kill');
  await run({ args: ['test/postgres/call-kills.test.ts'], env: { TANDEM_CALL_KILLS: 'whole' } });
}
if (!isInterrupted) {
  printStep(`${Number(TANDEM_CHAOS_MS) / 1000} s of failures in a cluster`);
  await run({ args: ['test/postgres/cluster.test.ts'], env: { TANDEM_CHAOS_MS } });
}
if (!isInterrupted) {
  printStep(`${Number(TANDEM_SOAK_MS) / 1000} s of mixed load`);
  await run({ args: ['test/streams/soak.test.ts'], env: { TANDEM_SOAK_MS } });
}
if (!isInterrupted) {
  printStep(`${TANDEM_FUZZ} fuzzed requests`);
  await run({ args: ['test/attacks/fuzz.test.ts'], env: { TANDEM_FUZZ } });
}
if (!isInterrupted) {
  printStep('Live peers');
  try {
    const peers = prepareLivePeers();
    await run(livePeersRun(peers));
    for (const notice of peers.notices) printStep(`Notice: ${notice}`);
  } catch (error) {
    printStep(`The live peers could not be installed: not tested, which counts as a failure\n${String(error)}`);
    total.failed += 1;
    exitCode ||= 1;
  }
}
if (!isInterrupted) {
  printStep(`TypeScript ${COMPILER}: compile the programs of users`);
  const folder = compilerOf(COMPILER);
  if (folder === undefined) {
    printStep(
      `TypeScript ${COMPILER} could not be downloaded from the registry: not tested, which counts as a failure`,
    );
    total.failed += 1;
    exitCode ||= 1;
  } else {
    await run({ args: ['test/types'], env: { TANDEM_COMPILERS: folder } });
  }
}
for (const version of NODES) {
  if (isInterrupted) break;
  const node = nodeOf(version);
  if (node === undefined) {
    printStep(`Node ${version} could not be had from the registry: not tested, which counts as a failure`);
    total.failed += 1;
    exitCode ||= 1;
  } else {
    printStep(`Node ${version}: ${node}`);
    await run({ args: ['--project', 'unit', '--project', 'simulation', '--project', 'store'], node });
  }
}
if (!isInterrupted) {
  printStep('Bun: serve an agent and call it');
  const isPassed = passesOnBun();
  total[isPassed ? 'passed' : 'failed'] += 1;
  if (!isPassed) exitCode ||= 1;
}
process.stdout.write(summary(total));
process.exitCode = exitCode;

/** @param {import('./run-vitest.mjs').Options} options */
async function run(options) {
  const result = await runVitest(options);
  total.passed += result.counts.passed;
  total.failed += result.counts.failed;
  total.skipped += result.counts.skipped;
  exitCode ||= result.exitCode;
}

/** The path of another version of Node. npm downloads it if necessary. */
function nodeOf(/** @type {number} */ version) {
  try {
    const script = `if (!process.version.startsWith('v${version}.')) process.exit(1); console.log(process.execPath)`;
    return execFileSync('npx', ['--yes', `node@${version}`, '-e', script], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** The folder of another version of TypeScript, which npm downloads if necessary. */
function compilerOf(/** @type {string} */ version) {
  try {
    const script = "path.join(process.env.PATH.split(path.delimiter)[0], '../typescript')";
    const args = ['--yes', `--package=typescript@~${version}.0`, '--', 'node', '-p', script];
    // Elsewhere than in the checkout, whose own compiler npm would prefer.
    return execFileSync('npx', args, { encoding: 'utf8', cwd: tmpdir() }).trim();
  } catch {
    return undefined;
  }
}

/**
 * Whether the smoke test passes on the latest Bun 1, which npm downloads if necessary. A failed download is a failure.
 */
function passesOnBun() {
  try {
    const program = fileURLToPath(new URL('../test/runtimes/bun-smoke.ts', import.meta.url));
    execFileSync('npx', ['--yes', 'bun@1', program], { stdio: 'inherit', timeout: 300_000 });
    return true;
  } catch {
    return false;
  }
}

function printStep(/** @type {string} */ text) {
  process.stdout.write(`\n==> ${text}\n`);
}
