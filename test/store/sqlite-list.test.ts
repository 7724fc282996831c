/** The totals of lists, which are cached in memory and must equal the number of rows. */
import { afterAll, expect, test } from 'vitest';

import type { TaskState } from '../../src/model/state.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import type { NewTask, Store } from '../../src/store/store.ts';
import { ALICE, newTask, scratchFolder, spyDriver } from './sqlite-driver.ts';

const scratch = scratchFolder();
const LEASE = { node: 'n', fence: 1 };

afterAll(() => scratch.remove());

function provisional(id: string): NewTask {
  const { event: _, ...task } = newTask(id, { node: 'n' });
  return task;
}

async function setState(store: Store, taskId: string, state: TaskState, endedAt?: number): Promise<void> {
  await store.append({
    taskId,
    guard: {},
    visible: true,
    status: { state },
    ...(endedAt === undefined ? {} : { endedAt }),
  });
}

async function totals(store: Store): Promise<Record<string, number>> {
  const total = async (states?: readonly TaskState[]): Promise<number> =>
    (await store.list(ALICE, states === undefined ? { limit: 1 } : { limit: 1, states })).total;
  return {
    all: await total(),
    submitted: await total(['TASK_STATE_SUBMITTED']),
    working: await total(['TASK_STATE_WORKING']),
    completed: await total(['TASK_STATE_COMPLETED']),
    ended: await total(['TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_FAILED']),
  };
}

test('the total of a list is right after every kind of change', async () => {
  const path = scratch.file();
  const store = sqlite(path);
  await totals(store);
  for (const id of ['a', 'b', 'c', 'd']) await store.create(newTask(id));
  for (const id of ['e', 'f', 'g']) await store.create(provisional(id));
  await store.create(newTask('other', { owner: 'bob' }));
  expect(await totals(store)).toEqual({ all: 4, submitted: 4, working: 0, completed: 0, ended: 0 });

  await setState(store, 'a', 'TASK_STATE_WORKING');
  await setState(store, 'b', 'TASK_STATE_COMPLETED', 10);
  await setState(store, 'c', 'TASK_STATE_FAILED', 20);
  await setState(store, 'e', 'TASK_STATE_WORKING');
  await store.dropForReply('f', LEASE, newTask('f').message);
  expect(await totals(store)).toEqual({ all: 5, submitted: 1, working: 2, completed: 1, ended: 2 });

  await store.prune({ endedBefore: 0, keepEnded: 1, eventsEndedBefore: 0, limit: 10 });
  const last = { all: 4, submitted: 1, working: 2, completed: 0, ended: 1 };
  expect(await totals(store)).toEqual(last);
  await store.close();
  const again = sqlite(path);
  expect(await totals(again)).toEqual(last);
  await again.close();
});

test('keepEnded of prune counts the ended tasks of all owners', async () => {
  const store = sqlite(scratch.file());
  const keepTwo = { endedBefore: 0, keepEnded: 2, eventsEndedBefore: 0, limit: 10 };
  expect(await store.prune(keepTwo)).toBe(0);
  for (const [i, owner] of ['alice', 'bob', 'alice', 'bob'].entries()) {
    await store.create(newTask(`t-${i}`, { owner }));
    await setState(store, `t-${i}`, 'TASK_STATE_COMPLETED', i);
  }

  expect(await store.prune(keepTwo)).toBe(2);
  expect(await store.prune(keepTwo)).toBe(0);
  expect(await store.read(ALICE, 't-0')).toBeUndefined();
  expect((await store.read(ALICE, 't-2'))?.record.id).toBe('t-2');
  await store.close();
});

test('a list requested in a watch notification counts each committed task once', async () => {
  const spy = spyDriver();
  const store = sqlite(scratch.file(), { driver: spy.driver });
  const committed = (): unknown => spy.database().prepare('SELECT count(*) FROM task').get()?.[0];
  const lists: Promise<readonly unknown[]>[] = [];
  store.watch(() => {
    const tasks = committed();
    lists.push(store.list(ALICE, { limit: 1 }).then(({ total }) => [total, tasks]));
  });
  // Many times, because on a busy machine a write may have a transaction of its own, which cannot show the error.
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(['a', 'b', 'c'].map((id) => store.create(newTask(`${id}-${round}`))));
  }

  const counts = await Promise.all(lists);
  expect(counts).toHaveLength(60);
  expect(counts.filter(([total, tasks]) => total !== tasks)).toEqual([]);
  await store.close();
});

test('the total of a list is right after its owner was evicted from the cache', async () => {
  const store = sqlite(scratch.file());
  await store.create(newTask('a'));
  expect((await store.list(ALICE, { limit: 1 })).total).toBe(1);
  for (let i = 0; i < 1001; i += 1) await store.list({ tenant: 'acme', owner: `owner-${i}` }, { limit: 1 });
  await store.create(newTask('b'));

  expect((await store.list(ALICE, { limit: 1 })).total).toBe(2);
  await store.close();
});
