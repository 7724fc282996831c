/** The Tandem server as users install it: `agent()` and `serve()` from `dist/`, in memory or with its own file. */
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Message } from '../../src/model/message.ts';
import type { Task } from '../../src/model/task.ts';
import type { Store } from '../../src/store/store.ts';
import { runContender, type ContenderSetup, readSetup } from '../harness/contender.ts';
import { importProduct } from '../harness/product.ts';
import { ARTIFACT_NAME, chunkText, historyTask, listedTask, machineTime, type WorkOrder, workOn } from './content.ts';
import { guardOptions } from './guards.ts';

type ServerModule = typeof import('../../src/server/index.ts');
type NodeModule = typeof import('../../src/node/index.ts');
type SqliteModule = typeof import('../../src/store/sqlite/store.ts');
type PostgresModule = typeof import('../../src/store/postgres/index.ts');

const FILL_AT_ONCE = 1000;

// In production anonymous callers are rejected by default. Nothing else differs there.
delete process.env['NODE_ENV'];

const server = await importProduct<ServerModule>('server/index.js');
const { agent, memoryStore } = server;
const { serve } = await importProduct<NodeModule>('node/index.js');

const bench = agent({
  id: 'bench',
  name: 'Bench',
  description: 'Does next to nothing.',
  async *run({ text, message, signal }) {
    const { chunks, isPaced, everyMs, isIdle }: WorkOrder = message.metadata ?? {};
    if (isIdle === true) {
      yield { status: 'working' };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    } else if (chunks === undefined) {
      yield { artifact: ARTIFACT_NAME, text: workOn(text), lastChunk: true };
    } else {
      for (let n = 0; n < chunks; n++) {
        const text = everyMs === undefined ? chunkText(n) : String(machineTime());
        yield { artifact: ARTIFACT_NAME, text, append: n > 0, lastChunk: n === chunks - 1 };
        if (isPaced === true) await setImmediate();
        if (everyMs !== undefined) await setTimeout(everyMs);
      }
    }
  },
});

async function openStore({ store: kind, tasks, database = '' }: ContenderSetup): Promise<Store> {
  if (kind === 'postgres') return (await importProduct<PostgresModule>('store/postgres/index.js')).postgres(database);
  if (kind === 'sqlite') return (await importProduct<SqliteModule>('store/sqlite/store.js')).sqlite('tandem.db');
  return memoryStore({ maxTasks: tasks + 100_000 });
}

/** Written through the store, because no run would create exactly these tasks. */
async function keepTask(
  store: Store,
  { id, contextId = '', status, artifacts = [], history = [] }: Task,
): Promise<void> {
  const [message, ...more] = history as readonly [Message, ...Message[]];
  const time = Date.parse(status.timestamp ?? '');
  const task = { id, contextId, status, artifacts, history: [message] };
  await store.create({
    tenant: '',
    owner: 'anonymous',
    agent: bench.id,
    id,
    contextId,
    status: { ...status, state: 'TASK_STATE_WORKING' },
    origin: {},
    message,
    event: { kind: 'task', body: JSON.stringify({ task }) },
    createdAt: time,
    wakeAt: time,
  });
  // As in a chat, each turn is a write.
  for (const one of more) await store.append({ taskId: id, guard: {}, history: [one] });
  await store.append({
    taskId: id,
    guard: {},
    status,
    artifacts: JSON.stringify(artifacts),
    endedAt: Date.now(),
  });
}

runContender(async () => {
  const setup = readSetup();
  const { tasks, guards = [], role = 'all' } = setup;
  const store = await openStore(setup);
  // Nodes that share a database share its tasks, so only one creates them.
  if (tasks === 0 && setup.store !== 'postgres') await keepTask(store, historyTask());
  for (let from = 0; from < tasks; from += FILL_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(FILL_AT_ONCE, tasks - from) }, (_, i) => from + i);
    await Promise.all(numbers.map((n) => keepTask(store, listedTask(n))));
  }
  return serve(bench, { port: 0, store, role, ...guardOptions(guards, server) });
});
