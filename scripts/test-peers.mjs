/**
 * `npm run test:peers`: tests against the peers of `test/peers/live` in both directions over real sockets. Installs
 * them first, runs vitest with the given arguments, and ends with `N passed, N failed, N skipped`. The exit code is
 * vitest's.
 */
import { livePeersRun, prepareLivePeers } from './live-peers.mjs';
import { runVitest, summary } from './run-vitest.mjs';

const prepared = prepareLivePeers();
const { args, env } = livePeersRun(prepared);
const { counts, exitCode } = await runVitest({ args: [...args, ...process.argv.slice(2)], env });
for (const notice of prepared.notices) process.stdout.write(`Notice: ${notice}\n`);
process.stdout.write(summary(counts));
process.exitCode = exitCode;
