/** What becomes of a write when the way to the database fails under it. */
import pg from 'pg';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  ALICE,
  entry,
  event,
  key,
  message,
  newTask,
  provisionalTask,
  status,
} from '../../src/testing/store-contract/samples.ts';
import type { NewTask, Store, TaskWrite } from '../../src/store/store.ts';
import { proxyTo } from './proxy.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

beforeEach(() => schema.empty());
afterAll(() => schema.drop());

const CUT_OFF = { name: 'A2AError', code: 'UNAVAILABLE', retryAfterMs: 1000 };

/** Holds up whoever wants to store the first event of a task, until it is told to let go. */
async function obstacle(taskId: string): Promise<() => Promise<void>> {
  const client = await schema.pool.connect();
  await client.query('BEGIN');
  await client.query(`INSERT INTO "${schema.name}".event VALUES ($1, 1, 0, '')`, [taskId]);
  let isHeld = true;
  const letGo = async (): Promise<void> => {
    if (!isHeld) return;
    isHeld = false;
    await client.query('ROLLBACK');
    client.release();
  };
  onTestFinished(letGo);
  return letGo;
}

async function opened(source: string): Promise<Store> {
  const store = schema.connect({}, source);
  await store.read(ALICE, 'none');
  return store;
}

test('a write whose answer was lost has happened if the database says so', async () => {
  const proxy = await proxyTo(schema.url);
  const store = await opened(proxy.url);
  const letGo = await obstacle('a');
  const created = store.create(newTask('a'));
  await vi.waitFor(async () => expect(await schema.waiting()).toBe(1));
  proxy.mute();
  await letGo();
  await vi.waitFor(async () => expect(await schema.open().read(ALICE, 'a')).toBeDefined());
  proxy.cut();

  await expect(created).resolves.toMatchObject({ kind: 'created', record: { id: 'a', lastEvent: 1 } });
});

const LEASE = { node: 'node-a', fence: 1 };
const ANSWERED = key('m', 'd', Date.now() + 60_000);

async function taken(store: Store, task: NewTask): Promise<void> {
  await store.create(task);
  await store.heartbeat('node-a', 60_000);
  await store.claim({ node: 'node-a', agents: ['translator'], limit: 1 });
}

interface LostAnswer {
  readonly what: string;
  readonly before?: (store: Store) => Promise<unknown>;
  readonly write: (store: Store) => Promise<unknown>;
  readonly result: unknown;
}

const visible = (store: Store): Promise<void> => taken(store, newTask('a'));
const append = (write: Partial<TaskWrite>): Pick<LostAnswer, 'before' | 'write' | 'result'> => ({
  before: visible,
  write: (store) => store.append({ taskId: 'a', guard: { lease: LEASE }, ...write }),
  result: { kind: 'appended' },
});

/** All that a write may leave in the tables. */
const LOST_ANSWERS: readonly LostAnswer[] = [
  { what: 'a new task', write: (store) => store.create(newTask('a')), result: { kind: 'created' } },
  { what: 'an event', ...append({ events: [event('said')] }) },
  { what: 'what a run remembers', ...append({ journal: [entry('step')] }) },
  { what: 'a time to wake up', ...append({ wakeAt: Date.now() }) },
  { what: 'a snapshot of artifacts', ...append({ artifacts: '[]' }) },
  {
    what: 'the end of a task with a journal',
    before: async (store) => {
      await visible(store);
      await store.append({ taskId: 'a', guard: { lease: LEASE }, journal: [entry('step')] });
    },
    write: (store) =>
      store.append({
        taskId: 'a',
        guard: { lease: LEASE },
        status: status('TASK_STATE_COMPLETED'),
        endedAt: 1,
        journal: [entry('late')],
      }),
    result: { kind: 'appended', record: { endedAt: 1 } },
  },
  {
    what: 'a reply instead of a task',
    before: (store) => taken(store, provisionalTask('a')),
    write: (store) => store.dropForReply('a', LEASE, message('reply')),
    result: true,
  },
  {
    what: 'a reply at once',
    write: (store) =>
      Promise.all([
        store.create(provisionalTask('a', { node: 'node-a', idempotency: ANSWERED })),
        store.dropForReply('a', LEASE, message('reply')),
      ]),
    result: [{ kind: 'created' }, true],
  },
  {
    what: 'a write that is refused',
    before: visible,
    write: (store) => store.append({ taskId: 'a', guard: { lease: { node: 'node-b', fence: 1 } } }),
    result: { kind: 'rejected' },
  },
];

test.for(LOST_ANSWERS)('the answer to $what is found out if it was lost', async ({ before, write, result }) => {
  const line = { isToBeCut: false };
  const onAnswer = (bytes: Buffer): Buffer => {
    if (!line.isToBeCut || !bytes.includes('COMMIT\0')) return bytes;
    line.isToBeCut = false;
    proxy.cut();
    return Buffer.alloc(0);
  };
  const proxy = await proxyTo(schema.url, { onAnswer });
  const store = await opened(proxy.url);
  await before?.(store);
  line.isToBeCut = true;

  await expect(write(store)).resolves.toMatchObject(result as object);
  expect(line.isToBeCut).toBe(false);
});

test('a write that was cut off has not happened, and does not happen later', async () => {
  const proxy = await proxyTo(schema.url);
  const store = await opened(proxy.url);
  const letGo = await obstacle('a');
  const created = store.create(newTask('a'));
  await vi.waitFor(async () => expect(await schema.waiting()).toBe(1));
  proxy.cut();

  await expect(created).rejects.toMatchObject(CUT_OFF);
  expect(await schema.waiting()).toBe(0);
  await letGo();
  await expect(store.read(ALICE, 'a')).resolves.toBeUndefined();
  await expect(store.create(newTask('a'))).resolves.toMatchObject({ kind: 'created' });
});

test('connections that are cut again and again cost the calls under way, and nothing else', async () => {
  const proxy = await proxyTo(schema.url);
  const store = await opened(proxy.url);
  const stored: string[] = [];
  for (let round = 0; round < 10; round++) {
    const ids = Array.from({ length: 5 }, (_, index) => `${round}-${index}`);
    const calls = ids.map((id) => store.create(newTask(id)));
    const put = store.putPushConfig(
      ALICE,
      `${round}-0`,
      { id: 'p', config: { url: '' }, dialect: '', createdAt: 0 },
      1,
    );
    proxy.cut();
    const results = await Promise.allSettled([...calls, put]);
    for (const [index, result] of results.slice(0, ids.length).entries()) {
      if (result.status === 'fulfilled') stored.push(ids[index] ?? '');
      else expect(result.reason).toMatchObject(CUT_OFF);
    }
  }

  const { tasks } = await schema.open().list(ALICE, { limit: 1000 });
  expect(tasks.map(({ record }) => record.id).sort()).toEqual(stored.sort());
  await expect(store.create(newTask('last'))).resolves.toMatchObject({ kind: 'created' });
});

test('a call that finds no free connection fails soon and says when to come again', async () => {
  const store = schema.connect({ connections: 2, connectTimeoutMs: 50 });
  await store.create(newTask('a'));
  const client = await schema.pool.connect();
  onTestFinished(() => client.release(true));
  await client.query(`BEGIN; LOCK TABLE "${schema.name}".task`);
  const held = [store.read(ALICE, 'a')];
  await vi.waitFor(async () => expect(await schema.waiting()).toBe(1));
  // Those who ask in the same moment share a connection, so not in the same.
  held.push(store.read(ALICE, 'a'));
  await vi.waitFor(async () => expect(await schema.waiting()).toBe(2));

  await expect(store.read(ALICE, 'a')).rejects.toMatchObject(CUT_OFF);
  await expect(store.append({ taskId: 'a', guard: {} })).rejects.toMatchObject(CUT_OFF);
  await client.query('ROLLBACK');
  await expect(Promise.all(held)).resolves.toMatchObject([{ record: { id: 'a' } }, { record: { id: 'a' } }]);
});

test('callers do not wait for a database that hangs, whether or not their turn has come; a run does', async () => {
  const proxy = await proxyTo(schema.url);
  const pool = new pg.Pool({ connectionString: proxy.url, query_timeout: 3000, connectionTimeoutMillis: 3000 });
  onTestFinished(() => pool.end());
  const store = schema.connect({ queueMs: 100 }, pool);
  await store.create(newTask('a'));
  proxy.set('silent');
  const answered: string[] = [];
  const lease = { node: 'n', fence: 1 };
  const ofRun = store.append({ taskId: 'a', guard: { lease }, events: [event('said')] });
  const run = ofRun.finally(() => answered.push('run'));
  const tried = store.create(newTask('b')).finally(() => answered.push('b'));
  // In the first turn it waits for whoever comes along.
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  const waiting = store.create(newTask('c')).finally(() => answered.push('c'));

  await expect(Promise.allSettled([waiting, tried])).resolves.toMatchObject([{ reason: CUT_OFF }, { reason: CUT_OFF }]);
  expect(answered.toSorted()).toEqual(['b', 'c']);
  await expect(run).rejects.toMatchObject(CUT_OFF);
  proxy.set('open');
  await expect(store.create(newTask('b'))).resolves.toMatchObject({ kind: 'created' });
  await expect(store.read(ALICE, 'c')).resolves.toBeUndefined();
});

test('a task that somebody holds does not hold up the others', async () => {
  const store = schema.connect({ lockMs: 200 });
  await Promise.all(['a', 'b', 'c'].map((id) => store.create(newTask(id))));
  const client = await schema.pool.connect();
  onTestFinished(() => client.release(true));
  await client.query(`BEGIN; SELECT FROM "${schema.name}".task WHERE id = 'b' FOR UPDATE`);

  const writes = ['a', 'b', 'c'].map((taskId) => store.append({ taskId, guard: {}, events: [event('said')] }));
  await expect(Promise.allSettled(writes)).resolves.toMatchObject([
    { value: { kind: 'appended' } },
    { reason: CUT_OFF },
    { value: { kind: 'appended' } },
  ]);
});

test('whoever stops in the middle of a transaction is cut off by the database, not for ever waited for', async () => {
  const pool = new pg.Pool({ connectionString: schema.url });
  onTestFinished(() => pool.end());
  const settings = new Map<string, string>();
  // Before COMMIT, on the same connection: what holds for a process that goes no further.
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => Promise<pg.QueryResult>;
    client.query = (async (given: pg.QueryConfig, ...rest: unknown[]) => {
      if (given.text === 'COMMIT') {
        const { rows } = await query("SELECT name, setting FROM pg_settings WHERE name LIKE '%timeout'");
        for (const { name, setting } of rows as { name: string; setting: string }[]) settings.set(name, setting);
      }
      return query(given, ...rest);
    }) as unknown as typeof client.query;
  });
  await schema.connect({}, pool).create(newTask('a'));

  expect(settings.get('idle_in_transaction_session_timeout')).toBe('5000');
  expect(settings.get('lock_timeout')).toBe('4000');
  expect(settings.get('statement_timeout')).toBe('20000');
});

test('calls under way when the store is closed are answered', async () => {
  const store = schema.connect({ connections: 2 });
  await store.create(newTask('a'));
  const reads = Array.from({ length: 30 }, () => store.read(ALICE, 'a'));
  // Until the first of them are on their way, and the others wait for a connection.
  await new Promise((resolve) => setImmediate(resolve));
  await store.close();

  await expect(Promise.all(reads)).resolves.toHaveLength(30);
  await expect(store.read(ALICE, 'a')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('a connection that is lost in the moment in which it is handed out ends no process', async () => {
  const pool = new pg.Pool({ connectionString: schema.url });
  onTestFinished(() => pool.end());
  // Before whoever waits for the connection has it in his hands.
  pool.on('acquire', (client) => queueMicrotask(() => client.emit('error', new Error('terminating connection'))));
  const store = schema.connect({}, pool);

  await expect(store.create(newTask('a'))).resolves.toMatchObject({ kind: 'created' });
});
