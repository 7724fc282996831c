import { randomUUID } from 'node:crypto';
import type { Store } from '../src/store/store.ts';

/** Runs tasks from creation to end, repeatedly. */
export interface TaskRunner {
  readonly name: string;
  readonly inFlight: number;
  /** Tasks per round. */
  readonly tasks: number;
  readonly run: () => Promise<void>;
  /** The number of commits so far, if the store has them. */
  readonly commits?: () => number;
}

export interface TaskRound {
  /** CPU time of the whole process per task. */
  readonly cpuUs: number;
  readonly tasksPerSecond: number;
  readonly commits: number | undefined;
}

/** Writes per task; see `runTask`. */
export const WRITES = 12;

const CHUNKS = WRITES - 2;
const LEASE = { node: 'bench', fence: 1 };
const TEXT = 'lorem ipsum '.repeat(13);

/** About 300 bytes. The same object for all, because encoding an event as JSON is not the work of the store. */
const CHUNK = JSON.stringify({
  taskId: randomUUID(),
  contextId: randomUUID(),
  artifact: { artifactId: 'response', parts: [{ text: TEXT }] },
  append: true,
});

/** Creates a task, appends ten chunks and ends it. Each write is awaited. */
export async function runTask(store: Store): Promise<void> {
  const id = randomUUID();
  const now = Date.now();
  const timestamp = new Date(now).toISOString();
  const created = await store.create({
    id,
    tenant: '',
    owner: 'bench',
    contextId: randomUUID(),
    agent: 'bench',
    status: { state: 'TASK_STATE_WORKING', timestamp },
    origin: { dialect: '1.0' },
    message: { messageId: id, role: 'ROLE_USER', parts: [{ text: TEXT }] },
    event: { kind: 'task', body: CHUNK },
    createdAt: now,
    wakeAt: now,
    node: LEASE.node,
  });
  expect('create', created.kind, 'created');
  const [by, guard] = [LEASE.node, { lease: LEASE }];
  for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
    const written = await store.append({ taskId: id, by, guard, events: [{ kind: 'artifact', body: CHUNK }] });
    expect('the number of a chunk', written.kind === 'appended' && written.firstEvent, chunk + 2);
  }
  const ended = await store.append({
    taskId: id,
    by,
    guard,
    events: [{ kind: 'status', body: CHUNK }],
    status: { state: 'TASK_STATE_COMPLETED', timestamp },
    artifacts: JSON.stringify([{ artifactId: 'response', parts: [{ text: TEXT.repeat(CHUNKS) }] }]),
    endedAt: now,
  });
  expect('the number of the end', ended.kind === 'appended' && ended.record.lastEvent, WRITES);
}

/**
 * Runs all runners in turn, in reverse order every second round, so that disturbances of the machine affect all alike.
 */
export async function runTaskRounds(
  runners: readonly TaskRunner[],
  { rounds, warmUpRounds }: { readonly rounds: number; readonly warmUpRounds: number },
): Promise<ReadonlyMap<string, readonly TaskRound[]>> {
  const measured = new Map<string, TaskRound[]>(runners.map(({ name }) => [name, []]));
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    for (const runner of round % 2 === 0 ? runners : runners.toReversed()) {
      const one = await runTaskRound(runner);
      if (round >= 0) measured.get(runner.name)?.push(one);
    }
  }
  return measured;
}

async function runTaskRound({ inFlight, tasks, run, commits }: TaskRunner): Promise<TaskRound> {
  let left = tasks;
  const runSome = async (): Promise<void> => {
    for (; left > 0;) {
      left -= 1;
      await run();
    }
  };
  const commitsBefore = commits?.() ?? 0;
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  await Promise.all(Array.from({ length: inFlight }, runSome));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    cpuUs: (user + system) / tasks,
    tasksPerSecond: tasks / seconds,
    commits: commits && commits() - commitsBefore,
  };
}

/** Must be cheap, because it is part of the measured time. */
function expect(what: string, got: unknown, wanted: unknown): void {
  if (got !== wanted) throw new Error(`${what} is ${String(got)}, not ${String(wanted)}`);
}
