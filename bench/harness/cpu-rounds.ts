/** A function to measure inside this process, and its baseline. Both get the same text. */
export interface CpuCase {
  readonly name: string;
  readonly text: string;
  readonly baseline: (text: string) => string;
  readonly run: (text: string) => string;
}

/** CPU time per call for all threads of the process, because garbage collection is part of the cost. */
export interface CpuRound {
  readonly baselineUs: number;
  readonly runUs: number;
}

export interface CpuRoundsOptions {
  readonly rounds: number;
  readonly warmUpRounds: number;
  readonly callsPerRound: number;
}

/**
 * Consecutive calls of one kind, about 2 ms, so that disturbances of the machine affect the baseline and the work
 * alike.
 */
const SLICE = 250;

/** Runs the cases in turn, each with alternating slices of the baseline and the work. */
export function runCpuRounds(cases: readonly CpuCase[], options: CpuRoundsOptions): Map<string, CpuRound[]> {
  const rounds = new Map<string, CpuRound[]>(cases.map(({ name }) => [name, []]));
  for (let round = -options.warmUpRounds; round < options.rounds; round++) {
    for (const one of cases) {
      const measured = runCpuRound(one, Math.ceil(options.callsPerRound / SLICE));
      if (round >= 0) rounds.get(one.name)?.push(measured);
    }
  }
  return rounds;
}

function runCpuRound({ text, baseline, run }: CpuCase, slices: number): CpuRound {
  let [baselineUs, runUs] = [0, 0];
  for (let slice = 0; slice < slices; slice++) {
    baselineUs += cpuOfSlice(baseline, text);
    runUs += cpuOfSlice(run, text);
  }
  return { baselineUs: baselineUs / (slices * SLICE), runUs: runUs / (slices * SLICE) };
}

function cpuOfSlice(run: (text: string) => string, text: string): number {
  let length = 0;
  const before = process.cpuUsage();
  for (let i = 0; i < SLICE; i++) length += run(text).length;
  const { user, system } = process.cpuUsage(before);
  // Uses the results, so that no compiler can remove the work.
  if (length === 0) throw new Error('the measured function returned nothing');
  return user + system;
}
