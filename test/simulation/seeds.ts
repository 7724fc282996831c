import { type Defect, simulate, type SimulateOptions } from './simulate.ts';
import type { Violation } from './world.ts';

/** How many worlds a test run simulates; `npm run test:long` sets more. */
const COUNT = Number(process.env['SEEDS'] ?? 2000);
/** The only world to simulate: set it to the seed that a failure names. */
const ONLY = process.env['SEED'];

/** Worlds beyond the first ones in which the engine once had a defect. */
const FOUND = [3315, 5570, 14661, 26199, 30404, 35931, 46494, 47839, 51678, 62904];

/** The same, for worlds in which steps publish output. */
const FOUND_WITH_OUTPUTS = [1154, 3442, 5629, 15602, 17222, 19674, 28221];

/** How many lines of the end of a trace are shown. */
const TRACE_LINES = 150;
const LINE_WIDTH = 600;

/** Simulates every second seed, so that two files share the work. */
export async function simulateSeeds(first: 1 | 2): Promise<void> {
  if (ONLY !== undefined) {
    if (Number(ONLY) % 2 === first % 2) await simulateSeed(Number(ONLY));
    return;
  }
  for (const seed of FOUND) if (seed % 2 === first % 2) await simulateSeed(seed);
  for (let seed = first; seed <= COUNT; seed += 2) await simulateSeed(seed);
}

/** Worlds with receivers of push notifications; fewer, because each of them takes longer. */
export async function simulateSeedsWithReceivers(): Promise<void> {
  const options = { hasReceivers: true };
  if (ONLY !== undefined) await simulateSeed(Number(ONLY), options);
  else for (let seed = 1; seed <= COUNT / 10; seed++) await simulateSeed(seed, options);
}

/** Worlds in which steps publish output. */
export async function simulateSeedsWithStepOutputs(): Promise<void> {
  const options = { hasStepOutputs: true };
  if (ONLY !== undefined) {
    await simulateSeed(Number(ONLY), options);
    return;
  }
  for (const seed of FOUND_WITH_OUTPUTS) await simulateSeed(seed, options);
  for (let seed = 1; seed <= COUNT / 2; seed++) await simulateSeed(seed, options);
}

async function simulateSeed(seed: number, options: SimulateOptions = {}): Promise<void> {
  const { violation } = await simulate(seed, options);
  if (violation !== undefined) throw new Error(await report(seed, options, violation));
}

/** Simulates the same world again with a trace. */
async function report(seed: number, options: SimulateOptions, { message }: Violation): Promise<string> {
  const { trace } = await simulate(seed, { ...options, isTraced: true });
  const end = trace.findIndex((line) => line.includes('VIOLATION')) + 1;
  const lines = trace.slice(Math.max(0, end - TRACE_LINES), end).map((line) => line.slice(0, LINE_WIDTH));
  return `Seed ${seed} (SEED=${seed} runs it alone): ${message}\n${lines.join('\n')}`;
}

/** The first violation within so many seeds. */
export async function findViolation(defect: Defect, seeds: number, hasReceivers = false): Promise<string | undefined> {
  for (let seed = 1; seed <= seeds; seed++) {
    const { violation } = await simulate(seed, { defect, hasReceivers });
    if (violation !== undefined) return violation.message;
  }
  return undefined;
}
