/** One thing to measure inside this process, and what it is compared with. Both get the same text. */
export interface CpuCase {
  readonly name: string;
  readonly text: string;
  readonly floor: (text: string) => string;
  readonly run: (text: string) => string;
}

/** CPU time per call, all threads of the process: collecting the garbage is part of the price. */
export interface CpuRound {
  readonly floorUs: number;
  readonly runUs: number;
}

export interface CpuRoundsOptions {
  readonly rounds: number;
  readonly warmUpRounds: number;
  readonly callsPerRound: number;
}

/** Calls of one kind in a row: about 2 ms, so that what disturbs the machine hits the floor and the work alike. */
const SLICE = 250;

/** Runs the cases in turn, and in each case slices of the floor and of the work. */
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

function runCpuRound({ text, floor, run }: CpuCase, slices: number): CpuRound {
  let [floorUs, runUs] = [0, 0];
  for (let slice = 0; slice < slices; slice++) {
    floorUs += cpuOfSlice(floor, text);
    runUs += cpuOfSlice(run, text);
  }
  return { floorUs: floorUs / (slices * SLICE), runUs: runUs / (slices * SLICE) };
}

function cpuOfSlice(run: (text: string) => string, text: string): number {
  let length = 0;
  const before = process.cpuUsage();
  for (let i = 0; i < SLICE; i++) length += run(text).length;
  const { user, system } = process.cpuUsage(before);
  // Uses the results, so that no compiler may leave the work out.
  if (length === 0) throw new Error('the measured function returned nothing');
  return user + system;
}
