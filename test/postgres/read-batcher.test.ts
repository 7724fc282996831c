/** Concurrent reads share a round trip on one connection, and each gets its own result. */
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ALICE, newTask } from '../store/sqlite-driver.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

beforeEach(() => schema.empty());
afterAll(() => schema.drop());

/** The number of connections of the store; those of tests have no name. */
async function connections(): Promise<number> {
  const text = `SELECT count(*)::integer AS count FROM pg_stat_activity
    WHERE application_name = 'tandem-a2a' AND query LIKE '%"${schema.name}"%'`;
  return (await schema.query<{ count: number }>(text))[0]?.count ?? 0;
}

test('concurrent reads of many tasks use one connection, and each gets its own result', async () => {
  const store = schema.connect();
  const ids = Array.from({ length: 60 }, (_, i) => `t-${i}`);
  await Promise.all(ids.map((id) => store.create(newTask(id))));

  const results = ids.map(async (id) => {
    const [task, events, journal] = await Promise.all([
      store.read(ALICE, id, { history: 0 }),
      store.events(id, 0, 10),
      store.journal(id),
    ]);
    return [task?.record.id, events.length, journal.length];
  });
  expect(await Promise.all(results)).toEqual(ids.map((id) => [id, newTask(id).event === undefined ? 0 : 1, 0]));
  // 180 reads are three round trips; one more has created the tasks.
  expect(await connections()).toBeLessThanOrEqual(4);
});

test('a read that repeats a prepared statement gets the current data', async () => {
  const store = schema.connect();
  for (let i = 0; i < 12; i += 1) {
    await store.create(newTask(`t-${i}`));
    const [task, other] = await Promise.all([
      store.read(ALICE, `t-${i}`, { history: 0 }),
      store.read(ALICE, 'unknown'),
    ]);
    expect(task?.record.id).toBe(`t-${i}`);
    expect(other).toBeUndefined();
    expect(await store.read({ ...ALICE, owner: 'bob' }, `t-${i}`, { history: 0 })).toBeUndefined();
  }
});

test('concurrent reads with prepared statements each get their own result', async () => {
  const store = schema.connect({ connections: 2 });
  const ids = Array.from({ length: 20 }, (_, i) => `t-${i}`);
  await Promise.all(ids.map((id) => store.create(newTask(id))));
  for (let round = 0; round < 8; round += 1) {
    const tasks = await Promise.all(ids.map((id) => store.read(ALICE, id, { history: 0 })));
    expect(tasks.map((task) => task?.record.id)).toEqual(ids);
  }
});

test('reads use an index of a table that was empty when their statement was prepared', async () => {
  await schema.query(`VACUUM "${schema.name}".event`);
  const scans = async (): Promise<number> => {
    const text = `SELECT seq_scan::integer AS scans FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = 'event'`;
    return (await schema.query<{ scans: number }>(text, [schema.name]))[0]?.scans ?? 0;
  };
  const before = await scans();
  const store = schema.connect({ connections: 2 });
  for (let i = 0; i < 40; i += 1) await store.events('t', 0, 10);
  // The database counts the scans of a connection at the latest when the connection ends.
  await store.close();
  const indexScans = `SELECT idx_scan::integer AS scans FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = 'event'`;
  await vi.waitFor(async () => {
    const [row] = await schema.query<{ scans: number }>(indexScans, [schema.name]);
    expect(row?.scans).toBeGreaterThan(30);
  });

  expect((await scans()) - before).toBeLessThan(5);
});

test('a table that a newer version has changed fails one read, and not the connection', async () => {
  const store = schema.connect({ connections: 2 });
  await store.create(newTask('t'));
  for (let i = 0; i < 9; i += 1) await store.events('t', 0, 10);
  await schema.query(`ALTER TABLE "${schema.name}".event ALTER number TYPE bigint`);
  onTestFinished(async () => void (await schema.query(`ALTER TABLE "${schema.name}".event ALTER number TYPE integer`)));

  await expect(store.events('t', 0, 10)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterMs: 1000 });
  expect(await store.events('t', 0, 10)).toHaveLength(1);
});

test('a read that times out without a connection does not fail a later read that waits for one', async () => {
  const store = schema.connect({ connections: 2, connectTimeoutMs: 300 });
  await store.create(newTask('t'));
  const client = await schema.pool.connect();
  onTestFinished(() => client.release(true));
  await client.query(`BEGIN; LOCK TABLE "${schema.name}".task`);
  const held: Promise<unknown>[] = [];
  for (let n = 1; n <= 2; n += 1) {
    held.push(store.read(ALICE, 't', { history: 0 }));
    await vi.waitFor(async () => expect(await schema.lockWaiters()).toBe(n));
  }
  const first = store.read(ALICE, 't', { history: 0 });
  // In a later turn, because reads of the same turn share a round trip.
  await new Promise((resolve) => setImmediate(resolve));
  const second = store.read(ALICE, 't', { history: 0 });

  await expect(first).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await client.query('ROLLBACK');
  expect(await second).toMatchObject({ record: { id: 't' } });
  await Promise.all(held);
});
