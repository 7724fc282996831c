import { expect, test } from 'vitest';

import { A2AError } from '../../src/errors.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { ALICE, end, key, message, newTask, START, times } from '../../src/testing/store-contract/samples.ts';
import { Subject } from '../../src/testing/store-contract/subject.ts';
import { storeContract } from '../../src/testing/store-contract.ts';

storeContract({ test, open: ({ clock }) => memoryStore({ clock }) });

test('a full memory store removes the task that ended first, whenever it was created', async () => {
  const t = new Subject(memoryStore({ maxTasks: 3 }));
  const { store } = t;
  for (const id of ['one', 'two', 'three']) await t.create(id, { alias: `alias of ${id}` });
  await t.append('two', end(START + 1));
  await t.append('one', end(START + 2));

  await t.create('four');
  expect((await t.listed()).ids).toEqual(['one', 'three', 'four']);
  expect(await store.resolveAlias(ALICE, 'alias of two')).toBeUndefined();

  await t.create('five');
  expect(await store.read(ALICE, 'one')).toBeUndefined();
  expect((await t.listed()).total).toBe(3);
});

test('a memory store full of unfinished tasks rejects new ones, and keeps all tasks', async () => {
  const t = new Subject(memoryStore({ maxTasks: 2 }));
  const { store } = t;
  await t.create('one', { idempotency: key('k') });
  await t.create('two', { alias: 'taken' });
  const full = store.create(newTask('three', { alias: 'free', idempotency: key('k-3') }));

  await expect(full).rejects.toSatisfy((error: unknown) => A2AError.is(error, 'UNAVAILABLE'));

  expect((await t.listed()).total).toBe(2);
  expect(await store.resolveAlias(ALICE, 'free')).toBeUndefined();
  // Repeats and taken aliases create no task, so they need no room.
  expect(await store.create(newTask('four', { idempotency: key('k') }))).toEqual({ kind: 'repeated', taskId: 'one' });
  expect(await store.create(newTask('four', { alias: 'taken' }))).toEqual({ kind: 'alias-taken', taskId: 'two' });

  await t.append('one', end());
  await t.create('three', { alias: 'free', idempotency: key('k-3', 'digest-2') });
});

test('a full memory store accepts any number of tasks, each in the place of an ended one', async () => {
  const t = new Subject(memoryStore({ maxTasks: 10 }));
  for (const i of times(500)) {
    await t.create(`task-${i}`);
    await t.append(`task-${i}`, end(START + i));
  }

  expect((await t.listed()).ids).toEqual(times(10).map((i) => `task-${499 - i}`));
});

test('the memory store limits idempotency keys: keys of removed tasks are removed first, then the oldest', async () => {
  const t = new Subject(memoryStore({ maxTasks: 2 }));
  const { store } = t;
  const isKnown = async (name: string): Promise<boolean> => {
    const again = await store.append({ taskId: 'living', guard: { question: 'not asked' }, idempotency: key(name) });
    return again.kind === 'repeated';
  };
  await t.create('living', { idempotency: key('of the living') });
  for (const i of times(5)) {
    await t.createProvisional(`reply-${i}`, { node: 'node-a', idempotency: key(`reply-${i}`) });
    await store.dropForReply(`reply-${i}`, { node: 'node-a', fence: 1 }, message(`reply ${i}`));
  }
  // There are six keys, and at most eight are allowed.
  for (const i of times(4)) await t.append('living', { idempotency: key(`follow-up-${i}`) });
  expect(await Promise.all(['of the living', ...times(5).map((i) => `reply-${i}`)].map(isKnown))).toEqual([
    true,
    false,
    false,
    true,
    true,
    true,
  ]);

  for (const i of times(4)) await t.append('living', { idempotency: key(`later-${i}`) });
  expect(await isKnown('of the living')).toBe(false);
  expect(await Promise.all(times(4).map((i) => isKnown(`later-${i}`)))).toEqual([true, true, true, true]);
});

test('a removed idempotency key that is used again belongs to the new task', async () => {
  const t = new Subject(memoryStore({ maxTasks: 2 }));
  const { store } = t;
  await t.createProvisional('one', { node: 'node-a', idempotency: key('k') });
  for (const i of times(8)) await t.append('one', { idempotency: key(`k-${i}`) });
  await t.create('two', { idempotency: key('k') });
  await store.dropForReply('one', { node: 'node-a', fence: 1 }, message('reply'));

  expect(await store.create(newTask('three', { idempotency: key('k') }))).toEqual({ kind: 'repeated', taskId: 'two' });
});
