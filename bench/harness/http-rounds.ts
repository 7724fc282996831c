import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { type Contender, contenders } from '../contenders/list.ts';
import { Child } from './child.ts';
import { type ContenderRequest, type CpuReading, type Listening, readCpu, setupArgs } from './contender.ts';
import type { HttpBench, HttpCase } from './http-bench.ts';
import type { LoadOrder, LoadResult } from './load.ts';
import { MachineLoad } from './machine-load.ts';
import { quantile } from './stats.ts';

/** One round of one contender. */
export interface Round {
  readonly cpuUsPerUnit: number;
  readonly unitsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The share of one core that the load generator used. Near 1, the generator limits the rate, not the server. */
  readonly loadBusy: number;
  /** The share of the machine that was used by other work. */
  readonly othersBusy: number;
}

/** All rounds of one case by contender. The n-th rounds of all contenders ran one after the other. */
export type CaseRounds = ReadonlyMap<string, readonly Round[]>;

/** The rounds of one case, in a closed loop and at its fixed rate, if it has one. */
export interface MeasuredCase {
  readonly closedLoop: CaseRounds;
  readonly atRate?: CaseRounds;
}

/** The duration of a round at a fixed rate. */
const FIXED_RATE_SECONDS = 1.5;
/** A contender that is not this much faster than a fixed rate would queue requests. */
const FASTER = 1.5;

export interface RoundsOptions {
  readonly rounds: number;
  readonly quick: boolean;
}

/** Beside the results and not in the system's folder for temporary files, which may be in memory. */
const RESULTS = fileURLToPath(new URL('../results/', import.meta.url));
const ANSWER_LIMIT_MS = 15_000;
/** Added to the limit for each task that a server creates at the start. */
const FILL_LIMIT_MS = 1;
const ROUND_LIMIT_MS = 60_000;

export interface Running {
  readonly name: string;
  readonly child: Child;
  readonly port: number;
  sent: number;
}

/** The servers of a case, the load generator, and a folder for their files. */
export class TestBed {
  readonly load = new Child('load generator', new URL('load.ts', import.meta.url));
  readonly #children = [this.load];
  readonly #folder: string;

  constructor() {
    mkdirSync(RESULTS, { recursive: true });
    this.#folder = mkdtempSync(join(RESULTS, 'servers-'));
  }

  async start(
    { name, file, store, guards, database, role }: Contender,
    tasks = 0,
    nodeOptions: readonly string[] = [],
  ): Promise<Running> {
    const folder = mkdtempSync(join(this.#folder, 'server-'));
    const args = setupArgs({ store, tasks, guards, database, role });
    const child = new Child(name, file, { args, folder, nodeOptions });
    this.#children.push(child);
    const limitMs = ANSWER_LIMIT_MS + tasks * FILL_LIMIT_MS;
    const { port } = await child.request<Listening>('listen' satisfies ContenderRequest, limitMs);
    return { name, child, port, sent: 0 };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#children.map((child) => child.stop()));
    rmSync(this.#folder, { recursive: true });
  }
}

/** Starts the contenders of the case and runs their rounds in turn: A B A B …, each round starting with another one. */
export async function runCase(bench: HttpBench, work: HttpCase, options: RoundsOptions): Promise<MeasuredCase> {
  await using bed = new TestBed();
  const running: Running[] = [];
  for (const contender of contenders.filter(({ name }) => work.only?.includes(name) ?? true)) {
    running.push(await bed.start(contender));
  }
  const one = (server: Running) => oneRound(bed.load, server, bench, work, options);
  for (const server of running) await warmUp(() => one(server), options.quick ? 500 : 2000);
  const closedLoop = await inTurn(running, options.rounds, one);
  const { fixedRate } = work;
  if (fixedRate === undefined) return { closedLoop };
  const faster = running.filter(({ name }) => isFaster(closedLoop.get(name) ?? [], fixedRate));
  const atRate = (server: Running) => oneRound(bed.load, server, bench, work, options, fixedRate);
  return { closedLoop, atRate: await inTurn(faster, options.rounds, atRate) };
}

async function inTurn(
  servers: readonly Running[],
  count: number,
  one: (server: Running) => Promise<Round>,
): Promise<CaseRounds> {
  const rounds = new Map<string, Round[]>(servers.map(({ name }) => [name, []]));
  for (let round = 0; round < count; round++) {
    for (const server of rotated(servers, round)) rounds.get(server.name)?.push(await one(server));
  }
  return rounds;
}

/** Whether a contender can be measured at this rate. */
function isFaster(closedLoop: readonly Round[], rate: number): boolean {
  const rates = closedLoop.map(({ unitsPerSecond }) => unitsPerSecond);
  return quantile(rates, 0.5) >= FASTER * rate;
}

/** The same list in another order each round, so that no contender always follows the same one. */
export function rotated<T>(all: readonly T[], round: number): readonly T[] {
  const shift = round % all.length;
  return [...all.slice(shift), ...all.slice(0, shift)];
}

/** A fast server needs many rounds until its code is compiled; a slow one is warm after the first. */
export async function warmUp(round: () => Promise<unknown>, forMs: number): Promise<void> {
  const until = performance.now() + forMs;
  do await round();
  while (performance.now() < until);
}

export async function oneRound(
  load: Child,
  server: Running,
  bench: HttpBench,
  work: HttpCase,
  { quick }: RoundsOptions,
  rate?: number,
): Promise<Round> {
  const all = rate === undefined ? (work.fewer?.[server.name] ?? work.requests) : rate * FIXED_RATE_SECONDS;
  const requests = quick && all > work.connections ? Math.ceil(all / 4) : all;
  const order: LoadOrder = {
    bench: bench.name,
    work: work.name,
    ports: [server.port],
    requests,
    first: server.sent,
    limitMs: ROUND_LIMIT_MS,
    ...(rate !== undefined && { rate }),
  };
  server.sent += requests;
  const machine = new MachineLoad();
  const ownBefore = readCpu().cpuUs;
  const before = await cpuOf(server);
  // The load generator stops by itself. This limit applies if it cannot.
  const result = await load.request<LoadResult>(order, ROUND_LIMIT_MS + ANSWER_LIMIT_MS).catch((error: unknown) => {
    throw new Error(`the round "${work.name}" against ${server.name} failed`, { cause: error });
  });
  const cpuUs = (await cpuOf(server)) - before;
  return {
    cpuUsPerUnit: cpuUs / result.units,
    unitsPerSecond: (result.units / result.wallMs) * 1000,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    loadBusy: result.loadCpuUs / (result.wallMs * 1000),
    othersBusy: machine.others(cpuUs + result.totalCpuUs + readCpu().cpuUs - ownBefore),
  };
}

async function cpuOf({ child }: Running): Promise<number> {
  return (await child.request<CpuReading>('cpu' satisfies ContenderRequest, ANSWER_LIMIT_MS)).cpuUs;
}
