import type { ContenderRequest, CpuReading } from '../harness/contender.ts';
import type { Cluster } from './sends.ts';

/** The cost of an idle cluster per process. */
export interface IdleRow {
  readonly name: string;
  readonly transactionsPerSecond: number;
  readonly serverCpuMsPerSecond: number;
  readonly connections: number;
}

/** The size of a task in the database. */
export interface Footprint {
  readonly bytesPerTask: number;
  /** The share of updates of task rows that needed no index update (HOT). */
  readonly hotShare: number;
}

/** The database counts a transaction only after its connection has been idle for a while. */
const SETTLE_MS = 1500;
const ANSWER_LIMIT_MS = 15_000;

export async function measureIdle(clusters: readonly Cluster[], forMs: number): Promise<readonly IdleRow[]> {
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  await pause(SETTLE_MS);
  const before = await Promise.all(clusters.map(readIdle));
  await pause(forMs);
  const after = await Promise.all(clusters.map(readIdle));
  return clusters.map(({ name, nodes }, i) => {
    const [first, last] = [before[i], after[i]];
    if (first === undefined || last === undefined) throw new Error(`${name} was not read`);
    const each = (forMs / 1000) * nodes.length;
    return {
      name,
      // One of the transactions is this query itself.
      transactionsPerSecond: Math.max(0, last.transactions - first.transactions - 1) / each,
      serverCpuMsPerSecond: (last.cpuUs - first.cpuUs) / 1000 / each,
      connections: (last.connections - 1) / nodes.length,
    };
  });
}

interface Reading {
  readonly transactions: number;
  readonly connections: number;
  readonly cpuUs: number;
}

async function readIdle({ pool, nodes }: Cluster): Promise<Reading> {
  const { rows } = await pool.query<{ transactions: string; connections: number }>(
    `SELECT xact_commit + xact_rollback AS transactions, numbackends AS connections
     FROM pg_stat_database WHERE datname = current_database()`,
  );
  const question: ContenderRequest = 'cpu';
  const cpu = await Promise.all(nodes.map(({ child }) => child.request<CpuReading>(question, ANSWER_LIMIT_MS)));
  return {
    transactions: Number(rows[0]?.transactions),
    connections: Number(rows[0]?.connections),
    cpuUs: cpu.reduce((sum, { cpuUs }) => sum + cpuUs, 0),
  };
}

export async function measureFootprint({ pool }: Cluster): Promise<Footprint> {
  const { rows } = await pool.query<{ bytes: string; tasks: string; hot: string; updates: string }>(
    `SELECT (SELECT sum(pg_total_relation_size(relid)) FROM pg_stat_user_tables WHERE schemaname = 'tandem') AS bytes,
       (SELECT count(*) FROM tandem.task) AS tasks, n_tup_hot_upd AS hot, n_tup_upd AS updates
     FROM pg_stat_user_tables WHERE schemaname = 'tandem' AND relname = 'task'`,
  );
  const { bytes, tasks, hot, updates } = rows[0] ?? {};
  return { bytesPerTask: Number(bytes) / Number(tasks), hotShare: Number(hot) / Number(updates) };
}
