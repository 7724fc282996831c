/** Transactions that writes share, and failures that they do not share. */
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';

import { loadDriver } from '../../src/store/sqlite/database/driver.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';
import type { SpyDriver } from './sqlite-driver.ts';
import { ALICE, chunk, newTask, scratchFolder, spyDriver, sqliteError } from './sqlite-driver.ts';

const scratch = scratchFolder();
let path: string;
let spy: SpyDriver;
let store: Store;

beforeEach(() => {
  path = scratch.file();
  spy = spyDriver();
  store = sqlite(path, { driver: spy.driver });
  spy.executed.length = 0;
});

afterEach(() => store.close());
afterAll(() => scratch.remove());

function commits(): number {
  return spy.executed.filter((sql) => sql === 'COMMIT').length;
}

function numbers(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

/**
 * Whether any of many attempts took a single transaction. One attempt proves nothing, because a flush ends early on a busy
 * machine.
 */
async function sharesTransaction(write: (round: number) => Promise<unknown>): Promise<boolean> {
  for (const round of numbers(1, 50)) {
    const before = commits();
    await write(round);
    if (commits() - before === 1) return true;
  }
  return false;
}

test('the writes of one turn of the event loop share one transaction', async () => {
  const write = async (round: number): Promise<unknown> =>
    Promise.all(numbers(1, 10).map((i) => store.create(newTask(`t-${round}-${i}`))));

  expect(await sharesTransaction(write)).toBe(true);
});

test('writes that follow from microtasks of one turn share its transaction', async () => {
  const write = async (round: number): Promise<unknown> => {
    const later = Promise.resolve().then(() => store.create(newTask(`b-${round}`)));
    return Promise.all([store.create(newTask(`a-${round}`)), later]);
  };

  expect(await sharesTransaction(write)).toBe(true);
});

test('a write after an acknowledged one has a transaction of its own', async () => {
  await store.create(newTask('a'));
  await store.append(chunk('a'));

  expect(commits()).toBe(2);
});

test('many writes take several transactions, and the event loop runs between them', async () => {
  await store.create(newTask('a'));
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  const before = commits();
  const writes = Promise.all(numbers(1, 1000).map(() => store.append(chunk('a'))));
  setImmediate(count);
  await writes;
  isDone = true;
  await new Promise((resolve) => setImmediate(resolve));

  expect(commits() - before).toBeGreaterThanOrEqual(4);
  expect(turns).toBeGreaterThanOrEqual(commits() - before - 1);
  const events = await store.events('a', 0, 2000);
  expect(events.map(({ number }) => number)).toEqual(numbers(1, 1001));
});

test('a write resolves after its commit, and is not visible before', async () => {
  const seen: string[] = [];
  const other = loadDriver()(path);
  const ids = (): unknown[] => other.prepare('SELECT id FROM task').all();
  const created = store.create(newTask('a')).then(() => seen.push(`acknowledged with ${ids().length} task`));
  await Promise.resolve();
  expect(await store.read(ALICE, 'a')).toBeUndefined();
  expect(ids()).toEqual([]);
  await created;

  expect(seen).toEqual(['acknowledged with 1 task']);
  other.close();
});

test('watchers are notified of a task after its commit', async () => {
  const notified: [string, number][] = [];
  store.watch((id) => notified.push([id, commits()]));
  await store.create(newTask('a'));
  await store.create(newTask('b'));

  expect(notified).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
});

test('a write that cannot be stored fails completely, and the others in its transaction succeed', async () => {
  await store.create(newTask('taken'));
  const [first, broken, last] = await Promise.allSettled([
    store.create(newTask('a')),
    store.create(newTask('taken', { alias: 'nickname', idempotency: { key: 'k', digest: 'd', keepUntil: 9e15 } })),
    store.create(newTask('b')),
  ]);

  expect([first.status, last.status]).toEqual(['fulfilled', 'fulfilled']);
  expect(broken).toMatchObject({ status: 'rejected', reason: { name: 'A2AError', code: 'INTERNAL_ERROR' } });
  expect((await store.list(ALICE, { limit: 10 })).total).toBe(3);
  expect(await store.resolveAlias(ALICE, 'nickname')).toBeUndefined();
  const again = await store.create(newTask('c', { idempotency: { key: 'k', digest: 'other', keepUntil: 9e15 } }));
  expect(again.kind).toBe('created');
});

test('a write that fails half-way stores none of its parts', async () => {
  await store.create(newTask('a'));
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  const body = cyclic as never;
  const [broken, sound] = await Promise.allSettled([
    store.append({ ...chunk('a', 'broken'), journal: [{ kind: 'step', key: 'k', body }] }),
    store.append(chunk('a', 'sound')),
  ]);

  expect(broken).toMatchObject({ status: 'rejected', reason: { code: 'INTERNAL_ERROR' } });
  expect(sound).toMatchObject({ status: 'fulfilled', value: { firstEvent: 2 } });
  expect((await store.events('a', 1, 10)).map(({ body }) => body)).toEqual(['sound']);
});

test('a write that its guard rejects does not affect others in its transaction', async () => {
  await store.create(newTask('a'));
  const results = await Promise.all([
    store.append(chunk('a', 'one')),
    store.append({ ...chunk('a', 'rejected'), guard: { states: ['TASK_STATE_WORKING'] } }),
    store.append(chunk('a', 'two')),
  ]);

  expect(results.map(({ kind }) => kind)).toEqual(['appended', 'rejected', 'appended']);
  expect((await store.events('a', 1, 10)).map(({ number, body }) => [number, body])).toEqual([
    [2, 'one'],
    [3, 'two'],
  ]);
});

test.each([
  ['a full disk', sqliteError(13, 'database or disk is full')],
  ['an unknown reason', new Error('no')],
])(
  'a commit that fails because of %s fails all of its writes, stores none of them, and the next one succeeds',
  async (_, error) => {
    await store.create(newTask('a'));
    expect((await store.list(ALICE, { limit: 10 })).total).toBe(1);
    spy.failure = (sql) => (sql === 'COMMIT' ? error : undefined);
    const failed = await Promise.allSettled([
      store.append({ ...chunk('a'), status: { state: 'TASK_STATE_COMPLETED' }, endedAt: 5 }),
      store.create(newTask('b')),
      store.claim({ node: 'n', agents: ['translator'], limit: 5 }),
    ]);
    spy.failure = () => undefined;

    for (const result of failed) {
      expect(result).toMatchObject({ status: 'rejected', reason: { name: 'A2AError', code: 'UNAVAILABLE' } });
    }
    expect(await store.read(ALICE, 'b')).toBeUndefined();
    expect((await store.read(ALICE, 'a'))?.record).toMatchObject({ lastEvent: 1, fence: 0 });
    expect((await store.list(ALICE, { limit: 10 })).total).toBe(1);
    expect(await store.append(chunk('a'))).toMatchObject({ kind: 'appended', firstEvent: 2 });
  },
);

test('a write after a failed commit does not see the data of that commit', async () => {
  await store.create(newTask('a'));
  await store.append(chunk('a'));
  spy.failure = (sql) => (sql === 'COMMIT' ? sqliteError(13, 'database or disk is full') : undefined);
  const write = { ...chunk('a'), question: 'q', history: [newTask('a').message] };
  await expect(store.append(write)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  spy.failure = () => undefined;

  const next = await store.append({ ...chunk('a'), history: [newTask('a').message] });
  expect(next).toMatchObject({ kind: 'appended', firstEvent: 3, record: { lastEvent: 3 } });
  expect(next).not.toHaveProperty('record.question');
  expect((await store.read(ALICE, 'a'))?.history).toHaveLength(2);
  expect((await store.events('a', 0, 10)).map(({ number }) => number)).toEqual([1, 2, 3]);
});

test('a write after a failed one in the same transaction does not see its data', async () => {
  await store.create(newTask('a'));
  const noKey = { key: null as never, digest: 'd', keepUntil: 1 };
  const [broken, sound] = await Promise.allSettled([
    store.append({ ...chunk('a'), question: 'q', idempotency: noKey }),
    store.append(chunk('a')),
  ]);

  expect(broken).toMatchObject({ status: 'rejected', reason: { code: 'INTERNAL_ERROR' } });
  expect(sound).toMatchObject({ status: 'fulfilled', value: { firstEvent: 2 } });
  expect(sound).not.toHaveProperty('value.record.question');
  expect((await store.events('a', 0, 10)).map(({ number }) => number)).toEqual([1, 2]);
});
