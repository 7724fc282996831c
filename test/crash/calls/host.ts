/**
 * A process that serves agents which call each other. A test kills it. Sends its port to the test, then `Facts` for each message.
 *
 *     front ──► idle ──► sleeper       until front cancels the call
 *           ├─► greeter ──► asker      asks a question that reaches the caller of front
 *           └─► echo
 */
import { type Agent, agent } from '../../../src/agent/agent.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { serve } from '../../../src/node/serve.ts';
import type { Store } from '../../../src/store/store.ts';
import { postgres } from '../../../src/store/postgres/store.ts';
import { sqlite } from '../../../src/store/sqlite/store.ts';
import { isShared } from '../open-store.ts';
import type { Facts, HostInstructions, TaskFacts } from './protocol.ts';

const instructions = JSON.parse(process.env['TANDEM_CALL_HOST'] ?? '') as HostInstructions;
const { serves, database, schema, publicUrl, peerUrl, killAt } = instructions;
const LIMITS = { keepJournal: 'whole', maxAttempts: 1000, maxCrashes: 1000 } as const;
const points: Record<string, number> = {};

const front = agent({
  id: 'front',
  name: 'Front',
  description: 'Calls the others.',
  ...LIMITS,
  async run({ call, startCall, step }) {
    const idle = await startCall('idle', 'wait');
    const [greeting, echoed] = await Promise.all([
      call('greeter', 'greet', { relay: { artifact: 'notes' } }),
      call('echo', 'b'),
    ]);
    await idle.cancel();
    const { outcome } = await idle.result({ throwOnFailure: false });
    return step('join', () => `${greeting.text} ${echoed.text} ${outcome}`);
  },
});
const others: readonly Agent[] = [
  agent({
    id: 'idle',
    name: 'Idle',
    description: 'Waits for an agent that sleeps.',
    ...LIMITS,
    run: async ({ call }) => (await call('sleeper', 'sleep')).text,
  }),
  agent({
    id: 'sleeper',
    name: 'Sleeper',
    description: 'Sleeps for an hour.',
    ...LIMITS,
    async run({ sleep }) {
      await sleep(3_600_000);
      return 'awake';
    },
  }),
  agent({
    id: 'greeter',
    name: 'Greeter',
    description: 'Takes notes, and lets another agent ask for a name.',
    ...LIMITS,
    async run({ call, artifact }) {
      await artifact('notes').append('one ');
      const { text } = await call('asker', 'ask');
      await artifact('notes').append('two', { lastChunk: true });
      return text;
    },
  }),
  agent({
    id: 'asker',
    name: 'Asker',
    description: 'Asks for a name.',
    ...LIMITS,
    async run({ ask, step }) {
      const name = await ask('Name?');
      return step('greet', () => `hello ${name}`);
    },
  }),
  agent({
    id: 'echo',
    name: 'Echo',
    description: 'Repeats the message.',
    ...LIMITS,
    run: async ({ text }) => `echo ${text}`,
  }),
];

const start = Engine.start.bind(Engine);
// Nodes that share a database wait until the lease of a dead one has expired.
const lease = isShared(database) ? { leaseMs: 1500, pollMs: 250 } : {};
Engine.start = (options) => start({ ...options, ...lease, faultPoint: reach });

const store: Store = isShared(database) ? postgres(database, { schema }) : sqlite(database);
const agents = { front: [front], others, all: [front, ...others] }[serves];
const peers =
  peerUrl === undefined ? {} : Object.fromEntries(others.map(({ id }) => [id, { url: `${peerUrl}/a/${id}` }]));
const quiet = (): void => {};
const server = await serve(agents, {
  port: 0,
  store,
  publicUrl,
  peers,
  // Errors are shown: the test expects none.
  log: { info: quiet, warn: quiet, error: (message, fields) => console.error(message, fields) },
});
process.on('message', () => void facts().then((found) => process.send?.(found)));
process.on('disconnect', () => process.exit());
process.send?.(server.port);

function reach(point: string): void {
  points[point] = (points[point] ?? 0) + 1;
  if (killAt?.point === point && killAt.occurrence === points[point]) process.kill(process.pid, 'SIGKILL');
}

async function facts(): Promise<Facts> {
  const records = (await store.allTasks?.({ limit: 100 })) ?? [];
  const tasks: TaskFacts[] = [];
  for (const { id, agent: name, status } of records) {
    const journal: Record<string, number> = {};
    for (const { kind } of await store.journal(id)) journal[kind] = (journal[kind] ?? 0) + 1;
    tasks.push({ agent: name, id, state: status.state, journal });
  }
  const openCalls = await store.listCalls({ limit: 100 });
  return { tasks, openCalls: openCalls.length, points };
}
