/** How nodes hear of each other's writes, and what happens when they do not. */
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

/** The processes of the database that listen for this schema. */
async function listeners(): Promise<{ pid: number }[]> {
  const channel = await channelOf(schema.pool, schema.name);
  return schema.query('SELECT pid FROM pg_stat_activity WHERE query = $1', [`LISTEN "${channel}"`]);
}

let tasks = 0;

/** Writes on one node until the other has heard of it. */
async function hearsOf(write: (id: string) => Promise<unknown>, heard: readonly string[]): Promise<void> {
  await vi.waitFor(
    async () => {
      const id = `task ${++tasks}`;
      await write(id);
      await vi.waitFor(() => expect(heard).toContain(id), 500);
    },
    { timeout: 20_000 },
  );
}

test('a connection that listens is made anew when it is lost', async () => {
  const [here, there] = [schema.connect(), schema.connect()];
  const heard: string[] = [];
  here.watch((taskId) => heard.push(taskId));
  const write = (id: string): Promise<unknown> => there.create(newTask(id));
  await hearsOf(write, heard);
  const [first] = await listeners();
  await schema.query('SELECT pg_terminate_backend($1)', [first?.pid]);

  await hearsOf(write, heard);
  expect(await listeners()).not.toEqual([first]);
});

test('a database where nobody may listen keeps all its other connections', async () => {
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

test('the only connection of a pool is not given to listening', async () => {
  const store = schema.connect({}, ownPool(1));
  const heard: string[] = [];
  store.watch((taskId) => heard.push(taskId));
  await store.create(newTask('a'));

  await expect(store.read(ALICE, 'a')).resolves.toBeDefined();
  expect(heard).toEqual(['a']);
  expect(await listeners()).toEqual([]);
});

test('the last writes of a node that closes are heard', async () => {
  const [here, there] = [schema.connect(), schema.connect()];
  const heard: string[] = [];
  here.watch((taskId) => heard.push(taskId));
  await hearsOf((id) => there.create(newTask(id)), heard);
  const last = Array.from({ length: 120 }, (_, index) => `last ${index}`);
  const writes = last.map((id) => there.create(newTask(id)));
  await Promise.all(writes);
  await there.close();

  await vi.waitFor(() => expect(heard).toEqual(expect.arrayContaining(last)));
});

test('a hint says whether there is something to claim', async () => {
  const [here, there] = [schema.connect(), schema.connect()];
  const heard: unknown[] = [];
  const ids: string[] = [];
  here.watch((taskId, by, isClaimable) => {
    ids.push(taskId);
    if (by === 'node') heard.push([taskId, isClaimable]);
  });
  await hearsOf((id) => there.create(newTask(id)), ids);
  await there.create(newTask('held', { node: 'node' }));
  await there.append({ taskId: 'held', by: 'node', guard: {}, events: [event('said')] });
  await there.append({ taskId: 'held', by: 'node', guard: {}, release: true });

  await vi.waitFor(() => expect(heard).toHaveLength(3));
  expect(heard).toEqual([
    ['held', false],
    ['held', false],
    ['held', true],
  ]);
});

/** Two stores, and all that the first hears of what the second writes as `node`. */
async function pair(): Promise<{ readonly there: Store; readonly heard: readonly unknown[] }> {
  const [here, there] = [schema.connect(), schema.connect()];
  const heard: unknown[] = [];
  const ids: string[] = [];
  here.watch((taskId, by, _isLeft, progress) => {
    ids.push(taskId);
    if (by === 'node') heard.push(progress?.());
  });
  await hearsOf((id) => there.create(newTask(id)), ids);
  return { there, heard };
}

test('a hint says what was stored, as far as it is short', async () => {
  const { there, heard } = await pair();
  const lease = { node: 'node', fence: 1 };
  const write = { taskId: 'a', by: 'node', guard: { lease } };
  await there.create(newTask('a', { node: 'node' }));
  await there.append({ ...write, events: [event('é "1"', 'artifact'), event('2', 'artifact')] });
  await there.append({ ...write, events: [event('x'.repeat(6000), 'artifact')] });
  await there.append({ ...write, events: [event('end')], status: status('TASK_STATE_COMPLETED'), endedAt: 7 });

  await vi.waitFor(() => expect(heard).toHaveLength(4));
  const working = { state: 'TASK_STATE_SUBMITTED' };
  expect(heard).toEqual([
    { lastEvent: 1, status: working, events: await there.events('a', 0, 1) },
    { lastEvent: 3, status: working, events: await there.events('a', 1, 2) },
    undefined,
    { lastEvent: 5, endedAt: 7, status: { state: 'TASK_STATE_COMPLETED' }, events: await there.events('a', 4, 1) },
  ]);
});

test('a hint says what several writes of one moment have stored', async () => {
  const { there, heard } = await pair();
  const write = (name: string): TaskWrite => ({ taskId: 'a', by: 'node', guard: {}, events: [event(name)] });
  await there.create(newTask('a'));
  await Promise.all(['1', '2', '3'].map((name) => there.append(write(name))));

  await vi.waitFor(() => expect(heard).toHaveLength(1));
  expect(heard).toMatchObject([{ lastEvent: 4, events: await there.events('a', 1, 3) }]);
});

test('nothing is told of what the database refuses to store', async () => {
  const { there, heard } = await pair();
  await schema.query(`INSERT INTO "${schema.name}".event VALUES ('rejected', 1, 0, '')`);
  await expect(there.create(newTask('rejected', { node: 'node' }))).rejects.toThrow('could not complete the operation');
  await there.create(newTask('a', { node: 'node' }));

  await vi.waitFor(() => expect(heard).toHaveLength(1));
  expect(heard).toMatchObject([{ lastEvent: 1, events: await there.events('a', 0, 1) }]);
});

test('who may not read the tables cannot know where hints are heard', async () => {
  schema.connect().watch(() => {});
  await vi.waitFor(async () => expect(await listeners()).toHaveLength(1));
  const client = await schema.pool.connect();
  onTestFinished(() => client.release(true));
  const role = `stranger_${schema.name}`;
  await client.query(`BEGIN; CREATE ROLE "${role}"; GRANT USAGE ON SCHEMA "${schema.name}" TO "${role}"`);
  await client.query(`SET LOCAL ROLE "${role}"`);
  const { rows } = await client.query<{ query: string }>('SELECT query FROM pg_stat_activity');

  expect(rows.filter(({ query }) => query.includes('tandem:'))).toEqual([]);
  await expect(channelOf(client, schema.name)).rejects.toThrow('permission denied');
});

test('a copy of the tables under another name has hints of its own', async () => {
  await schema.open().read(ALICE, 'none');
  const copy = `${schema.name}_copy`;
  await schema.query(`CREATE SCHEMA "${copy}"`);
  onTestFinished(async () => void (await schema.query(`DROP SCHEMA "${copy}" CASCADE`)));
  await schema.query(`CREATE TABLE "${copy}".migration AS TABLE "${schema.name}".migration`);

  const [own, other] = [await channelOf(schema.pool, schema.name), await channelOf(schema.pool, copy)];
  expect(own).toMatch(/^tandem:[0-9a-f]{40}$/);
  expect(other).not.toBe(own);
});

test('a store that is closed does not begin to listen', async () => {
  const pool = ownPool(3);
  const store = schema.connect({}, pool);
  await store.close();
  store.watch(() => {});

  await expect(store.read(ALICE, 'a')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(pool.totalCount).toBe(0);
});

test('connections go back to their pool as they came', async () => {
  const pool = ownPool(2);
  const store = schema.connect({}, pool);
  store.watch(() => {});
  await store.create(newTask('a', { idempotency: { key: 'k', digest: 'd', keepUntil: 0 } }));
  await store.putPushConfig(ALICE, 'a', { id: 'p', config: { url: '' }, dialect: '', createdAt: 0 }, 1);
  await vi.waitFor(async () => expect(await listeners()).toHaveLength(1));
  await store.close();

  // What a pooler would hand to the next one: no statements with names, no locks, no channels, no settings.
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
