import { performance } from 'node:perf_hooks';
import { type Contender, contenders } from '../contenders/list.ts';
import { Child } from './child.ts';
import type { ContenderQuestion, CpuReading, Listening } from './contender.ts';
import type { HttpBench, HttpCase } from './http-bench.ts';
import type { LoadOrder, LoadResult } from './load.ts';

/** One round of one contender. */
export interface Round {
  readonly cpuUsPerUnit: number;
  readonly unitsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Share of one core that the load generator used: near 1, the rate is its limit and not the server's. */
  readonly loadBusy: number;
}

/** All rounds of one case, by contender; the n-th rounds of all contenders ran next to each other. */
export type CaseRounds = ReadonlyMap<string, readonly Round[]>;

export interface RoundsOptions {
  readonly rounds: number;
  readonly quick: boolean;
}

const ANSWER_LIMIT_MS = 15_000;
const ROUND_LIMIT_MS = 60_000;

interface Running {
  readonly name: string;
  readonly child: Child;
  readonly port: number;
  sent: number;
}

/** Starts the contenders of the case and runs its rounds in turn: A B A B …, each round beginning with another one. */
export async function runCase(bench: HttpBench, work: HttpCase, options: RoundsOptions): Promise<CaseRounds> {
  const load = new Child('load generator', new URL('load.ts', import.meta.url));
  const children = [load];
  try {
    const running: Running[] = [];
    for (const contender of contenders.filter(({ name }) => work.only?.includes(name) ?? true)) {
      running.push(await start(contender, children));
    }
    const one = (server: Running) => oneRound(load, server, bench, work, options);
    for (const server of running) await warmUp(() => one(server), options.quick ? 500 : 2000);
    const rounds = new Map<string, Round[]>(running.map(({ name }) => [name, []]));
    for (let round = 0; round < options.rounds; round++) {
      const shift = round % running.length;
      for (const server of [...running.slice(shift), ...running.slice(0, shift)]) {
        rounds.get(server.name)?.push(await one(server));
      }
    }
    return rounds;
  } finally {
    await Promise.all(children.map((child) => child.stop()));
  }
}

async function start({ name, file }: Contender, children: Child[]): Promise<Running> {
  const child = new Child(name, file);
  children.push(child);
  const { port } = await child.ask<Listening>('listen' satisfies ContenderQuestion, ANSWER_LIMIT_MS);
  return { name, child, port, sent: 0 };
}

/** A fast server needs many rounds before its code is compiled, a slow one is warm after the first. */
async function warmUp(round: () => Promise<unknown>, forMs: number): Promise<void> {
  const until = performance.now() + forMs;
  do await round();
  while (performance.now() < until);
}

async function oneRound(
  load: Child,
  server: Running,
  bench: HttpBench,
  work: HttpCase,
  { quick }: RoundsOptions,
): Promise<Round> {
  const all = work.fewer?.[server.name] ?? work.requests;
  const requests = quick ? Math.ceil(all / 4) : all;
  const order: LoadOrder = {
    bench: bench.name,
    work: work.name,
    port: server.port,
    requests,
    first: server.sent,
    limitMs: ROUND_LIMIT_MS,
  };
  server.sent += requests;
  const before = await cpuOf(server);
  // The load generator stops by itself; the limit here is for the case that it cannot.
  const result = await load.ask<LoadResult>(order, ROUND_LIMIT_MS + ANSWER_LIMIT_MS).catch((error: unknown) => {
    throw new Error(`the round "${work.name}" against ${server.name} failed`, { cause: error });
  });
  const cpuUs = (await cpuOf(server)) - before;
  return {
    cpuUsPerUnit: cpuUs / result.units,
    unitsPerSecond: (result.units / result.wallMs) * 1000,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    loadBusy: result.loadCpuUs / (result.wallMs * 1000),
  };
}

async function cpuOf({ child }: Running): Promise<number> {
  return (await child.ask<CpuReading>('cpu' satisfies ContenderQuestion, ANSWER_LIMIT_MS)).cpuUs;
}
