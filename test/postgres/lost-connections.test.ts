/** Writes whose connection to the database fails while they are pending. */
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

const UNAVAILABLE = { name: 'A2AError', code: 'UNAVAILABLE', retryAfterMs: 1000 };

/** Blocks writes of the first event of a task, until the returned function is called. */
async function blockFirstEvent(taskId: string): Promise<() => Promise<void>> {
  const client = await schema.pool.connect();
  await client.query('BEGIN');
  await client.query(`INSERT INTO "${schema.name}".event VALUES ($1, 1, 0, '')`, [taskId]);
  let isHeld = true;
  const unblock = async (): Promise<void> => {
    if (!isHeld) return;
    isHeld = false;
    await client.query('ROLLBACK');
    client.release();
  };
  onTestFinished(unblock);
  return unblock;
}

async function connectReady(source: string): Promise<Store> {
  const store = schema.connect({}, source);
  await store.read(ALICE, 'none');
  return store;
}

test('a write whose response is lost succeeds if it was committed', async () => {
  const proxy = await proxyTo(schema.url);
  const store = await connectReady(proxy.url);
  const unblock = await blockFirstEvent('a');
  const created = store.create(newTask('a'));
  await vi.waitFor(async () => expect(await schema.lockWaiters()).toBe(1));
  proxy.mute();
  await unblock();
  await vi.waitFor(async () => expect(await schema.open().read(ALICE, 'a')).toBeDefined());
  proxy.cut();

  await expect(created).resolves.toMatchObject({ kind: 'created', record: { id: 'a', lastEvent: 1 } });
});

const LEASE = { node: 'node-a', fence: 1 };
const IDEMPOTENCY = key('m', 'd', Date.now() + 60_000);

async function createClaimed(store: Store, task: NewTask): Promise<void> {
  await store.create(task);
  await store.heartbeat('node-a', 60_000);
  await store.claim({ node: 'node-a', agents: ['translator'], limit: 1 });
}

interface LostResponse {
  readonly what: string;
  readonly before?: (store: Store) => Promise<unknown>;
  readonly write: (store: Store) => Promise<unknown>;
  readonly result: unknown;
}

const visible = (store: Store): Promise<void> => createClaimed(store, newTask('a'));
const append = (write: Partial<TaskWrite>): Pick<LostResponse, 'before' | 'write' | 'result'> => ({
  before: visible,
  write: (store) => store.append({ taskId: 'a', guard: { lease: LEASE }, ...write }),
  result: { kind: 'appended' },
});

/** Every kind of change that a write may make in the tables. */
const LOST_RESPONSES: readonly LostResponse[] = [
  { what: 'a new task', write: (store) => store.create(newTask('a')), result: { kind: 'created' } },
  { what: 'an event', ...append({ events: [event('output')] }) },
  { what: 'a journal entry', ...append({ journal: [entry('step')] }) },
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
    before: (store) => createClaimed(store, provisionalTask('a')),
    write: (store) => store.dropForReply('a', LEASE, message('reply')),
    result: true,
  },
  {
    what: 'a new task with a reply',
    write: (store) =>
      Promise.all([
        store.create(provisionalTask('a', { node: 'node-a', idempotency: IDEMPOTENCY })),
        store.dropForReply('a', LEASE, message('reply')),
      ]),
    result: [{ kind: 'created' }, true],
  },
  {
    what: 'a rejected write',
    before: visible,
    write: (store) => store.append({ taskId: 'a', guard: { lease: { node: 'node-b', fence: 1 } } }),
    result: { kind: 'rejected' },
  },
];

test.for(LOST_RESPONSES)(
  'the store returns the result of $what, although the response to the commit was lost',
  async ({ before, write, result }) => {
    const fault = { isArmed: false };
    const onResponse = (bytes: Buffer): Buffer => {
      if (!fault.isArmed || !bytes.includes('COMMIT\0')) return bytes;
      fault.isArmed = false;
      proxy.cut();
      return Buffer.alloc(0);
    };
    const proxy = await proxyTo(schema.url, { onResponse });
    const store = await connectReady(proxy.url);
    await before?.(store);
    fault.isArmed = true;

    await expect(write(store)).resolves.toMatchObject(result as object);
    expect(fault.isArmed).toBe(false);
  },
);

test('a write whose connection is cut before its commit fails, and is not stored later', async () => {
  const proxy = await proxyTo(schema.url);
  const store = await connectReady(proxy.url);
  const unblock = await blockFirstEvent('a');
  const created = store.create(newTask('a'));
  await vi.waitFor(async () => expect(await schema.lockWaiters()).toBe(1));
  proxy.cut();

  await expect(created).rejects.toMatchObject(UNAVAILABLE);
  expect(await schema.lockWaiters()).toBe(0);
  await unblock();
  await expect(store.read(ALICE, 'a')).resolves.toBeUndefined();
  await expect(store.create(newTask('a'))).resolves.toMatchObject({ kind: 'created' });
});

test('connections that are cut repeatedly fail only pending calls', async () => {
  const proxy = await proxyTo(schema.url);
  const store = await connectReady(proxy.url);
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
      else expect(result.reason).toMatchObject(UNAVAILABLE);
    }
  }

  const { tasks } = await schema.open().list(ALICE, { limit: 1000 });
  expect(tasks.map(({ record }) => record.id).sort()).toEqual(stored.sort());
  await expect(store.create(newTask('last'))).resolves.toMatchObject({ kind: 'created' });
});

test('a call that gets no free connection fails after connectTimeoutMs with retryAfterMs', async () => {
  const store = schema.connect({ connections: 2, connectTimeoutMs: 50 });
  await store.create(newTask('a'));
  const client = await schema.pool.connect();
  onTestFinished(() => client.release(true));
  await client.query(`BEGIN; LOCK TABLE "${schema.name}".task`);
  const held = [store.read(ALICE, 'a')];
  await vi.waitFor(async () => expect(await schema.lockWaiters()).toBe(1));
  // Not at the same time as the first one, because concurrent reads share a connection.
  held.push(store.read(ALICE, 'a'));
  await vi.waitFor(async () => expect(await schema.lockWaiters()).toBe(2));

  await expect(store.read(ALICE, 'a')).rejects.toMatchObject(UNAVAILABLE);
  await expect(store.append({ taskId: 'a', guard: {} })).rejects.toMatchObject(UNAVAILABLE);
  await client.query('ROLLBACK');
  await expect(Promise.all(held)).resolves.toMatchObject([{ record: { id: 'a' } }, { record: { id: 'a' } }]);
});

test('calls fail after queueMs if the database hangs, whether they are queued or sent, and the write of a run waits longer', async () => {
  const proxy = await proxyTo(schema.url);
  const pool = new pg.Pool({ connectionString: proxy.url, query_timeout: 3000, connectionTimeoutMillis: 3000 });
  onTestFinished(() => pool.end());
  const store = schema.connect({ queueMs: 100 }, pool);
  await store.create(newTask('a'));
  proxy.set('silent');
  const settled: string[] = [];
  const lease = { node: 'n', fence: 1 };
  const ofRun = store.append({ taskId: 'a', guard: { lease }, events: [event('output')] });
  const run = ofRun.finally(() => settled.push('run'));
  const sent = store.create(newTask('b')).finally(() => settled.push('b'));
  // In the first turn the write waits for others that may join it.
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  const queued = store.create(newTask('c')).finally(() => settled.push('c'));

  await expect(Promise.allSettled([queued, sent])).resolves.toMatchObject([
    { reason: UNAVAILABLE },
    { reason: UNAVAILABLE },
  ]);
  expect(settled.toSorted()).toEqual(['b', 'c']);
  await expect(run).rejects.toMatchObject(UNAVAILABLE);
  proxy.set('open');
  await expect(store.create(newTask('b'))).resolves.toMatchObject({ kind: 'created' });
  await expect(store.read(ALICE, 'c')).resolves.toBeUndefined();
});

test('a locked task does not block writes to other tasks', async () => {
  const store = schema.connect({ lockMs: 200 });
  await Promise.all(['a', 'b', 'c'].map((id) => store.create(newTask(id))));
  const client = await schema.pool.connect();
  onTestFinished(() => client.release(true));
  await client.query(`BEGIN; SELECT FROM "${schema.name}".task WHERE id = 'b' FOR UPDATE`);

  const writes = ['a', 'b', 'c'].map((taskId) => store.append({ taskId, guard: {}, events: [event('output')] }));
  await expect(Promise.allSettled(writes)).resolves.toMatchObject([
    { value: { kind: 'appended' } },
    { reason: UNAVAILABLE },
    { value: { kind: 'appended' } },
  ]);
});

test('the database ends transactions of a process that stops, because the store sets timeouts', async () => {
  const pool = new pg.Pool({ connectionString: schema.url });
  onTestFinished(() => pool.end());
  const settings = new Map<string, string>();
  // Reads the settings on the same connection before COMMIT, which apply to a process that stops there.
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<pg.QueryResult>;
    client.query = (async (config: pg.QueryConfig, ...rest: unknown[]) => {
      if (config.text === 'COMMIT') {
        const { rows } = await query("SELECT name, setting FROM pg_settings WHERE name LIKE '%timeout'");
        for (const { name, setting } of rows as { name: string; setting: string }[]) settings.set(name, setting);
      }
      return query(config, ...rest);
    }) as unknown as typeof client.query;
  });
  await schema.connect({}, pool).create(newTask('a'));

  expect(settings.get('idle_in_transaction_session_timeout')).toBe('5000');
  expect(settings.get('lock_timeout')).toBe('4000');
  expect(settings.get('statement_timeout')).toBe('20000');
});

test('calls that are pending when the store is closed succeed', async () => {
  const store = schema.connect({ connections: 2 });
  await store.create(newTask('a'));
  const reads = Array.from({ length: 30 }, () => store.read(ALICE, 'a'));
  // Until the first of them are sent, and the others wait for a connection.
  await new Promise((resolve) => setImmediate(resolve));
  await store.close();

  await expect(Promise.all(reads)).resolves.toHaveLength(30);
  await expect(store.read(ALICE, 'a')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('a connection that fails when the pool hands it out does not crash the process', async () => {
  const pool = new pg.Pool({ connectionString: schema.url });
  onTestFinished(() => pool.end());
  // Before the caller that waits for the connection has it.
  pool.on('acquire', (client) => queueMicrotask(() => client.emit('error', new Error('terminating connection'))));
  const store = schema.connect({}, pool);

  await expect(store.create(newTask('a'))).resolves.toMatchObject({ kind: 'created' });
});
