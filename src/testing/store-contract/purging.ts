import { deepEqual, equal } from 'node:assert/strict';

import type { AllTasksQuery } from '../../store/store.ts';
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
  status,
  times,
  TTL,
} from './samples.ts';

const BOB = { ...ALICE, owner: 'bob' };
const ELSEWHERE = { ...ALICE, tenant: 'globex' };

export const purging: Behaviours = {
  'a purge removes the tasks of one owner in every state, with all their data': async ({ store }) => {
    await create(store, newTask('ended', { pushConfig: pushConfig('hook'), alias: 'mine' }));
    await append(store, 'ended', { events: [event('news')], ...end() });
    await create(store, newTask('paused'));
    await append(store, 'paused', { journal: [entry('a')], events: [event('news')], wakeAt: null });
    await create(store, provisionalTask('provisional'));

    deepEqual(await store.purge(ALICE, 100), { found: 3, removed: 3 });

    for (const id of ['ended', 'paused', 'provisional']) await assertUnknown(store, id);
    equal(await store.resolveAlias(ALICE, 'mine'), undefined);
    equal(await store.nextPush(['translator']), undefined);
  },

  'a purge does not change the tasks and keys of other owners and tenants': async ({ store }) => {
    for (const [id, scope] of Object.entries({ bob: BOB, elsewhere: ELSEWHERE }))
      await create(store, newTask(id, { ...scope, idempotency: key('same'), alias: 'same' }));
    await create(store, newTask('alice', { idempotency: key('same'), alias: 'same' }));
    const before = [await everythingOf(store, 'bob', BOB), await everythingOf(store, 'elsewhere', ELSEWHERE)];

    deepEqual(await store.purge(ALICE, 100), { found: 1, removed: 1 });

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

  'a purge removes the keys of tasks that were removed before': async ({ store }) => {
    await create(store, newTask('one', { idempotency: key('same') }));
    await append(store, 'one', end());
    await store.prune({ endedBefore: START + HOUR, keepEnded: 0, eventsEndedBefore: 0, limit: 10 });
    equal((await store.create(newTask('two', { idempotency: key('same') }))).kind, 'repeated');

    deepEqual(await store.purge(ALICE, 100), { found: 0, removed: 0 });

    equal((await store.create(newTask('two', { idempotency: key('same') }))).kind, 'created');
  },

  'a purge removes at most as many tasks as its limit': async ({ store }) => {
    for (const i of times(5)) await create(store, newTask(`task-${i}`));

    deepEqual(await store.purge(ALICE, 2), { found: 2, removed: 2 });
    equal((await listed(store)).total, 3);
    deepEqual(await store.purge(ALICE, 2), { found: 2, removed: 2 });
    deepEqual(await store.purge(ALICE, 2), { found: 1, removed: 1 });
    deepEqual(await store.purge(ALICE, 2), { found: 0, removed: 0 });
  },

  'a purge does not remove a task that a living node runs': async ({ store, clock }) => {
    await store.heartbeat('node-a', TTL);
    await create(store, newTask('running', { node: 'node-a', idempotency: key('same') }));
    await create(store, newTask('idle'));

    deepEqual(await store.purge(ALICE, 100), { found: 1, removed: 1 });
    deepEqual((await listed(store)).ids, ['running']);
    equal((await store.create(newTask('other', { idempotency: key('same') }))).kind, 'repeated');

    clock.advance(TTL + 1);
    deepEqual(await store.purge(ALICE, 100), { found: 1, removed: 1 });
    await assertUnknown(store, 'running');
    // Writes of its run are rejected.
    const late = await store.append({
      taskId: 'running',
      guard: { lease: { node: 'node-a', fence: 1 } },
      events: [event('late')],
    });
    deepEqual(late, { kind: 'rejected' });
  },

  'concurrent purges of the same owner remove each task once, and each reports how many tasks it found': async ({
    store,
  }) => {
    for (const i of times(6)) await create(store, newTask(`task-${i}`));

    const purges = await Promise.all([store.purge(ALICE, 4), store.purge(ALICE, 4)]);

    const [first, second] = purges;
    // Either can be the one that finds fewer.
    equal(Math.max(first.found, second.found), 4);
    for (const { found, removed } of purges) equal(found >= removed, true);
    deepEqual(await store.purge(ALICE, 100), {
      found: 6 - first.removed - second.removed,
      removed: 6 - first.removed - second.removed,
    });
    equal((await listed(store)).total, 0);
  },

  'the unfinished tasks of an owner include provisional tasks and tasks that a living node runs': async ({ store }) => {
    await store.heartbeat('node-a', TTL);
    await create(store, newTask('ended'));
    await append(store, 'ended', end());
    await create(store, newTask('paused', { status: status('TASK_STATE_INPUT_REQUIRED') }));
    await create(store, newTask('running', { node: 'node-a' }));
    await create(store, provisionalTask('provisional', { node: 'node-a' }));
    await create(store, newTask('bob', BOB));
    await create(store, newTask('elsewhere', ELSEWHERE));

    const { taskIds, total } = await store.unfinished(ALICE, 100);
    deepEqual([...taskIds].sort(), ['paused', 'provisional', 'running']);
    equal(total, 3);
    const page = await store.unfinished(ALICE, 2);
    equal(page.taskIds.length, 2);
    equal(page.total, 3);
    deepEqual(await store.unfinished({ ...ALICE, owner: 'nobody' }, 100), { taskIds: [], total: 0 });
  },

  'the tasks of all owners are listed page by page, by agent, id, and whether they have ended': async ({ store }) => {
    if (store.allTasks === undefined) return;
    await create(store, newTask('c'));
    await create(store, newTask('B', BOB));
    await create(store, newTask('a', ELSEWHERE));
    await create(store, newTask('ended'));
    await append(store, 'ended', { journal: [entry('a')], ...end(), keepJournal: 'outline' });
    await create(store, provisionalTask('other', { agent: 'another agent' }));
    const { agent } = newTask('c');

    const page = async (query: AllTasksQuery): Promise<readonly string[]> =>
      ((await store.allTasks?.(query)) ?? []).map(({ id }) => id);
    const open = { agent, hasEnded: false, limit: 2 };
    deepEqual(await page(open), ['B', 'a']);
    deepEqual(await page({ ...open, after: 'a' }), ['c']);
    deepEqual(await page({ ...open, after: 'c' }), []);
    deepEqual(await page({ agent, hasEnded: true, limit: 9 }), ['ended']);
    deepEqual(await page({ agent, limit: 9 }), ['B', 'a', 'c', 'ended']);
    deepEqual(await page({ limit: 9 }), ['B', 'a', 'c', 'ended', 'other']);
    deepEqual(await page({ taskId: 'other', limit: 9 }), ['other']);
    deepEqual(await page({ taskId: 'other', agent, limit: 9 }), []);
    for (const id of ['c', 'ended'])
      deepEqual(await store.allTasks({ taskId: id, limit: 1 }), [(await store.read(ALICE, id))?.record]);
  },
};
