import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine } from '../src/engine/engine.ts';
import type { Handler } from '../src/engine/handler.ts';
import type { Store } from '../src/store/store.ts';
import type { Bench } from './harness/bench.ts';
import { type Goal, goalTable } from './harness/goals.ts';
import { buildModules, importModule } from './harness/product.ts';
import { ratios, type Spread, spread } from './harness/stats.ts';
import { show, showSpread, table } from './harness/table.ts';
import { runTaskRounds, type TaskRound, type TaskRunner } from './store-tasks.ts';

type EngineModule = typeof import('../src/engine/engine.ts');
type LimitsModule = typeof import('../src/engine/runnable.ts');
type MemoryModule = typeof import('../src/store/memory/store.ts');
type SqliteModule = typeof import('../src/store/sqlite/store.ts');

const FOLDER = fileURLToPath(new URL('results/', import.meta.url));
const TEXT = 'lorem ipsum '.repeat(13);
const SCOPE = { tenant: '', owner: 'bench' };
const GETS = 2000;
const LENGTHS = [1000, 5000, 20_000];

/** Ten steps, each stored before the next, between creation and end: twelve writes in sequence. */
const twelveWrites: Handler = async ({ step }) => {
  for (let i = 0; i < 10; i += 1) await step('work', () => TEXT);
  return 'done';
};

/** As many outputs without waiting for their writes: ten chunks, each in a separate turn of the event loop. */
const tenChunks: Handler = async function* run() {
  for (let i = 0; i < 10; i += 1) {
    yield TEXT;
    await new Promise((resolve) => setImmediate(resolve));
  }
};

const shortAnswer: Handler = async function* run() {
  yield TEXT;
};

/** As many chunks as the message requests. */
const manyChunks: Handler = async function* run({ text }) {
  for (let i = 0; i < Number(text); i += 1) yield `lorem ipsum dolor ${i} `;
};

/** The same chunks, streamed by a step. */
const streamingStep: Handler = async ({ text, step }) => {
  await step('stream', async function* stream() {
    for (let i = 0; i < Number(text); i += 1) yield `lorem ipsum dolor ${i} `;
  });
};

const HANDLERS = {
  twelve: twelveWrites,
  ten: tenChunks,
  short: shortAnswer,
  chunks: manyChunks,
  streaming: streamingStep,
} as const;

/** Complete tasks and reads through the engine without HTTP, and the cost of importing it. */
export const engine: Bench = {
  name: 'engine',
  async run({ quick }) {
    buildModules();
    mkdirSync(FOLDER, { recursive: true });
    const folder = mkdtempSync(join(FOLDER, 'engine-'));
    try {
      const options = quick ? { rounds: 3, warmUpRounds: 1 } : { rounds: 11, warmUpRounds: 2 };
      const memory = await open('memory', folder);
      const sqlite = await open('sqlite', folder);
      const runners = runnersOf(memory.engine, sqlite.engine);
      const measured = await runTaskRounds(runners, options);
      for (const { engine: one, store } of [memory, sqlite]) {
        await one.close();
        await store.close();
      }
      const rows = runners.map((runner) => rowOf(runner, measured));
      const imports = importTimes(quick ? 5 : 15);
      const goals = goalsOf(measured);
      const importLine = `Importing the engine takes ${showSpread(imports)} ms more than the start of Node.`;
      return {
        title: `engine: tasks from the message to the end, without HTTP (${options.rounds} rounds)`,
        table: [rowTable(rows), goalTable(goals), importLine].join('\n\n'),
        result: { rows, goals, imports },
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

async function open(kind: 'memory' | 'sqlite', folder: string): Promise<{ engine: Engine; store: Store }> {
  const { Engine: Started } = await importModule<EngineModule>('engine/engine.js');
  const { DEFAULT_LIMITS } = await importModule<LimitsModule>('engine/runnable.js');
  const { memoryStore } = await importModule<MemoryModule>('store/memory/store.js');
  const { sqlite } = await importModule<SqliteModule>('store/sqlite/store.js');
  const store = kind === 'memory' ? memoryStore({ maxTasks: 20_000 }) : sqlite(join(folder, 'tasks.db'));
  const agents = Object.entries(HANDLERS).map(([id, run]) => ({ id, run, limits: DEFAULT_LIMITS }));
  return { engine: await Started.start({ store, agents }), store };
}

function runnersOf(memory: Engine, sqlite: Engine): readonly TaskRunner[] {
  const inFlight = (name: string, one: Engine, count: number, tasks: number): TaskRunner => ({
    name: `${name}, ${count} in flight`,
    inFlight: count,
    tasks,
    run: () => send(one, 'twelve', 'go'),
  });
  return [
    inFlight('12 writes, memory', memory, 16, 1000),
    inFlight('12 writes, memory', memory, 64, 1000),
    inFlight('12 writes, SQLite', sqlite, 1, 50),
    inFlight('12 writes, SQLite', sqlite, 16, 500),
    inFlight('12 writes, SQLite', sqlite, 64, 500),
    ...[
      { name: 'memory', one: memory },
      { name: 'SQLite', one: sqlite },
    ].map(({ name, one }) => ({
      name: `10 chunks, ${name}, 64 in flight`,
      inFlight: 64,
      tasks: 1000,
      run: () => send(one, 'ten', 'go', 10),
    })),
    ...[
      { name: 'memory', one: memory, tasks: 2000 },
      { name: 'SQLite', one: sqlite, tasks: 1000 },
    ].flatMap(({ name, one, tasks }) => [
      { name: `short response, ${name}`, inFlight: 16, tasks, run: () => send(one, 'short', 'go') },
      ...LENGTHS.map((length) => ({
        name: `${length} chunks, ${name}`,
        inFlight: 1,
        tasks: 20_000 / length,
        run: () => send(one, 'chunks', String(length), length),
      })),
      {
        name: `20000 chunks in a step, ${name}`,
        inFlight: 1,
        tasks: 1,
        run: () => send(one, 'streaming', '20000', 20_000),
      },
    ]),
    ...[
      { name: 'memory', one: memory },
      { name: 'SQLite', one: sqlite },
    ].map(({ name, one }) => ({ name: `get, ${name}`, inFlight: 1, tasks: GETS, run: getter(one) })),
  ];
}

let sent = 0;

async function send(one: Engine, agent: keyof typeof HANDLERS, text: string, chunks = 1): Promise<void> {
  const message = { messageId: `m${(sent += 1)}`, role: 'ROLE_USER' as const, parts: [{ text }] };
  const result = await one.send({ ...SCOPE, agent, message, caller: { id: 'bench', isVerified: false } });
  const parts = 'task' in result ? result.task.artifacts?.[0]?.parts.length : undefined;
  if (parts !== chunks) throw new Error(`expected ${chunks} parts, not ${parts}`);
}

/** Reads one short task repeatedly, and creates a new one from time to time because the memory store drops old ones. */
function getter(one: Engine): () => Promise<void> {
  let id = '';
  let calls = 0;
  return async () => {
    if (calls++ % GETS === 0) id = await made(one);
    const task = await one.get(SCOPE, id);
    if (task.status.state !== 'TASK_STATE_COMPLETED') throw new Error(`the task is ${task.status.state}`);
  };
}

async function made(one: Engine): Promise<string> {
  const message = { messageId: `m${(sent += 1)}`, role: 'ROLE_USER' as const, parts: [{ text: TEXT }] };
  const result = await one.send({ ...SCOPE, agent: 'short', message, caller: { id: 'bench', isVerified: false } });
  if (!('task' in result)) throw new Error('expected a task');
  return result.task.id;
}

interface Row {
  readonly name: string;
  readonly cpuUs: Spread;
  readonly perSecond: Spread;
}

function rowOf({ name }: TaskRunner, measured: ReadonlyMap<string, readonly TaskRound[]>): Row {
  const rounds = measured.get(name) ?? [];
  return {
    name,
    cpuUs: spread(rounds.map(({ cpuUs }) => cpuUs)),
    perSecond: spread(rounds.map(({ tasksPerSecond }) => tasksPerSecond)),
  };
}

function rowTable(rows: readonly Row[]): string {
  const cells = rows.map(({ name, cpuUs, perSecond }) => [name, showSpread(cpuUs), show(perSecond.median)]);
  return table(['work', 'CPU µs each', 'each per s'], cells);
}

function goalsOf(measured: ReadonlyMap<string, readonly TaskRound[]>): readonly Goal[] {
  const rate = (name: string): readonly number[] =>
    (measured.get(name) ?? []).map(({ tasksPerSecond }) => tasksPerSecond);
  const cpu = (name: string): readonly number[] => (measured.get(name) ?? []).map(({ cpuUs }) => cpuUs);
  const cpuPerChunk = (length: number, store: string): readonly number[] =>
    (measured.get(`${length} chunks, ${store}`) ?? []).map(({ cpuUs }) => cpuUs / length);
  const sqlite = '12 writes, SQLite';
  return [
    {
      name: 'group commit ÷ one commit per write, rate',
      measured: ratios(rate(`${sqlite}, 64 in flight`), rate(`${sqlite}, 1 in flight`)),
      atLeast: 8,
    },
    {
      name: 'durable ÷ memory, each write awaited, rate',
      measured: ratios(rate(`${sqlite}, 64 in flight`), rate('12 writes, memory, 64 in flight')),
      atLeast: 0.45,
    },
    {
      name: 'durable ÷ memory, writes not awaited, rate',
      measured: ratios(rate('10 chunks, SQLite, 64 in flight'), rate('10 chunks, memory, 64 in flight')),
      atLeast: 0.45,
    },
    ...['memory', 'SQLite'].map((store) => ({
      name: `a chunk of 20,000 ÷ a chunk of 1,000, CPU, ${store}`,
      measured: ratios(cpuPerChunk(20_000, store), cpuPerChunk(1000, store)),
      atMost: 1.5,
    })),
    {
      name: '20,000 chunks in a step ÷ outside of steps, CPU, memory',
      measured: ratios(cpu('20000 chunks in a step, memory'), cpu('20000 chunks, memory')),
      atMost: 1.1,
    },
  ];
}

/** Each import in a new process, because only the first import costs time. */
function importTimes(times: number): Spread {
  const script = `const s = performance.now(); await import('./dist/server/index.js'); console.log(performance.now() - s)`;
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const run = (): number =>
    Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd, encoding: 'utf8' }));
  return spread(Array.from({ length: times }, run));
}
