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
  newTask,
  START,
  times,
} from '../../src/testing/store-contract/samples.ts';
import { storeContract } from '../../src/testing/store-contract.ts';

storeContract({ test, open: ({ clock }) => memoryStore({ clock }) });

test('a full store makes room by the task that ended first, whenever it was created', async () => {
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

test('a store full of unfinished tasks refuses new ones, and keeps all it has', async () => {
  const store = memoryStore({ maxTasks: 2 });
  await create(store, newTask('one', { idempotency: key('k') }));
  await create(store, newTask('two', { alias: 'taken' }));
  const full = store.create(newTask('three', { alias: 'free', idempotency: key('k-3') }));

  await expect(full).rejects.toSatisfy((error: unknown) => A2AError.is(error, 'UNAVAILABLE'));

  expect((await listed(store)).total).toBe(2);
  expect(await store.resolveAlias(ALICE, 'free')).toBeUndefined();
  // What makes no task needs no room.
  expect(await store.create(newTask('four', { idempotency: key('k') }))).toEqual({ kind: 'repeated', taskId: 'one' });
  expect(await store.create(newTask('four', { alias: 'taken' }))).toEqual({ kind: 'alias-taken', taskId: 'two' });

  await append(store, 'one', end());
  await create(store, newTask('three', { alias: 'free', idempotency: key('k-3', 'digest-2') }));
});

test('a full store takes as many tasks as there are to come, one for one', async () => {
  const store = memoryStore({ maxTasks: 10 });
  for (const i of times(500)) {
    await create(store, newTask(`task-${i}`));
    await append(store, `task-${i}`, end(START + i));
  }

  expect((await listed(store)).ids).toEqual(times(10).map((i) => `task-${499 - i}`));
});
