/** Hints by which nodes notify each other about writes, and nodes that cannot receive them. */
import pg from 'pg';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { channelOf } from '../../src/store/postgres/hints/hints.ts';
import type { Store, TaskWrite } from '../../src/store/store.ts';
import { newTask, ALICE, event, status } from '../../src/testing/store-contract/samples.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

beforeEach(() => schema.empty());
afterAll(() => schema.drop());

function ownPool(max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: schema.url, max });
  onTestFinished(() => pool.end());
  return pool;
}

/** The database sessions that listen for this schema. */
async function listeners(): Promise<{ pid: number }[]> {
  const channel = await channelOf(schema.pool, schema.name);
  return schema.query('SELECT pid FROM pg_stat_activity WHERE query = $1', [`LISTEN "${channel}"`]);
}

let tasks = 0;

/** Writes on one node until the other one receives a hint about it. */
async function untilNotified(write: (id: string) => Promise<unknown>, received: readonly string[]): Promise<void> {
  await vi.waitFor(
    async () => {
      const id = `task ${++tasks}`;
      await write(id);
      await vi.waitFor(() => expect(received).toContain(id), 500);
    },
    { timeout: 20_000 },
  );
}

test('a listening connection that is lost is opened again', async () => {
  const [here, there] = [schema.connect(), schema.connect()];
  const received: string[] = [];
  here.watch((taskId) => received.push(taskId));
  const write = (id: string): Promise<unknown> => there.create(newTask(id));
  await untilNotified(write, received);
  const [first] = await listeners();
  await schema.query('SELECT pg_terminate_backend($1)', [first?.pid]);

  await untilNotified(write, received);
  expect(await listeners()).not.toEqual([first]);
});

test('a store whose LISTEN fails again and again stores tasks and leaks no connection', async () => {
  const pool = ownPool(3);
  let attempts = 0;
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    client.query = ((...given: unknown[]) => {
      if (!String(given[0]).startsWith('LISTEN')) return query(...given);
      attempts++;
      return Promise.reject(new Error('cannot execute LISTEN during recovery'));
    }) as unknown as typeof client.query;
  });
  const store = schema.connect({}, pool);
  store.watch(() => {});
  await vi.waitFor(() => expect(attempts).toBeGreaterThan(3), { timeout: 20_000 });

  await expect(store.create(newTask('a'))).resolves.toMatchObject({ kind: 'created' });
  await vi.waitFor(() => expect(pool.totalCount - pool.idleCount).toBe(0));
});

test('a store with a single connection does not use it to listen', async () => {
  const store = schema.connect({}, ownPool(1));
  const received: string[] = [];
  store.watch((taskId) => received.push(taskId));
  await store.create(newTask('a'));

  await expect(store.read(ALICE, 'a')).resolves.toBeDefined();
  expect(received).toEqual(['a']);
  expect(await listeners()).toEqual([]);
});

test('a node that closes sends the hints about its last writes', async () => {
  const [here, there] = [schema.connect(), schema.connect()];
  const received: string[] = [];
  here.watch((taskId) => received.push(taskId));
  await untilNotified((id) => there.create(newTask(id)), received);
  const last = Array.from({ length: 120 }, (_, index) => `last ${index}`);
  const writes = last.map((id) => there.create(newTask(id)));
  await Promise.all(writes);
  await there.close();

  await vi.waitFor(() => expect(received).toEqual(expect.arrayContaining(last)));
});

test('a hint contains whether the task can be claimed', async () => {
  const [here, there] = [schema.connect(), schema.connect()];
  const received: unknown[] = [];
  const ids: string[] = [];
  here.watch((taskId, by, isClaimable) => {
    ids.push(taskId);
    if (by === 'node') received.push([taskId, isClaimable]);
  });
  await untilNotified((id) => there.create(newTask(id)), ids);
  await there.create(newTask('held', { node: 'node' }));
  await there.append({ taskId: 'held', by: 'node', guard: {}, events: [event('output')] });
  await there.append({ taskId: 'held', by: 'node', guard: {}, release: true });

  await vi.waitFor(() => expect(received).toHaveLength(3));
  expect(received).toEqual([
    ['held', false],
    ['held', false],
    ['held', true],
  ]);
});

/** Two stores, and the hints that the first receives about writes of the second as `node`. */
async function pair(): Promise<{ readonly there: Store; readonly received: readonly unknown[] }> {
  const [here, there] = [schema.connect(), schema.connect()];
  const received: unknown[] = [];
  const ids: string[] = [];
  here.watch((taskId, by, _isClaimable, progress) => {
    ids.push(taskId);
    if (by === 'node') received.push(progress?.());
  });
  await untilNotified((id) => there.create(newTask(id)), ids);
  return { there, received };
}

test('a hint contains what was stored if that is short', async () => {
  const { there, received } = await pair();
  const lease = { node: 'node', fence: 1 };
  const write = { taskId: 'a', by: 'node', guard: { lease } };
  await there.create(newTask('a', { node: 'node' }));
  await there.append({ ...write, events: [event('é "1"', 'artifact'), event('2', 'artifact')] });
  await there.append({ ...write, events: [event('x'.repeat(6000), 'artifact')] });
  await there.append({ ...write, events: [event('end')], status: status('TASK_STATE_COMPLETED'), endedAt: 7 });

  await vi.waitFor(() => expect(received).toHaveLength(4));
  const working = { state: 'TASK_STATE_SUBMITTED' };
  expect(received).toEqual([
    { lastEvent: 1, status: working, events: await there.events('a', 0, 1) },
    { lastEvent: 3, status: working, events: await there.events('a', 1, 2) },
    undefined,
    { lastEvent: 5, endedAt: 7, status: { state: 'TASK_STATE_COMPLETED' }, events: await there.events('a', 4, 1) },
  ]);
});

test('concurrent writes to a task share one hint that contains all of them', async () => {
  const { there, received } = await pair();
  const write = (name: string): TaskWrite => ({ taskId: 'a', by: 'node', guard: {}, events: [event(name)] });
  await there.create(newTask('a'));
  await Promise.all(['1', '2', '3'].map((name) => there.append(write(name))));

  await vi.waitFor(() => expect(received).toHaveLength(1));
  expect(received).toMatchObject([{ lastEvent: 4, events: await there.events('a', 1, 3) }]);
});

test('a write that the database rejects sends no hint', async () => {
  const { there, received } = await pair();
  await schema.query(`INSERT INTO "${schema.name}".event VALUES ('rejected', 1, 0, '')`);
  await expect(there.create(newTask('rejected', { node: 'node' }))).rejects.toThrow('could not complete the operation');
  await there.create(newTask('a', { node: 'node' }));

  await vi.waitFor(() => expect(received).toHaveLength(1));
  expect(received).toMatchObject([{ lastEvent: 1, events: await there.events('a', 0, 1) }]);
});

test('a role that may not read the tables cannot find the name of the channel', async () => {
  schema.connect().watch(() => {});
  await vi.waitFor(async () => expect(await listeners()).toHaveLength(1));
  const client = await schema.pool.connect();
  onTestFinished(() => client.release(true));
  const role = `outsider_${schema.name}`;
  await client.query(`BEGIN; CREATE ROLE "${role}"; GRANT USAGE ON SCHEMA "${schema.name}" TO "${role}"`);
  await client.query(`SET LOCAL ROLE "${role}"`);
  const { rows } = await client.query<{ query: string }>('SELECT query FROM pg_stat_activity');

  expect(rows.filter(({ query }) => query.includes('tandem:'))).toEqual([]);
  await expect(channelOf(client, schema.name)).rejects.toThrow('permission denied');
});

test('a copy of the tables in another schema has another channel', async () => {
  await schema.open().read(ALICE, 'none');
  const copy = `${schema.name}_copy`;
  await schema.query(`CREATE SCHEMA "${copy}"`);
  onTestFinished(async () => void (await schema.query(`DROP SCHEMA "${copy}" CASCADE`)));
  await schema.query(`CREATE TABLE "${copy}".migration AS TABLE "${schema.name}".migration`);

  const [own, other] = [await channelOf(schema.pool, schema.name), await channelOf(schema.pool, copy)];
  expect(own).toMatch(/^tandem:[0-9a-f]{40}$/);
  expect(other).not.toBe(own);
});

test('a closed store does not begin to listen', async () => {
  const pool = ownPool(3);
  const store = schema.connect({}, pool);
  await store.close();
  store.watch(() => {});

  await expect(store.read(ALICE, 'a')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(pool.totalCount).toBe(0);
});

test('a store returns connections to its pool without session state', async () => {
  const pool = ownPool(2);
  const store = schema.connect({}, pool);
  store.watch(() => {});
  await store.create(newTask('a', { idempotency: { key: 'k', digest: 'd', keepUntil: 0 } }));
  await store.putPushConfig(ALICE, 'a', { id: 'p', config: { url: '' }, dialect: '', createdAt: 0 }, 1);
  await vi.waitFor(async () => expect(await listeners()).toHaveLength(1));
  await store.close();

  // The next user must not get prepared statements, locks, channels or settings.
  expect(pool.totalCount).toBe(2);
  const clients = await Promise.all([pool.connect(), pool.connect()]);
  for (const client of clients) {
    const { rows } = await client.query<Record<string, string | null>>(
      `SELECT (SELECT count(*) FROM pg_prepared_statements WHERE name <> '') AS statements,
        (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory') AS locks,
        (SELECT count(*) FROM pg_listening_channels()) AS channels, current_setting('lock_timeout') AS lock_timeout`,
    );
    expect(rows).toEqual([{ statements: '0', locks: '0', channels: '0', lock_timeout: '0' }]);
    client.release();
  }
});
