import { closeSync, fdatasyncSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Driver } from '../src/store/sqlite/database/driver.ts';
import type { Store } from '../src/store/store.ts';
import type { Bench } from './harness/bench.ts';
import { type Goal, goalTable } from './harness/goals.ts';
import { buildModules, importModule } from './harness/product.ts';
import { quantile, ratios, type Spread, spread } from './harness/stats.ts';
import { show, showSpread, table } from './harness/table.ts';
import { askAll, type Asked, fill } from './store-reads.ts';
import { runTask, runTaskRounds, type TaskRound, type TaskRunner, WRITES } from './store-tasks.ts';

type MemoryModule = typeof import('../src/store/memory/store.ts');
type SqliteModule = typeof import('../src/store/sqlite/store.ts');
type DriverModule = typeof import('../src/store/sqlite/database/driver.ts');

interface Stores {
  readonly openMemory: (maxTasks: number) => Store;
  readonly openSqlite: (name: string) => Store;
  /** Commits of all files that were opened. */
  readonly commits: () => number;
}

/** Beside the results and not in the system's folder for temporary files, which may be in memory. */
const FOLDER = fileURLToPath(new URL('results/', import.meta.url));
const MANY_TASKS = 100_000;
const ONE_BY_ONE = 'SQLite, 1 in flight';

/** Writes tasks, and reads them from a store with many. Without an engine; SQLite is on the disk of this folder. */
export const store: Bench = {
  name: 'store',
  async run({ quick }) {
    buildModules();
    mkdirSync(FOLDER, { recursive: true });
    const folder = mkdtempSync(join(FOLDER, 'store-'));
    try {
      const syncUs = syncTimes(folder, 300);
      const stores = await loadStores(folder);
      const options = quick ? { rounds: 3, warmUpRounds: 1 } : { rounds: 15, warmUpRounds: 2 };
      const writing = await measureWriting(stores, options);
      const tasks = quick ? MANY_TASKS / 10 : MANY_TASKS;
      const reading = await measureReading(
        stores,
        tasks,
        quick ? { rounds: 3, calls: 100 } : { rounds: 9, calls: 300 },
      );
      const goals = goalsOf(writing, reading);
      const title = [
        `store: a task is ${WRITES} writes; reads with ${tasks.toLocaleString('en')} tasks of one owner`,
        `(${options.rounds} rounds; fdatasync of 4 kB: p50 ${show(quantile(syncUs, 0.5))} µs, p99 ${show(quantile(syncUs, 0.99))} µs)`,
      ].join(' ');
      return {
        title,
        table: [writingTable(writing), readingTable(reading), goalTable(goals)].join('\n\n'),
        result: { syncUs: spread(syncUs), writing, reading, goals },
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

async function loadStores(folder: string): Promise<Stores> {
  const { memoryStore } = await importModule<MemoryModule>('store/memory/store.js');
  const { sqlite } = await importModule<SqliteModule>('store/sqlite/store.js');
  const { loadDriver } = await importModule<DriverModule>('store/sqlite/driver.js');
  let commits = 0;
  const open = loadDriver();
  const driver: Driver = (path) => {
    const database = open(path);
    const exec = (sql: string): void => {
      if (sql === 'COMMIT') commits += 1;
      database.exec(sql);
    };
    return { exec, prepare: (sql) => database.prepare(sql), close: () => database.close() };
  };
  return {
    openMemory: (maxTasks) => memoryStore({ maxTasks }),
    openSqlite: (name) => sqlite(join(folder, name), { driver }),
    commits: () => commits,
  };
}

interface Writing {
  readonly name: string;
  readonly cpuUs: Spread;
  readonly tasksPerSecond: Spread;
  /** Missing for stores without commits. */
  readonly writesPerCommit?: Spread;
  readonly rateToOneByOne: Spread;
  readonly rateToMemory: Spread;
  readonly rounds: readonly TaskRound[];
}

/** A new row needs a new runner here. All are compared with one commit per write and with memory. */
async function measureWriting(
  { openMemory, openSqlite, commits }: Stores,
  options: { readonly rounds: number; readonly warmUpRounds: number },
): Promise<readonly Writing[]> {
  const [memory, sqlite] = [openMemory(20_000), openSqlite('writing.db')];
  const runners: readonly TaskRunner[] = [
    ...[16, 64].map((inFlight) => ({
      name: `memory, ${inFlight} in flight`,
      inFlight,
      tasks: 2000,
      run: () => runTask(memory),
    })),
    // With one write at a time, the same store runs the same statements with one commit per write.
    { name: ONE_BY_ONE, inFlight: 1, tasks: 100, run: () => runTask(sqlite), commits },
    ...[16, 64].map((inFlight) => ({
      name: `SQLite, ${inFlight} in flight`,
      inFlight,
      tasks: 1000,
      run: () => runTask(sqlite),
      commits,
    })),
  ];
  const measured = await runTaskRounds(runners, options);
  await Promise.all([memory.close(), sqlite.close()]);
  return runners.map((runner) => summarize(runner, measured));
}

function summarize(
  { name, inFlight, tasks }: TaskRunner,
  measured: ReadonlyMap<string, readonly TaskRound[]>,
): Writing {
  const rates = (of: string): readonly number[] => (measured.get(of) ?? []).map((round) => round.tasksPerSecond);
  const rounds = measured.get(name) ?? [];
  const perCommit = rounds.flatMap(({ commits }) => (commits === undefined ? [] : [(tasks * WRITES) / commits]));
  return {
    name,
    cpuUs: spread(rounds.map(({ cpuUs }) => cpuUs)),
    tasksPerSecond: spread(rates(name)),
    ...(perCommit.length > 0 && { writesPerCommit: spread(perCommit) }),
    rateToOneByOne: ratios(rates(name), rates(ONE_BY_ONE)),
    rateToMemory: ratios(rates(name), rates(`memory, ${Math.max(inFlight, 16)} in flight`)),
    rounds,
  };
}

interface Reading {
  readonly store: string;
  readonly answers: readonly Asked[];
}

async function measureReading(
  { openMemory, openSqlite }: Stores,
  tasks: number,
  options: { readonly rounds: number; readonly calls: number },
): Promise<readonly Reading[]> {
  const readings: Reading[] = [];
  // The runner that fills the heap is last, because collecting its garbage would count for the other one.
  for (const [name, open] of [
    ['SQLite', () => openSqlite('reading.db')],
    ['memory', () => openMemory(tasks)],
  ] as const) {
    const one = open();
    await fill(one, tasks);
    readings.push({ store: name, answers: await askAll(one, tasks, options) });
    await one.close();
  }
  return readings;
}

function goalsOf(writing: readonly Writing[], reading: readonly Reading[]): readonly Goal[] {
  const grouped = writing.find(({ name }) => name === 'SQLite, 64 in flight');
  if (grouped === undefined) throw new Error('there is no row to compare');
  const pages = (store: string): readonly Asked[] =>
    (reading.find((one) => one.store === store)?.answers ?? []).filter(({ isPage }) => isPage);
  return [
    { name: 'group commit ÷ one commit per write', measured: grouped.rateToOneByOne, atLeast: 8 },
    { name: 'durable ÷ memory', measured: grouped.rateToMemory, atLeast: 0.45 },
    ...pages('SQLite').map(({ name, p99Us }) => ({
      name: `${name}, SQLite, p99`,
      measured: p99Us,
      unit: 'µs',
      atMost: 1000,
    })),
  ];
}

function writingTable(writing: readonly Writing[]): string {
  const head = ['store', 'CPU µs/task', 'tasks/s', 'writes per commit', 'rate × one commit per write', 'rate × memory'];
  const rows = writing.map((one) => [
    one.name,
    showSpread(one.cpuUs),
    show(one.tasksPerSecond.median),
    one.writesPerCommit ? show(one.writesPerCommit.median) : '–',
    showSpread(one.rateToOneByOne),
    showSpread(one.rateToMemory),
  ]);
  return table(head, rows);
}

function readingTable(reading: readonly Reading[]): string {
  const questions = reading[0]?.answers.map(({ name }) => name) ?? [];
  const head = [
    'call',
    ...reading.flatMap(({ store: name }) => ['p50', 'p99', 'p99 CPU'].map((what) => `${name}, ${what} µs`)),
  ];
  const rows = questions.map((question, i) => [
    question,
    ...reading.flatMap(({ answers }) =>
      [answers[i]?.p50Us, answers[i]?.p99Us, answers[i]?.p99CpuUs].map((one) => show(one?.median ?? Number.NaN)),
    ),
  ]);
  return table(head, rows);
}

/** The disk time of the smallest possible commit. */
function syncTimes(folder: string, times: number): readonly number[] {
  const file = openSync(join(folder, 'sync'), 'w');
  const bytes = new Uint8Array(4096);
  const took = Array.from({ length: times }, () => {
    const start = performance.now();
    // Overwrites in place, as SQLite writes its log after the first checkpoint.
    writeSync(file, bytes, 0, bytes.length, 0);
    fdatasyncSync(file);
    return (performance.now() - start) * 1000;
  });
  closeSync(file);
  return took;
}
