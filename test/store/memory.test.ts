import { expect, test } from 'vitest';

import { A2AError } from '../../src/errors.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import {
  ALICE,
  append,
  create,
  end,
  key,
  listed,
  message,
  newTask,
  provisionalTask,
  START,
  times,
} from '../../src/testing/store-contract/samples.ts';
import { storeContract } from '../../src/testing/store-contract.ts';

storeContract({ test, open: ({ clock }) => memoryStore({ clock }) });

test('a full memory store removes the task that ended first, whenever it was created', async () => {
  const store = memoryStore({ maxTasks: 3 });
  for (const id of ['one', 'two', 'three']) await create(store, newTask(id, { alias: `alias of ${id}` }));
  await append(store, 'two', end(START + 1));
  await append(store, 'one', end(START + 2));

  await create(store, newTask('four'));
  expect((await listed(store)).ids).toEqual(['one', 'three', 'four']);
  expect(await store.resolveAlias(ALICE, 'alias of two')).toBeUndefined();

  await create(store, newTask('five'));
  expect(await store.read(ALICE, 'one')).toBeUndefined();
  expect((await listed(store)).total).toBe(3);
});

test('a memory store full of unfinished tasks rejects new ones, and keeps all tasks', async () => {
  const store = memoryStore({ maxTasks: 2 });
  await create(store, newTask('one', { idempotency: key('k') }));
  await create(store, newTask('two', { alias: 'taken' }));
  const full = store.create(newTask('three', { alias: 'free', idempotency: key('k-3') }));

  await expect(full).rejects.toSatisfy((error: unknown) => A2AError.is(error, 'UNAVAILABLE'));

  expect((await listed(store)).total).toBe(2);
  expect(await store.resolveAlias(ALICE, 'free')).toBeUndefined();
  // Repeats and taken aliases create no task, so they need no room.
  expect(await store.create(newTask('four', { idempotency: key('k') }))).toEqual({ kind: 'repeated', taskId: 'one' });
  expect(await store.create(newTask('four', { alias: 'taken' }))).toEqual({ kind: 'alias-taken', taskId: 'two' });

  await append(store, 'one', end());
  await create(store, newTask('three', { alias: 'free', idempotency: key('k-3', 'digest-2') }));
});

test('a full memory store accepts any number of tasks, each in the place of an ended one', async () => {
  const store = memoryStore({ maxTasks: 10 });
  for (const i of times(500)) {
    await create(store, newTask(`task-${i}`));
    await append(store, `task-${i}`, end(START + i));
  }

  expect((await listed(store)).ids).toEqual(times(10).map((i) => `task-${499 - i}`));
});

test('the memory store limits idempotency keys: keys of removed tasks are removed first, then the oldest', async () => {
  const store = memoryStore({ maxTasks: 2 });
  const isKnown = async (name: string): Promise<boolean> => {
    const again = await store.append({ taskId: 'living', guard: { question: 'not asked' }, idempotency: key(name) });
    return again.kind === 'repeated';
  };
  await create(store, newTask('living', { idempotency: key('of the living') }));
  for (const i of times(5)) {
    await create(store, provisionalTask(`reply-${i}`, { node: 'node-a', idempotency: key(`reply-${i}`) }));
    await store.dropForReply(`reply-${i}`, { node: 'node-a', fence: 1 }, message(`reply ${i}`));
  }
  // There are six keys, and at most eight are allowed.
  for (const i of times(4)) await append(store, 'living', { idempotency: key(`follow-up-${i}`) });
  expect(await Promise.all(['of the living', ...times(5).map((i) => `reply-${i}`)].map(isKnown))).toEqual([
    true,
    false,
    false,
    true,
    true,
    true,
  ]);

  for (const i of times(4)) await append(store, 'living', { idempotency: key(`later-${i}`) });
  expect(await isKnown('of the living')).toBe(false);
  expect(await Promise.all(times(4).map((i) => isKnown(`later-${i}`)))).toEqual([true, true, true, true]);
});

test('a removed idempotency key that is used again belongs to the new task', async () => {
  const store = memoryStore({ maxTasks: 2 });
  await create(store, provisionalTask('one', { node: 'node-a', idempotency: key('k') }));
  for (const i of times(8)) await append(store, 'one', { idempotency: key(`k-${i}`) });
  await create(store, newTask('two', { idempotency: key('k') }));
  await store.dropForReply('one', { node: 'node-a', fence: 1 }, message('reply'));

  expect(await store.create(newTask('three', { idempotency: key('k') }))).toEqual({ kind: 'repeated', taskId: 'two' });
});
