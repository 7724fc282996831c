import { deepEqual, equal } from 'node:assert/strict';

import type { Behaviours } from './behaviours.ts';
import {
  ALICE,
  append,
  assertUnknown,
  create,
  end,
  entry,
  event,
  everythingOf,
  HOUR,
  key,
  listed,
  newTask,
  provisionalTask,
  pushConfig,
  START,
  times,
  TTL,
} from './samples.ts';

const BOB = { ...ALICE, owner: 'bob' };
const ELSEWHERE = { ...ALICE, tenant: 'globex' };

export const purging: Behaviours = {
  'a purge removes the tasks of one owner in every state, with all that belongs to them': async ({ store }) => {
    await create(store, newTask('ended', { pushConfig: pushConfig('hook'), alias: 'mine' }));
    await append(store, 'ended', { events: [event('news')], ...end() });
    await create(store, newTask('paused'));
    await append(store, 'paused', { journal: [entry('a')], events: [event('news')], wakeAt: null });
    await create(store, provisionalTask('provisional'));

    deepEqual(await store.purge(ALICE, 100), { removed: 3, left: 0 });

    for (const id of ['ended', 'paused', 'provisional']) await assertUnknown(store, id);
    equal(await store.resolveAlias(ALICE, 'mine'), undefined);
    equal(await store.nextPush(['translator']), undefined);
  },

  'a purge leaves the tasks and keys of other owners and tenants as they are': async ({ store }) => {
    for (const [id, scope] of Object.entries({ bob: BOB, elsewhere: ELSEWHERE }))
      await create(store, newTask(id, { ...scope, idempotency: key('same'), alias: 'same' }));
    await create(store, newTask('alice', { idempotency: key('same'), alias: 'same' }));
    const before = [await everythingOf(store, 'bob', BOB), await everythingOf(store, 'elsewhere', ELSEWHERE)];

    deepEqual(await store.purge(ALICE, 100), { removed: 1, left: 0 });

    deepEqual([await everythingOf(store, 'bob', BOB), await everythingOf(store, 'elsewhere', ELSEWHERE)], before);
    equal(await store.resolveAlias(BOB, 'same'), 'bob');
    const repeated = await store.create(newTask('again', { ...BOB, idempotency: key('same') }));
    deepEqual(repeated, { kind: 'repeated', taskId: 'bob' });
  },

  'after a purge a request with a key of the owner is new': async ({ store }) => {
    await create(store, newTask('one', { idempotency: key('same') }));
    await append(store, 'one', end());
    await store.purge(ALICE, 100);

    equal((await store.create(newTask('two', { idempotency: key('same', 'other') }))).kind, 'created');
  },

  'a purge removes the keys of tasks that are gone already': async ({ store }) => {
    await create(store, newTask('one', { idempotency: key('same') }));
    await append(store, 'one', end());
    await store.prune({ endedBefore: START + HOUR, keepEnded: 0, eventsEndedBefore: 0, limit: 10 });
    equal((await store.create(newTask('two', { idempotency: key('same') }))).kind, 'repeated');

    deepEqual(await store.purge(ALICE, 100), { removed: 0, left: 0 });

    equal((await store.create(newTask('two', { idempotency: key('same') }))).kind, 'created');
  },

  'a purge removes no more tasks at a time than the limit says': async ({ store }) => {
    for (const i of times(5)) await create(store, newTask(`task-${i}`));

    deepEqual(await store.purge(ALICE, 2), { removed: 2, left: 3 });
    equal((await listed(store)).total, 3);
    deepEqual(await store.purge(ALICE, 2), { removed: 2, left: 1 });
    deepEqual(await store.purge(ALICE, 2), { removed: 1, left: 0 });
    deepEqual(await store.purge(ALICE, 2), { removed: 0, left: 0 });
  },

  'a purge leaves a task that a living node runs, until the node is dead': async ({ store, clock }) => {
    await store.heartbeat('node-a', TTL);
    await create(store, newTask('running', { node: 'node-a', idempotency: key('same') }));
    await create(store, newTask('idle'));

    deepEqual(await store.purge(ALICE, 100), { removed: 1, left: 1 });
    deepEqual((await listed(store)).ids, ['running']);
    equal((await store.create(newTask('other', { idempotency: key('same') }))).kind, 'repeated');

    clock.advance(TTL + 1);
    deepEqual(await store.purge(ALICE, 100), { removed: 1, left: 0 });
    await assertUnknown(store, 'running');
    // What its run writes is rejected.
    const late = await store.append({
      taskId: 'running',
      guard: { lease: { node: 'node-a', fence: 1 } },
      events: [event('late')],
    });
    deepEqual(late, { kind: 'refused' });
  },
};
