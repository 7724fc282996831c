import type { ReadParts, Store, TaskQuery } from '../src/store/store.ts';
import { expectJson } from './harness/http-bench.ts';
import { quantile, type Spread, spread } from './harness/stats.ts';

/** A query to a store with many tasks of one owner. */
interface Question {
  readonly name: string;
  /** A page with the default options: without history and artifacts. */
  readonly isPage?: true;
  /** Runs the query. Returns a function that checks the result after the measurement. */
  readonly ask: (store: Store, random: number) => Promise<() => void>;
}

/** Over all rounds. */
export interface Asked {
  readonly name: string;
  readonly isPage: boolean;
  readonly p50Us: Spread;
  readonly p99Us: Spread;
  /** CPU time of the whole process, which excludes the time of other processes on the machine. */
  readonly p99CpuUs: Spread;
}

const SCOPE = { tenant: '', owner: 'bench' };
const START = Date.parse('2026-01-01T00:00:00.000Z');
const PAGE = 50;
const PER_CONTEXT = 100;
const ALL: ReadParts = { history: 10, artifacts: true };
/** Pages are taken at random around their depth, so that none of them is cached. */
const AROUND = 1000;

/** Every second task has ended. Each status has its own time, in the order of creation. */
export async function fill(store: Store, tasks: number): Promise<void> {
  const batch = 1000;
  for (let from = 0; from < tasks; from += batch) {
    const numbers = Array.from({ length: Math.min(batch, tasks - from) }, (_, i) => from + i);
    await Promise.all(numbers.map((number) => createTask(store, number)));
  }
}

async function createTask(store: Store, number: number): Promise<void> {
  const [id, time] = [idOf(number), START + number];
  const timestamp = new Date(time).toISOString();
  const created = await store.create({
    ...SCOPE,
    id,
    contextId: contextOf(number),
    agent: 'bench',
    status: { state: 'TASK_STATE_WORKING', timestamp },
    origin: { dialect: '1.0' },
    message: { messageId: id, role: 'ROLE_USER', parts: [{ text: `message ${number}` }] },
    event: { kind: 'task', body: '{}' },
    createdAt: time,
    wakeAt: time,
  });
  expectJson('create', created.kind, 'created');
  if (number % 2 === 1) return;
  const status = { state: 'TASK_STATE_COMPLETED', timestamp } as const;
  const ended = await store.append({ taskId: id, guard: {}, status, artifacts: '[]', endedAt: time });
  expectJson('append', ended.kind, 'appended');
}

/** Runs all queries round by round, each many times in a row. The first round warms up. */
export async function askAll(
  store: Store,
  tasks: number,
  { rounds, calls }: { readonly rounds: number; readonly calls: number },
): Promise<readonly Asked[]> {
  const asked = questions(tasks).map((question) => ({ question, answers: [] as Took[] }));
  for (let round = -1; round < rounds; round += 1) {
    for (const { question, answers } of asked) {
      const took = await askOften(store, question, calls);
      if (round >= 0) answers.push(took);
    }
  }
  return asked.map(({ question: { name, isPage = false }, answers }) => ({
    name,
    isPage,
    p50Us: spread(answers.map(({ us }) => quantile(us, 0.5))),
    p99Us: spread(answers.map(({ us }) => quantile(us, 0.99))),
    p99CpuUs: spread(answers.map(({ cpuUs }) => quantile(cpuUs, 0.99))),
  }));
}

/** One value per call of a round. */
interface Took {
  readonly us: number[];
  readonly cpuUs: number[];
}

async function askOften(store: Store, { ask }: Question, calls: number): Promise<Took> {
  const took: Took = { us: [], cpuUs: [] };
  for (let call = 0; call < calls; call += 1) {
    const random = Math.random();
    const cpuBefore = process.cpuUsage();
    const start = performance.now();
    const checkAnswer = await ask(store, random);
    took.us.push((performance.now() - start) * 1000);
    const { user, system } = process.cpuUsage(cpuBefore);
    took.cpuUs.push(user + system);
    checkAnswer();
  }
  return took;
}

function questions(tasks: number): readonly Question[] {
  const share = (of: number): number => Math.trunc(tasks * of);
  const newest = tasks - 1;
  return [
    { name: 'get, status only', ask: (store, random) => askTask(store, share(random), { history: 0 }) },
    { name: 'get with history and artifacts', ask: (store, random) => askTask(store, share(random), ALL) },
    { name: 'first page', isPage: true, ask: (store) => askPage(store, {}, tasks, newest) },
    ...[share(0.5), share(0.98)].map((depth) => ({
      name: `page, ${depth.toLocaleString('en')} tasks deep`,
      isPage: true as const,
      ask: (store: Store, random: number) => {
        const last = tasks - depth + Math.trunc(random * AROUND);
        return askPage(store, { after: { statusTime: START + last, id: idOf(last) } }, tasks, last - 1);
      },
    })),
    {
      name: 'page of one state',
      isPage: true,
      ask: (store) => askPage(store, { states: ['TASK_STATE_COMPLETED'] }, share(0.5), newest - 1),
    },
    {
      name: 'page of one context',
      isPage: true,
      ask: (store, random) => askPage(store, { contextId: contextOf(share(random)) }, PER_CONTEXT),
    },
    ...[0.01, 0.5].map((part) => ({
      name: `page since a time, ${share(part).toLocaleString('en')} match`,
      isPage: true as const,
      ask: (store: Store) => askPage(store, { statusSince: START + tasks - share(part) }, share(part), newest),
    })),
    { name: 'first page with history and artifacts', ask: (store) => askPage(store, ALL, tasks, newest) },
  ];
}

async function askTask(store: Store, number: number, parts: ReadParts): Promise<() => void> {
  const task = await store.read(SCOPE, idOf(number), parts);
  return () => {
    expectJson('task', task?.record.id, idOf(number));
    expectJson('messages', task?.history.length, parts.history === 0 ? 0 : 1);
  };
}

/** `first` is the number of the first task on the page. */
async function askPage(store: Store, query: Partial<TaskQuery>, total: number, first?: number): Promise<() => void> {
  const answer = await store.list(SCOPE, { limit: PAGE, history: 0, ...query });
  return () => {
    expectJson('total', answer.total, total);
    expectJson('length of the page', answer.tasks.length, PAGE);
    if (first !== undefined) expectJson('first task', answer.tasks[0]?.record.id, idOf(first));
  };
}

/** The order of ids differs from that of the numbers, as with real ids. */
function idOf(number: number): string {
  const mixed = Math.imul(number + 1, 0x9e3779b1) >>> 0;
  return `${mixed.toString(16).padStart(8, '0')}-${number.toString(16).padStart(8, '0')}`;
}

function contextOf(number: number): string {
  return `context of ${idOf(Math.trunc(number / PER_CONTEXT))}`;
}
