/** Claims: rows that they read, concurrent claims of several processes, and tables of an earlier version. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import { DEFAULT_LIMITS } from '../../src/engine/runnable.ts';
import { MIGRATIONS } from '../../src/store/postgres/migrate.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import type { ClaimRequest, Store } from '../../src/store/store.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { newTask } from '../../src/testing/store-contract/samples.ts';
import { explainedStore } from './explained-store.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

beforeEach(() => schema.empty());
afterAll(() => schema.drop());

const NOW = Date.now();
const AGENTS = ['translator'];

/** Creates tasks of an owner that are due one after the other. */
async function createDue(store: Store, owner: string, count: number, wakeAt: number = NOW - 100_000): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, (_, i) => store.create(newTask(`${owner}-${i}`, { owner, wakeAt: wakeAt + i }))),
  );
}

async function claimed(store: Store, request: Partial<ClaimRequest> = {}): Promise<readonly string[]> {
  await store.heartbeat('node-a', 60_000);
  return (await store.claim({ node: 'node-a', agents: AGENTS, limit: 1, ...request })).map(({ id }) => id);
}

test.each([
  ['before the database has statistics', ''],
  ['after it was analyzed while nothing waited', 'ANALYZE'],
])('a claim reads few rows although one owner has thousands of waiting tasks, %s', async (_, statement) => {
  const { store, reads } = explainedStore(schema, 'task');
  await createDue(store, 'ended', 200);
  for (const id of await claimed(store, { limit: 200 }))
    await store.append({ taskId: id, guard: {}, status: { state: 'TASK_STATE_COMPLETED' }, endedAt: NOW });
  if (statement !== '') await schema.query(`${statement} "${schema.name}".task`);
  await createDue(store, 'flood', 3000);
  for (const owner of ['ann', 'zoe']) await createDue(store, owner, 3, NOW - 1000);
  await createDue(store, 'sleeper', 500, NOW + 1_000_000);
  const shares = { running: new Map([['flood', 90]]), openSlots: 0 };

  expect(await reads(() => claimed(store))).toBeLessThan(60);
  expect(await reads(() => claimed(store, { limit: 4 }))).toBeLessThan(100);
  expect(await reads(() => claimed(store, { limit: 10, shares }))).toBeLessThan(100);
});

test('a claim does not wait for the claim of another process', async () => {
  const store = schema.connect();
  await createDue(store, 'ann', 5);
  await createDue(store, 'bob', 5);
  expect(await claimed(store)).toEqual(['ann-0']);
  const other = await schema.pool.connect();
  onTestFinished(() => other.release());
  await other.query('BEGIN');
  // The locks of a claim in that process: on the rotation, and on the next task.
  await other.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`"${schema.name}" claim translator`]);
  await other.query(`SELECT FROM "${schema.name}".task WHERE id = 'bob-0' FOR UPDATE`);

  expect(await claimed(store)).toEqual(['bob-1']);
  await other.query('ROLLBACK');
  expect(await claimed(store)).toEqual(['bob-0']);
  expect(await claimed(store)).toEqual(['ann-1']);
});

test('the rotation of owners continues after a restart', async () => {
  const first = schema.connect();
  for (const owner of ['ann', 'bob', 'carl']) await createDue(first, owner, 3);
  expect(await claimed(first, { limit: 2 })).toEqual(['ann-0', 'bob-0']);
  await first.close();

  expect(await claimed(schema.connect())).toEqual(['carl-0']);
});

interface OldTask {
  readonly id: string;
  readonly owner: string;
  readonly wakeAt: number;
  readonly node?: string;
}

const OLD_TASKS: readonly OldTask[] = [
  { id: 'ann-0', owner: 'ann', wakeAt: NOW - 9000 },
  { id: 'ann-1', owner: 'ann', wakeAt: NOW - 8000 },
  { id: 'ann-2', owner: 'ann', wakeAt: NOW - 7000 },
  { id: 'bob running', owner: 'bob', wakeAt: NOW - 6000, node: 'a process that is gone' },
  { id: 'carl sleeping', owner: 'carl', wakeAt: NOW + 60_000 },
  { id: 'dave waiting', owner: 'dave', wakeAt: NOW - 1000 },
];

/** Tables of a version without fair claims. */
async function schemaBeforeFairClaims(): Promise<string> {
  const name = `${schema.name}_old`;
  onTestFinished(async () => void (await schema.query(`DROP SCHEMA "${name}" CASCADE`)));
  await schema.query(`CREATE SCHEMA "${name}"`);
  await schema.query(`CREATE TABLE "${name}".migration (number integer PRIMARY KEY, applied_at timestamptz NOT NULL)`);
  for (const [i, file] of MIGRATIONS.slice(0, 2).entries()) {
    const sql = readFileSync(new URL(`../../src/store/postgres/migrations/${file}`, import.meta.url), 'utf8');
    await schema.query(`INSERT INTO "${name}".migration VALUES ($1, now())`, [i + 1]);
    await schema.query(sql.replaceAll('{schema}', `"${name}"`));
  }
  return name;
}

/** Stores a task like a process of that version. */
async function insertOld(name: string, { id, owner, wakeAt, node }: OldTask): Promise<void> {
  const origin = JSON.stringify({ caller: { id: owner, isVerified: true }, acceptedOutputModes: [] });
  const message = JSON.stringify({ messageId: id, role: 'ROLE_USER', parts: [{ text: id }] });
  const runs = Number(node !== undefined);
  await schema.query(
    `INSERT INTO "${name}".task (id, tenant, owner, context_id, agent, state, status_time, visible, canceling, pushed,
       last_event, last_journal, last_message, fence, attempts, node, wake_at, created_at, status, origin)
     VALUES ($1, '', $2, 'c', 'agent', 1, 1, true, false, false, 0, 0, 1, $3, $3, $4, $5, 1, $6, $7)`,
    [id, owner, runs, node ?? null, wakeAt, '{"state":"TASK_STATE_SUBMITTED"}', origin],
  );
  await schema.query(`INSERT INTO "${name}".message VALUES ($1, 1, $2)`, [id, message]);
}

test('waiting, running and sleeping tasks in tables of the previous version are resumed, in turn by caller', async () => {
  const name = await schemaBeforeFairClaims();
  for (const task of OLD_TASKS) await insertOld(name, task);
  const clock = fakeClock(NOW);
  const store = postgres(schema.pool, { schema: name, clock });
  onTestFinished(() => store.close());
  const begun: string[] = [];
  const run = async ({ text }: { readonly text: string }): Promise<string> => {
    begun.push(text);
    return `${text} is done`;
  };
  const limits = { ...DEFAULT_LIMITS, concurrency: 1 };
  const engine = await Engine.start({ store, clock, agents: [{ id: 'agent', run, limits }] });
  onTestFinished(() => engine.close());

  await expect.poll(() => begun).toEqual(['bob running', 'ann-0', 'dave waiting', 'ann-1', 'ann-2']);
  clock.advance(60_000);
  for (const { id, owner } of OLD_TASKS) {
    const scope = { tenant: '', owner };
    await expect.poll(async () => (await engine.get(scope, id)).status.state).toBe('TASK_STATE_COMPLETED');
  }
});

test('tasks that processes of the previous version still write to the tables are claimed in turn', async () => {
  const name = await schemaBeforeFairClaims();
  const store = postgres(schema.pool, { schema: name, clock: fakeClock(NOW) });
  onTestFinished(() => store.close());
  await store.heartbeat('node-a', 60_000);
  const claim = async (): Promise<readonly string[]> =>
    (await store.claim({ node: 'node-a', agents: ['agent'], limit: 1 })).map(({ id }) => id);
  await store.create(newTask('zoe', { owner: 'zoe', agent: 'agent', wakeAt: NOW - 20_000 }));
  await store.create(newTask('zoe again', { owner: 'zoe', agent: 'agent', wakeAt: NOW - 10_000 }));
  for (const task of OLD_TASKS) await insertOld(name, task);
  // A process of the previous version has ended a task that this version had put into the queue.
  const end = `SET node = NULL, wake_at = NULL, ended_at = 1, status = '{"state":"TASK_STATE_COMPLETED"}'`;
  await schema.query(`UPDATE "${name}".task ${end} WHERE id = 'zoe'`);

  const order = [];
  for (let i = 0; i < 6; i++) order.push(...(await claim()));
  expect(order).toEqual(['bob running', 'ann-0', 'dave waiting', 'zoe again', 'ann-1', 'ann-2']);
});

test('concurrent claims of several processes give each task once, and skip no owner', async () => {
  const stores = Array.from({ length: 4 }, () => schema.connect());
  const [first] = stores as [Store];
  await createDue(first, 'flood', 300);
  for (let i = 0; i < 10; i++) await createDue(first, `owner${i}`, 1, NOW - 1000);
  for (const [i, store] of stores.entries()) await store.heartbeat(`node-${i}`, 60_000);

  const claimedIds = (
    await Promise.all(
      stores.map(async (store, node) => {
        const own: string[] = [];
        for (let i = 0; i < 15; i++) {
          const records = await store.claim({ node: `node-${node}`, agents: AGENTS, limit: 1 });
          own.push(...records.map(({ id }) => id));
        }
        return own;
      }),
    )
  ).flat();

  expect(new Set(claimedIds).size).toBe(claimedIds.length);
  expect(claimedIds.filter((id) => id.startsWith('owner')).toSorted()).toEqual(
    Array.from({ length: 10 }, (_, i) => `owner${i}-0`),
  );
});
