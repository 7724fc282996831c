import { type Breakage, simulate, type SimulateOptions } from './simulate.ts';
import type { Violation } from './world.ts';

/** How many worlds a run of the tests goes through; `npm run test:long` sets more. */
const COUNT = Number(process.env['SEEDS'] ?? 2000);
/** One world alone: what to set when a failure has named its seed. */
const ONLY = process.env['SEED'];

/** Worlds beyond the first ones in which the engine was once wrong. */
const FOUND = [3315, 5570, 14661, 26199, 30404, 35931, 46494, 47839, 51678, 62904];

/** The same, for worlds in which steps publish output. */
const FOUND_WITH_OUTPUTS = [1154, 3442, 5629, 15602, 17222, 19674, 28221];

/** Lines of a trace that are worth reading: the end of it. */
const TRACE_LINES = 150;
const LINE_WIDTH = 600;

/** Goes through every second seed, so that two files share the work. */
export async function playSeeds(first: 1 | 2): Promise<void> {
  if (ONLY !== undefined) {
    if (Number(ONLY) % 2 === first % 2) await play(Number(ONLY));
    return;
  }
  for (const seed of FOUND) if (seed % 2 === first % 2) await play(seed);
  for (let seed = first; seed <= COUNT; seed += 2) await play(seed);
}

/** Worlds in which receivers are told of tasks; fewer, for each of them takes longer. */
export async function playSeedsWithReceivers(): Promise<void> {
  const options = { hasReceivers: true };
  if (ONLY !== undefined) await play(Number(ONLY), options);
  else for (let seed = 1; seed <= COUNT / 10; seed++) await play(seed, options);
}

/** Worlds in which steps publish output. */
export async function playSeedsWithStepOutputs(): Promise<void> {
  const options = { hasStepOutputs: true };
  if (ONLY !== undefined) {
    await play(Number(ONLY), options);
    return;
  }
  for (const seed of FOUND_WITH_OUTPUTS) await play(seed, options);
  for (let seed = 1; seed <= COUNT / 2; seed++) await play(seed, options);
}

async function play(seed: number, options: SimulateOptions = {}): Promise<void> {
  const { violation } = await simulate(seed, options);
  if (violation !== undefined) throw new Error(await report(seed, options, violation));
}

/** Plays the same world again, this time taking notes. */
async function report(seed: number, options: SimulateOptions, { message }: Violation): Promise<string> {
  const { trace } = await simulate(seed, { ...options, isTraced: true });
  const end = trace.findIndex((line) => line.includes('VIOLATION')) + 1;
  const lines = trace.slice(Math.max(0, end - TRACE_LINES), end).map((line) => line.slice(0, LINE_WIDTH));
  return `Seed ${seed} (SEED=${seed} plays it alone): ${message}\n${lines.join('\n')}`;
}

/** The first violation within so many seeds. */
export async function findViolation(
  breakage: Breakage,
  seeds: number,
  hasReceivers = false,
): Promise<string | undefined> {
  for (let seed = 1; seed <= seeds; seed++) {
    const { violation } = await simulate(seed, { breakage, hasReceivers });
    if (violation !== undefined) return violation.message;
  }
  return undefined;
}
