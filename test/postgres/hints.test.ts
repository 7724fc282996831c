/** How nodes hear of each other's writes, and what happens when they do not. */
import pg from 'pg';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { newTask, ALICE, event } from '../../src/testing/store-contract/samples.ts';
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
function listeners(): Promise<{ pid: number }[]> {
  return schema.query(`SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN "tandem:${schema.name}"'`);
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
  here.watch((taskId, by, isLeft) => {
    ids.push(taskId);
    if (by === 'node') heard.push([taskId, isLeft]);
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
