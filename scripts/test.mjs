/**
 * `npm test`: runs vitest with the arguments given, then prints the plain `N passed, N failed, N skipped` as the very
 * last line. The exit code is vitest's.
 */
import { runVitest, summary } from './run-vitest.mjs';

const { counts, exitCode } = await runVitest({ args: process.argv.slice(2) });
process.stdout.write(summary(counts));
process.exitCode = exitCode;
