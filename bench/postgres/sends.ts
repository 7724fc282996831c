import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { type Contender, OWN_FILE, PEER_FILE } from '../contenders/list.ts';
import type { ContenderRequest, CpuReading } from '../harness/contender.ts';
import type { HttpCase } from '../harness/http-bench.ts';
import { type TestBed, type Running, rotated, warmUp } from '../harness/http-rounds.ts';
import type { LoadOrder, LoadResult } from '../harness/load.ts';
import { postgresSend } from '../postgres-send.ts';
import type { DatabaseServer } from './server.ts';

export const PEER_CLUSTER = 'a2a-js';
export const ONE = 'tandem, 1 process';

/** Processes that share a database. */
export interface Cluster {
  readonly name: string;
  readonly database: string;
  readonly nodes: readonly Running[];
  readonly pool: pg.Pool;
  sent: number;
}

/** The cost of a send for each process involved. */
export interface SendRound {
  readonly sendsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly loadCpuUs: number;
  readonly serverCpuUs: number;
  /** Undefined if the processes of the database are not visible. */
  readonly databaseCpuUs: number | undefined;
}

export type SendRounds = ReadonlyMap<string, readonly SendRound[]>;

const LIMIT_MS = 60_000;
const UNFINISHED: Readonly<Record<string, string>> = {
  [PEER_CLUSTER]: "SELECT FROM tasks WHERE status_state <> 'TASK_STATE_COMPLETED' LIMIT 1",
};
const OWN_UNFINISHED = 'SELECT FROM tandem.task WHERE ended_at IS NULL LIMIT 1';

export async function startCluster(
  bed: TestBed,
  server: DatabaseServer,
  name: string,
  roles: readonly NonNullable<Contender['role']>[],
): Promise<Cluster> {
  const database = await server.create(name.replaceAll(/\W+/g, '_'));
  const file = name === PEER_CLUSTER ? PEER_FILE : OWN_FILE;
  const nodes: Running[] = [];
  for (const role of roles) nodes.push(await bed.start({ name, file, store: 'postgres', database, role }));
  return { name, database, nodes, pool: new pg.Pool({ connectionString: database, max: 1 }), sent: 0 };
}

/** Measures clusters of each size and the SDK in turn. The time ends when the last task has ended. */
export async function measureSends(
  bed: TestBed,
  server: DatabaseServer,
  clusters: readonly Cluster[],
  work: HttpCase,
  { rounds, quick }: { readonly rounds: number; readonly quick: boolean },
): Promise<SendRounds> {
  const one = (cluster: Cluster): Promise<SendRound> => sendRound(bed, server, cluster, work, quick);
  // Each process compiles its own code.
  for (const cluster of clusters) await warmUp(() => one(cluster), (quick ? 300 : 1500) * cluster.nodes.length);
  const measured = new Map<string, SendRound[]>(clusters.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const cluster of rotated(clusters, round)) measured.get(cluster.name)?.push(await one(cluster));
  }
  return measured;
}

async function sendRound(
  bed: TestBed,
  server: DatabaseServer,
  cluster: Cluster,
  work: HttpCase,
  quick: boolean,
): Promise<SendRound> {
  const all = cluster.name === PEER_CLUSTER ? work.requests / 8 : work.requests;
  const requests = quick ? all / 4 : all;
  const order: LoadOrder = {
    bench: postgresSend.name,
    work: work.name,
    ports: cluster.nodes.map(({ port }) => port),
    requests,
    first: cluster.sent,
    limitMs: LIMIT_MS,
  };
  cluster.sent += requests;
  const [serverBefore, databaseBefore] = [await cpuOf(cluster), server.cpuUs()];
  const started = performance.now();
  const { wallMs, p50Ms, p99Ms, loadCpuUs } = await bed.load.request<LoadResult>(order, 2 * LIMIT_MS);
  // The time for checking the responses does not count. Tasks that run during the check do count; if all have ended,
  // there is no such time.
  const isDone = await hasFinished(cluster);
  if (!isDone) await finished(cluster);
  const untilEndMs = isDone ? wallMs : performance.now() - started;
  const databaseAfter = server.cpuUs();
  return {
    sendsPerSecond: (requests / untilEndMs) * 1000,
    p50Ms,
    p99Ms,
    loadCpuUs: loadCpuUs / requests,
    serverCpuUs: ((await cpuOf(cluster)) - serverBefore) / requests,
    databaseCpuUs:
      databaseAfter === undefined || databaseBefore === undefined
        ? undefined
        : (databaseAfter - databaseBefore) / requests,
  };
}

async function cpuOf({ nodes }: Cluster): Promise<number> {
  const question: ContenderRequest = 'cpu';
  const readings = await Promise.all(nodes.map(({ child }) => child.request<CpuReading>(question, LIMIT_MS)));
  return readings.reduce((sum, { cpuUs }) => sum + cpuUs, 0);
}

async function hasFinished({ name, pool }: Cluster): Promise<boolean> {
  return (await pool.query(UNFINISHED[name] ?? OWN_UNFINISHED)).rowCount === 0;
}

async function finished(cluster: Cluster): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!(await hasFinished(cluster))) {
    if (performance.now() > end) throw new Error(`${cluster.name}: tasks did not end`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
