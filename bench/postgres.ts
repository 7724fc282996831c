import type { Bench } from './harness/bench.ts';
import { type Goal, goalTable } from './harness/goals.ts';
import { TestBed } from './harness/http-rounds.ts';
import { buildProduct, installPeers } from './harness/product.ts';
import { type Spread, ratios, spread } from './harness/stats.ts';
import { show, showSpread, table } from './harness/table.ts';
import { BLOCKING, IMMEDIATE, postgresSend } from './postgres-send.ts';
import { type CommitRow, measureCommits } from './postgres/commits.ts';
import { EVENTS, type LatencyRow, measureLatency } from './postgres/latency.ts';
import {
  type Cluster,
  measureSends,
  ONE,
  PEER_CLUSTER,
  type SendRound,
  type SendRounds,
  startCluster,
} from './postgres/sends.ts';
import { DatabaseServer } from './postgres/server.ts';
import { type Footprint, type IdleRow, measureFootprint, measureIdle } from './postgres/idle-cluster.ts';

const SIZES = [
  [ONE, 1],
  ['tandem, 2 processes', 2],
  ['tandem, 3 processes', 3],
] as const;

/** Servers that share a PostgreSQL database: the rate of sends, the latency of events, and the cost of idle servers. */
export const postgres: Bench = {
  name: 'postgres',
  async run({ quick }) {
    buildProduct();
    installPeers();
    const options = { quick, rounds: quick ? 2 : 5 };
    await using server = await DatabaseServer.open();
    const commits = await measureCommits(await server.create('commits'), options);
    await using bed = new TestBed();
    const clusters: Cluster[] = [await startCluster(bed, server, PEER_CLUSTER, ['all'])];
    for (const [name, size] of SIZES) {
      clusters.push(
        await startCluster(
          bed,
          server,
          name,
          Array.from({ length: size }, () => 'all' as const),
        ),
      );
    }
    const own = clusters.slice(1);
    // Measured first, before the database has rows to vacuum.
    const idle = await measureIdle(own, quick ? 2000 : 10_000);
    const sends = new Map<string, SendRounds>();
    for (const work of [BLOCKING, IMMEDIATE]) {
      sends.set(work.name, await measureSends(bed, server, clusters, work, options));
    }
    const footprint = await measureFootprint(own[0] as Cluster);
    const roles = await startCluster(bed, server, 'roles', ['web', 'worker']);
    const latency = await measureLatency(roles, options);
    await Promise.all([...clusters, roles].map(({ pool }) => pool.end()));
    return report({ sends, latency, commits, idle, footprint }, options.rounds);
  },
};

interface Measured {
  readonly sends: ReadonlyMap<string, SendRounds>;
  readonly latency: readonly LatencyRow[];
  readonly commits: readonly CommitRow[];
  readonly idle: readonly IdleRow[];
  readonly footprint: Footprint;
}

function report(measured: Measured, rounds: number): Awaited<ReturnType<Bench['run']>> {
  const { sends, latency, commits, idle, footprint } = measured;
  const rows = [...sends].flatMap(([work, clusters]) => sendRows(work, clusters));
  const goals = goalsOf(rows, latency);
  return {
    title: `${postgresSend.title} (${rounds} rounds)`,
    table: [
      sendTable(rows),
      latencyTable(latency),
      commitTable(commits),
      idleTable(idle),
      `A task takes ${show(footprint.bytesPerTask / 1024)} KiB; ${show(footprint.hotShare * 100)} % of updates are HOT.`,
      goalTable(goals),
    ].join('\n\n'),
    result: { rows, latency, commits, idle, footprint, goals },
  };
}

interface SendRow {
  readonly name: string;
  readonly rate: Spread;
  readonly rateToOne: Spread;
  readonly rateToPeer: Spread;
  readonly serverCpuUs: Spread;
  readonly databaseCpuUs: Spread;
  readonly loadCpuUs: Spread;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  readonly rounds: readonly SendRound[];
}

function sendRows(work: string, clusters: SendRounds): readonly SendRow[] {
  const rates = (name: string): readonly number[] => (clusters.get(name) ?? []).map((one) => one.sendsPerSecond);
  return [...clusters].map(([name, rounds]) => {
    const values = (key: keyof SendRound): Spread => spread(rounds.map((round) => round[key] ?? Number.NaN));
    return {
      name: `${work}, ${name}`,
      rate: values('sendsPerSecond'),
      rateToOne: ratios(rates(name), rates(ONE)),
      rateToPeer: ratios(rates(name), rates(PEER_CLUSTER)),
      serverCpuUs: values('serverCpuUs'),
      databaseCpuUs: values('databaseCpuUs'),
      loadCpuUs: values('loadCpuUs'),
      p50Ms: values('p50Ms'),
      p99Ms: values('p99Ms'),
      rounds,
    };
  });
}

function goalsOf(rows: readonly SendRow[], latency: readonly LatencyRow[]): readonly Goal[] {
  const own = rows.filter(({ name }) => name.endsWith(ONE));
  const events = latency.find(({ name }) => name === EVENTS);
  if (events === undefined) throw new Error('there is no latency to compare');
  return [
    ...own.map(({ name, rateToPeer }) => ({
      name: `${name} ÷ ${PEER_CLUSTER}, rate`,
      measured: rateToPeer,
      atLeast: 5,
    })),
    { name: 'event ÷ round trip of a notification, p99', measured: events.p99ToRaw, atMost: 3 },
  ];
}

function sendTable(rows: readonly SendRow[]): string {
  const head = [
    'case, contender',
    'sends/s',
    'rate × 1 process',
    `rate × ${PEER_CLUSTER}`,
    'CPU µs/send: servers',
    'database',
    'load',
    'p50 ms',
    'p99 ms',
  ];
  const cells = rows.map((row) => [
    row.name,
    show(row.rate.median),
    showSpread(row.rateToOne),
    showSpread(row.rateToPeer),
    showSpread(row.serverCpuUs),
    showSpread(row.databaseCpuUs),
    show(row.loadCpuUs.median),
    show(row.p50Ms.median),
    show(row.p99Ms.median),
  ]);
  return table(head, cells);
}

function latencyTable(rows: readonly LatencyRow[]): string {
  const cells = rows.map(({ name, ...row }) => [
    name,
    showSpread(row.p50Ms),
    showSpread(row.p99Ms),
    showSpread(row.p50ToRaw),
    showSpread(row.p99ToRaw),
  ]);
  return table(['200 events/s', 'p50 ms', 'p99 ms', 'p50 × round trip', 'p99 × round trip'], cells);
}

function commitTable(rows: readonly CommitRow[]): string {
  const cells = rows.map(({ name, cpuUs, tasksPerSecond, rateToSingle }) => [
    name,
    showSpread(cpuUs),
    show(tasksPerSecond.median),
    showSpread(rateToSingle),
  ]);
  return table(['tasks of 12 writes', 'CPU µs/task', 'tasks/s', 'rate × each alone'], cells);
}

function idleTable(rows: readonly IdleRow[]): string {
  const cells = rows.map(({ name, transactionsPerSecond, serverCpuMsPerSecond, connections }) => [
    name,
    show(transactionsPerSecond),
    show(serverCpuMsPerSecond),
    show(connections),
  ]);
  return table(['idle, each process', 'transactions/s', 'CPU ms/s', 'connections'], cells);
}
