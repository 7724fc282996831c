/** Transactions that writes share, and the statements for them. */
import { expect, afterAll, beforeEach, onTestFinished, test, vi } from 'vitest';
import { ALICE, event, newTask } from '../../src/testing/store-contract/samples.ts';
import { type ProxyHooks, proxyTo } from './proxy.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

beforeEach(() => schema.empty());
afterAll(() => schema.drop());

/** Locks the row of a task until the returned function is called. */
async function lockTask(id: string): Promise<() => Promise<void>> {
  const client = await schema.pool.connect();
  onTestFinished(() => client.release());
  await client.query('BEGIN');
  await client.query(`SELECT FROM "${schema.name}".task WHERE id = $1 FOR UPDATE`, [id]);
  return async () => void (await client.query('ROLLBACK'));
}

test('a write joins the pending transaction for its task, and a write to another task does not', async () => {
  const store = schema.connect();
  await store.create(newTask('a'));
  await store.create(newTask('b'));
  const unlock = await lockTask('a');
  const first = store.append({ taskId: 'a', guard: {}, events: [event('first')] });
  await vi.waitFor(async () => expect(await schema.lockWaiters()).toBeGreaterThan(0));
  const second = store.append({ taskId: 'a', guard: {}, events: [event('second')] });
  const other = store.append({ taskId: 'b', guard: {}, events: [event('other')] });
  await unlock();

  await expect(Promise.all([first, second, other])).resolves.toMatchObject([
    { firstEvent: 2 },
    { firstEvent: 3 },
    { firstEvent: 2 },
  ]);
  const rows = await schema.query<{ name: string; xmin: string }>(
    `SELECT task_id || number AS name, xmin::text FROM "${schema.name}".event WHERE number > 1`,
  );
  const { a2, a3, b2 } = Object.fromEntries(rows.map(({ name, xmin }) => [name, xmin]));
  expect(a3).toBe(a2);
  expect(b2).not.toBe(a2);
});

test('writes that are stored one by one after a failed transaction keep their order', async () => {
  const store = schema.connect({ lockMs: 200 });
  await store.create(newTask('a'));
  await store.create(newTask('b'));
  const unlock = await lockTask('b');
  const append = (taskId: string, name: string): Promise<unknown> =>
    store.append({ taskId, guard: {}, events: [event(name)] }).catch(() => {});
  const together = [append('a', '1'), append('b', 'blocked'), append('a', '2')];
  await vi.waitFor(async () => expect(await schema.lockWaiters()).toBeGreaterThan(0));
  await Promise.all([...together, append('a', '3'), append('a', '4')]);
  await unlock();

  const stored = await store.events('a', 1, 10);
  expect(stored.map(({ body }) => body)).toEqual(['1', '2', '3', '4'].map((name) => event(name).body));
});

test('writes to a locked table fail after queueMs, and not one after the other', async () => {
  const store = schema.connect({ lockMs: 100, queueMs: 500 });
  await store.create(newTask('a'));
  const client = await schema.pool.connect();
  onTestFinished(() => client.release());
  await client.query(`BEGIN; LOCK TABLE "${schema.name}".task`);
  const writes = Array.from({ length: 50 }, () =>
    store.append({ taskId: 'a', guard: {}, events: [event('output')] }).then(
      () => 'stored',
      (error: Error) => error.message,
    ),
  );
  // One after the other they would wait for the lock fifty times.
  const outcomes = new Set(await Promise.all(writes));
  await client.query('ROLLBACK');

  expect(outcomes).toContain('The database of the task store is too slow');
  expect(outcomes).not.toContain('stored');
});

test.each([
  ['quotes', '"\\'.repeat(500_000)],
  ['control characters and quotes', '\n"\u007f\u0001'.repeat(1000)],
  ['characters of every length', 'a\u00e9\u20ac\u{1f600}"{},NULL'.repeat(1000)],
])('a text with %s is read as it was written', async (_, text) => {
  const store = schema.connect();
  await store.create({ ...newTask('a'), event: { kind: 'task', body: JSON.stringify({ text }) } });
  const [first] = await store.events('a', 0, 1);

  expect(first?.body).toBe(JSON.stringify({ text }));
});

test('only a task without a key or an alias is accepted before it is stored', async () => {
  const store = schema.connect();
  const accepted: string[] = [];
  const accept = ({ id }: { readonly id: string }): void => void accepted.push(id);
  const idempotency = { key: 'k', digest: 'd', keepUntil: Date.now() + 60_000 };
  const created = [
    store.create(newTask('plain'), accept),
    store.create({ ...newTask('keyed'), idempotency }, accept),
    store.create({ ...newTask('named'), alias: 'x' }, accept),
  ];

  expect(accepted).toEqual(['plain']);
  await Promise.all(created);
  expect(await store.read(ALICE, 'plain')).toBeDefined();
});

/** The start of BackendKeyData, which contains the process id of the session. */
const BACKEND_KEY_DATA = Buffer.from([0x4b, 0, 0, 0, 12]);

/** Changes the process id, as a pooler does that has no connection to the database yet. */
function withOtherProcessId(bytes: Buffer): Buffer {
  const at = bytes.indexOf(BACKEND_KEY_DATA);
  if (at >= 0) bytes.writeInt32BE(bytes.readInt32BE(at + 5) ^ 1, at + 5);
  return bytes;
}

test.for<[string, ProxyHooks['onResponse'], boolean]>([
  ['are named and optimistic on a connection with the process id of its session', undefined, true],
  ['have no names and are not optimistic on a connection with the process id of a pooler', withOtherProcessId, false],
])('writes %s', async ([, onResponse, areNamed]) => {
  let sent = '';
  const onRequest = (bytes: Buffer): void => void (sent += bytes.toString('latin1'));
  const proxy = await proxyTo(schema.url, { ...(onResponse && { onResponse }), onRequest });
  const store = schema.connect({}, proxy.url);
  for (const id of ['a', 'b', 'c']) await store.create(newTask(id, { node: 'n' }));
  const guard = { lease: { node: 'n', fence: 1 } };
  for (let n = 0; n < 5; n += 1) await store.append({ taskId: 'c', by: 'n', guard, events: [event(`${n}`)] });

  expect(await store.read(ALICE, 'c')).toBeDefined();
  expect(sent.includes('insert event\0')).toBe(areNamed);
  expect(sent.includes('tandem.within')).toBe(areNamed);
});

test('an event or a journal entry does not change the row of its task, and its numbers increase', async () => {
  const store = schema.connect();
  await store.create(newTask('a', { node: 'n' }));
  const guard = { lease: { node: 'n', fence: 1 } };
  const version = async (): Promise<string> => {
    const [row] = await schema.query<{ xmin: string }>(`SELECT xmin::text FROM "${schema.name}".task`);
    return row?.xmin ?? '';
  };
  const before = await version();
  for (let n = 2; n < 5; n += 1) {
    const written = await store.append({
      taskId: 'a',
      guard,
      events: [event(`${n}`)],
      journal: [{ kind: 'step', key: 's', body: n }],
    });
    expect(written).toMatchObject({ firstEvent: n, record: { lastEvent: n, lastJournal: n - 1 } });
  }

  expect(await version()).toBe(before);
  const numbers = { lastEvent: 4, lastJournal: 3 };
  expect(await store.read(ALICE, 'a')).toMatchObject({ record: numbers });
  expect(await store.list(ALICE, { limit: 1 })).toMatchObject({ tasks: [{ record: numbers }] });
  const due = { node: 'n', agents: [newTask('a').agent], limit: 1 };
  expect(await store.claim(due)).toMatchObject([numbers]);
  const ended = { ...newTask('a').status, state: 'TASK_STATE_COMPLETED' } as const;
  await store.append({ taskId: 'a', guard: {}, events: [event('end')], status: ended, endedAt: 5 });
  expect(await store.read(ALICE, 'a')).toMatchObject({ record: { lastEvent: 5, lastJournal: 3 } });
});

test('stores that write to one task concurrently assign each event number once', async () => {
  const stores = [schema.connect(), schema.connect(), schema.connect()];
  await stores[0]?.create(newTask('a'));
  const append = async (store: (typeof stores)[number], n: number): Promise<readonly number[]> => {
    const numbers: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      const written = await store.append({ taskId: 'a', guard: {}, events: [event(`${n}-${i}`)] });
      numbers.push(written.kind === 'appended' ? written.firstEvent : 0);
    }
    return numbers;
  };
  const numbers = (await Promise.all(stores.map(append))).flat();

  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i + 2));
});

test('a claim whose caller gets an error claims no task', async () => {
  const store = schema.connect({ connections: 2, connectTimeoutMs: 100 });
  // One connection listens, so that all else shares the other.
  store.watch(() => {});
  await store.create({ ...newTask('a'), wakeAt: 1 });
  await store.create({ ...newTask('held'), wakeAt: Number.MAX_SAFE_INTEGER });
  const unlock = await lockTask('held');
  const agents = [newTask('a').agent];
  const claimed = store.claim({ node: 'n', agents, limit: 1 });
  const blocked = store.append({ taskId: 'held', guard: {}, events: [event('output')] }).catch(() => {});
  const [got] = await claimed.catch(() => []);
  await unlock();
  await blocked;

  const [kept] = got === undefined ? await store.claim({ node: 'n', agents, limit: 1 }) : [got];
  expect(kept).toMatchObject({ id: 'a', node: 'n', attempts: 1 });
});

test('stores assign correct event numbers with default isolation level repeatable read', async () => {
  const url = new URL(schema.url);
  url.searchParams.set('options', String.raw`-c default_transaction_isolation=repeatable\ read`);
  const stores = [schema.connect({}, url.href), schema.connect({}, url.href)];
  await stores[0]?.create(newTask('a'));
  const append = async (store: (typeof stores)[number], n: number): Promise<void> => {
    for (let i = 0; i < 20; i += 1) await store.append({ taskId: 'a', guard: {}, events: [event(`${n}-${i}`)] });
  };
  await Promise.all(stores.map(append));

  expect(await stores[0]?.read(ALICE, 'a')).toMatchObject({ record: { lastEvent: 41 } });
});
