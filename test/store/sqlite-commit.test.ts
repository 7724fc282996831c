/** How writes share transactions, and how they do not share failures. */
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
 * A flush ends early on a machine that is busy elsewhere, so one try proves nothing. Says whether any of many tries took
 * a single transaction.
 */
async function everShares(write: (round: number) => Promise<unknown>): Promise<boolean> {
  for (const round of numbers(1, 50)) {
    const before = commits();
    await write(round);
    if (commits() - before === 1) return true;
  }
  return false;
}

test('the writes of one turn share one transaction', async () => {
  const write = async (round: number): Promise<unknown> =>
    Promise.all(numbers(1, 10).map((i) => store.create(newTask(`t-${round}-${i}`))));

  expect(await everShares(write)).toBe(true);
});

test('writes that follow from one another in one turn share it too', async () => {
  const write = async (round: number): Promise<unknown> => {
    const later = Promise.resolve().then(() => store.create(newTask(`b-${round}`)));
    return Promise.all([store.create(newTask(`a-${round}`)), later]);
  };

  expect(await everShares(write)).toBe(true);
});

test('writes of later turns have later transactions', async () => {
  await store.create(newTask('a'));
  await store.append(chunk('a'));

  expect(commits()).toBe(2);
});

test('many writes take several transactions, and the loop has its turn in between', async () => {
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

test('a promise resolves after its commit, and nothing is to be seen before', async () => {
  const seen: string[] = [];
  const other = loadDriver()(path);
  const ids = (): unknown[] => other.prepare('SELECT id FROM task').all();
  const created = store.create(newTask('a')).then(() => seen.push(`told with ${ids().length} task`));
  await Promise.resolve();
  expect(await store.read(ALICE, 'a')).toBeUndefined();
  expect(ids()).toEqual([]);
  await created;

  expect(seen).toEqual(['told with 1 task']);
  other.close();
});

test('watchers hear of a task after its commit', async () => {
  const heard: [string, number][] = [];
  store.watch((id) => heard.push([id, commits()]));
  await store.create(newTask('a'));
  await store.create(newTask('b'));

  expect(heard).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
});

test('a write that cannot be stored fails alone, and in whole', async () => {
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

test('a write that fails half-way takes its first half back', async () => {
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

test('a refused guard disturbs nobody in its transaction', async () => {
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
  ['anything else', new Error('no')],
])(
  'a commit that fails for %s fails all of its writes, stores none of them, and the next succeeds',
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

test('what a failed commit has taken back, no later write builds on', async () => {
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

test('what a single write has taken back, the next one of its transaction does not build on', async () => {
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
