/** How writes share transactions, and what is said to the database for them. */
import { expect, afterAll, beforeEach, onTestFinished, test, vi } from 'vitest';
import { ALICE, event, newTask } from '../../src/testing/store-contract/samples.ts';
import { type Interference, proxyTo } from './proxy.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

beforeEach(() => schema.empty());
afterAll(() => schema.drop());

/** Holds the row of a task until it is told to let go. */
async function holdTask(id: string): Promise<() => Promise<void>> {
  const client = await schema.pool.connect();
  onTestFinished(() => client.release());
  await client.query('BEGIN');
  await client.query(`SELECT FROM "${schema.name}".task WHERE id = $1 FOR UPDATE`, [id]);
  return async () => void (await client.query('ROLLBACK'));
}

test('a write joins the transaction that waits for its task, and one to another task does not', async () => {
  const store = schema.connect();
  await store.create(newTask('a'));
  await store.create(newTask('b'));
  const letGo = await holdTask('a');
  const first = store.append({ taskId: 'a', guard: {}, events: [event('first')] });
  await vi.waitFor(async () => expect(await schema.waiting()).toBeGreaterThan(0));
  const second = store.append({ taskId: 'a', guard: {}, events: [event('second')] });
  const other = store.append({ taskId: 'b', guard: {}, events: [event('other')] });
  await letGo();

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

test('writes that are stored one by one, after they were held up together, keep their order', async () => {
  const store = schema.connect({ lockMs: 200 });
  await store.create(newTask('a'));
  await store.create(newTask('b'));
  const letGo = await holdTask('b');
  const append = (taskId: string, name: string): Promise<unknown> =>
    store.append({ taskId, guard: {}, events: [event(name)] }).catch(() => {});
  const together = [append('a', '1'), append('b', 'held'), append('a', '2')];
  await vi.waitFor(async () => expect(await schema.waiting()).toBeGreaterThan(0));
  await Promise.all([...together, append('a', '3'), append('a', '4')]);
  await letGo();

  const stored = await store.events('a', 1, 10);
  expect(stored.map(({ body }) => body)).toEqual(['1', '2', '3', '4'].map((name) => event(name).body));
});

test('writes that wait for a table that is locked are turned away in time', async () => {
  const store = schema.connect({ lockMs: 100, queueMs: 500 });
  await store.create(newTask('a'));
  const client = await schema.pool.connect();
  onTestFinished(() => client.release());
  await client.query(`BEGIN; LOCK TABLE "${schema.name}".task`);
  const writes = Array.from({ length: 50 }, () =>
    store.append({ taskId: 'a', guard: {}, events: [event('late')] }).then(
      () => 'stored',
      (error: Error) => error.message,
    ),
  );
  // One after the other they would wait for the lock fifty times.
  const answers = new Set(await Promise.all(writes));
  await client.query('ROLLBACK');

  expect(answers).toContain('The database of the task store is too slow');
  expect(answers).not.toContain('stored');
});

test.each([
  ['quotes', '"\\'.repeat(500_000)],
  ['control characters and quotes', '\n"\u007f\u0001'.repeat(1000)],
  ['characters of every length', 'a\u00e9\u20ac\u{1f600}"{},NULL'.repeat(1000)],
])('a text of %s comes back as it was', async (_, text) => {
  const store = schema.connect();
  await store.create({ ...newTask('a'), event: { kind: 'task', body: JSON.stringify({ text }) } });
  const [first] = await store.events('a', 0, 1);

  expect(first?.body).toBe(JSON.stringify({ text }));
});

test('a task that nothing speaks against is accepted at once, one with a key is not', async () => {
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

/** The message of the database that tells a new connection who answers: a letter, its length, and the process. */
const KEY_DATA = Buffer.from([0x4b, 0, 0, 0, 12]);

/** As a pooler does it, which has no process to tell of yet. */
function withAnotherProcess(bytes: Buffer): Buffer {
  const at = bytes.indexOf(KEY_DATA);
  if (at >= 0) bytes.writeInt32BE(bytes.readInt32BE(at + 5) ^ 1, at + 5);
  return bytes;
}

test.for<[string, Interference['onAnswer'], boolean]>([
  ['which is that of the process that answers', undefined, true],
  ['which somebody in between has made up', withAnotherProcess, false],
])('statements have names, and go ahead, on a connection with a number %s', async ([, onAnswer, areNamed]) => {
  let said = '';
  const onQuestion = (bytes: Buffer): void => void (said += bytes.toString('latin1'));
  const proxy = await proxyTo(schema.url, { ...(onAnswer && { onAnswer }), onQuestion });
  const store = schema.connect({}, proxy.url);
  for (const id of ['a', 'b', 'c']) await store.create(newTask(id, { node: 'n' }));
  const guard = { lease: { node: 'n', fence: 1 } };
  for (let n = 0; n < 5; n += 1) await store.append({ taskId: 'c', by: 'n', guard, events: [event(`${n}`)] });

  expect(await store.read(ALICE, 'c')).toBeDefined();
  expect(said.includes('insert event\0')).toBe(areNamed);
  expect(said.includes('tandem.within')).toBe(areNamed);
});

test('a chunk or a step leaves the row of its task alone, and numbers go on all the same', async () => {
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

test('processes that write to one task at the same time give each number once', async () => {
  const stores = [schema.connect(), schema.connect(), schema.connect()];
  await stores[0]?.create(newTask('a'));
  const append = async (store: (typeof stores)[number], n: number): Promise<readonly number[]> => {
    const given: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      const written = await store.append({ taskId: 'a', guard: {}, events: [event(`${n}-${i}`)] });
      given.push(written.kind === 'appended' ? written.firstEvent : 0);
    }
    return given;
  };
  const given = (await Promise.all(stores.map(append))).flat();

  expect(given.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i + 2));
});

test('a claim that cannot be told is not made', async () => {
  const store = schema.connect({ connections: 2, connectTimeoutMs: 100 });
  // One connection listens, so that all else shares the other.
  store.watch(() => {});
  await store.create({ ...newTask('a'), wakeAt: 1 });
  await store.create({ ...newTask('held'), wakeAt: Number.MAX_SAFE_INTEGER });
  const letGo = await holdTask('held');
  const agents = [newTask('a').agent];
  const claimed = store.claim({ node: 'n', agents, limit: 1 });
  const waits = store.append({ taskId: 'held', guard: {}, events: [event('late')] }).catch(() => {});
  const [got] = await claimed.catch(() => []);
  await letGo();
  await waits;

  const [kept] = got === undefined ? await store.claim({ node: 'n', agents, limit: 1 }) : [got];
  expect(kept).toMatchObject({ id: 'a', node: 'n', attempts: 1 });
});

test('a database that is told to isolate transactions better numbers events as any other', async () => {
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
