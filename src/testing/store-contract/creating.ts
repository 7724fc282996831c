import { deepEqual, equal, rejects } from 'node:assert/strict';

import { A2AError } from '../../errors.ts';
import type { Behaviours } from './behaviours.ts';
import { ALICE, create, everythingOf, key, listed, message, newTask, START, status, times } from './samples.ts';

export const creating: Behaviours = {
  'a new task is stored with all that was said about it': async ({ store }) => {
    const record = await create(store, {
      ...ALICE,
      id: 'one',
      contextId: 'context-1',
      agent: 'translator',
      status: status('TASK_STATE_SUBMITTED', START - 5),
      metadata: { colour: 'green' },
      origin: { dialect: '0.3', extensions: ['a', 'b'] },
      message: message('m-1'),
      event: { kind: 'task', body: '{"id":"one"}' },
      createdAt: START - 5,
      wakeAt: START + 7,
    });

    deepEqual(record, {
      ...ALICE,
      id: 'one',
      contextId: 'context-1',
      agent: 'translator',
      status: status('TASK_STATE_SUBMITTED', START - 5),
      metadata: { colour: 'green' },
      origin: { dialect: '0.3', extensions: ['a', 'b'] },
      visible: true,
      lastEvent: 1,
      lastJournal: 0,
      fence: 0,
      attempts: 0,
      wakeAt: START + 7,
      canceling: false,
      createdAt: START - 5,
    });
    deepEqual(await everythingOf(store, 'one'), {
      task: { record, history: [message('m-1')], artifacts: { tail: [] } },
      events: [{ number: 1, kind: 'task', body: '{"id":"one"}' }],
      journal: [],
    });
  },

  'a task without metadata has none when it is read': async ({ store }) => {
    const record = await create(store, newTask('one'));

    equal('metadata' in record, false);
    deepEqual((await store.read(ALICE, 'one'))?.record, record);
  },

  'a task that a node runs at once is in its first attempt, with the fencing number 1': async ({ store }) => {
    const { node, fence, attempts } = await create(store, newTask('one', { node: 'node-a' }));

    deepEqual({ node, fence, attempts }, { node: 'node-a', fence: 1, attempts: 1 });
  },

  'what nobody created is unknown': async ({ store }) => {
    await create(store, newTask('one'));

    equal(await store.read(ALICE, 'two', { artifacts: true }), undefined);
    equal(await store.resolveAlias(ALICE, 'two'), undefined);
    deepEqual(await store.events('two', 0, 10), []);
    deepEqual(await store.journal('two'), []);
    deepEqual(await store.append({ taskId: 'two', guard: {} }), { kind: 'refused' });
  },

  'an id that another task has is an error, and that task stays as it was': async ({ store }) => {
    await create(store, newTask('one', { alias: 'mine' }));
    const before = await everythingOf(store, 'one');
    const again = newTask('one', { owner: 'bob', message: message('other'), alias: 'his', idempotency: key('k') });

    await rejects(store.create(again), (error) => A2AError.is(error));

    deepEqual(await everythingOf(store, 'one'), before);
    const bob = { ...ALICE, owner: 'bob' };
    equal(await store.resolveAlias(bob, 'his'), undefined);
    deepEqual(await listed(store, {}, bob), { ids: [], total: 0 });
    await create(store, newTask('two', { owner: 'bob', alias: 'his', idempotency: key('k') }));
  },

  'many tasks created at once are all there': async ({ store }) => {
    const ids = times(200).map((i) => `task-${i}`);
    await Promise.all(ids.map((id) => create(store, newTask(id))));

    const { ids: found, total } = await listed(store);

    deepEqual([...found].sort(), [...ids].sort());
    equal(total, 200);
  },

  'an alias leads to the task that was created with it': async ({ store }) => {
    await create(store, newTask('one', { alias: 'homework' }));

    equal(await store.resolveAlias(ALICE, 'homework'), 'one');
    equal(await store.resolveAlias(ALICE, 'one'), undefined);
  },

  'an alias that is taken stops the creation and names the task that has it': async ({ store }) => {
    await create(store, newTask('one', { alias: 'homework' }));

    deepEqual(await store.create(newTask('two', { alias: 'homework' })), { kind: 'alias-taken', taskId: 'one' });

    equal(await store.read(ALICE, 'two'), undefined);
    deepEqual(await store.events('two', 0, 10), []);
    deepEqual(await listed(store), { ids: ['one'], total: 1 });
    equal(await store.resolveAlias(ALICE, 'homework'), 'one');
  },

  'of many creations at once with one alias exactly one succeeds': async ({ store }) => {
    const results = await Promise.all(times(20).map((i) => store.create(newTask(`task-${i}`, { alias: 'homework' }))));

    const winner = await store.resolveAlias(ALICE, 'homework');
    const created = results.filter((result) => result.kind === 'created');
    deepEqual(
      created.map(({ record }) => record.id),
      [winner],
    );
    deepEqual(
      results.filter(({ kind }) => kind !== 'created'),
      times(19).map(() => ({ kind: 'alias-taken', taskId: winner })),
    );
    deepEqual(await listed(store), { ids: [winner], total: 1 });
  },
};
