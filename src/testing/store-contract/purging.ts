import { deepEqual, equal } from 'node:assert/strict';

import type { AllTasksQuery } from '../../store/store.ts';
import type { Behaviours } from './subject.ts';
import { ALICE, end, entry, event, HOUR, key, newTask, pushConfig, START, status, times, TTL } from './samples.ts';

const BOB = { ...ALICE, owner: 'bob' };
const ELSEWHERE = { ...ALICE, tenant: 'globex' };

export const purging: Behaviours = {
  'a purge removes the tasks of one owner in every state, with all their data': async (t) => {
    await t.create('ended', { pushConfig: pushConfig('hook'), alias: 'mine' });
    await t.append('ended', { events: [event('news')], ...end() });
    await t.create('paused');
    await t.append('paused', { journal: [entry('a')], events: [event('news')], wakeAt: null });
    await t.createProvisional('provisional');

    deepEqual(await t.store.purge(ALICE, 100), { found: 3, removed: 3 });

    for (const id of ['ended', 'paused', 'provisional']) await t.assertUnknown(id);
    equal(await t.store.resolveAlias(ALICE, 'mine'), undefined);
    equal(await t.store.nextPush(['translator']), undefined);
  },

  'a purge does not change the tasks and keys of other owners and tenants': async (t) => {
    for (const [id, scope] of Object.entries({ bob: BOB, elsewhere: ELSEWHERE }))
      await t.create(id, { ...scope, idempotency: key('same'), alias: 'same' });
    await t.create('alice', { idempotency: key('same'), alias: 'same' });
    const before = [await t.everythingOf('bob', BOB), await t.everythingOf('elsewhere', ELSEWHERE)];

    deepEqual(await t.store.purge(ALICE, 100), { found: 1, removed: 1 });

    deepEqual([await t.everythingOf('bob', BOB), await t.everythingOf('elsewhere', ELSEWHERE)], before);
    equal(await t.store.resolveAlias(BOB, 'same'), 'bob');
    const repeated = await t.store.create(newTask('again', { ...BOB, idempotency: key('same') }));
    deepEqual(repeated, { kind: 'repeated', taskId: 'bob' });
  },

  'after a purge a request with a key of the owner is new': async (t) => {
    await t.create('one', { idempotency: key('same') });
    await t.append('one', end());
    await t.store.purge(ALICE, 100);

    equal((await t.store.create(newTask('two', { idempotency: key('same', 'other') }))).kind, 'created');
  },

  'a purge removes the keys of tasks that were removed before': async (t) => {
    await t.create('one', { idempotency: key('same') });
    await t.append('one', end());
    await t.store.prune({ endedBefore: START + HOUR, keepEnded: 0, eventsEndedBefore: 0, limit: 10 });
    equal((await t.store.create(newTask('two', { idempotency: key('same') }))).kind, 'repeated');

    deepEqual(await t.store.purge(ALICE, 100), { found: 0, removed: 0 });

    equal((await t.store.create(newTask('two', { idempotency: key('same') }))).kind, 'created');
  },

  'a purge removes at most as many tasks as its limit': async (t) => {
    for (const i of times(5)) await t.create(`task-${i}`);

    deepEqual(await t.store.purge(ALICE, 2), { found: 2, removed: 2 });
    equal((await t.listed()).total, 3);
    deepEqual(await t.store.purge(ALICE, 2), { found: 2, removed: 2 });
    deepEqual(await t.store.purge(ALICE, 2), { found: 1, removed: 1 });
    deepEqual(await t.store.purge(ALICE, 2), { found: 0, removed: 0 });
  },

  'a purge does not remove a task that a living node runs': async (t) => {
    await t.store.heartbeat('node-a', TTL);
    await t.create('running', { node: 'node-a', idempotency: key('same') });
    await t.create('idle');

    deepEqual(await t.store.purge(ALICE, 100), { found: 1, removed: 1 });
    deepEqual((await t.listed()).ids, ['running']);
    equal((await t.store.create(newTask('other', { idempotency: key('same') }))).kind, 'repeated');

    t.clock.advance(TTL + 1);
    deepEqual(await t.store.purge(ALICE, 100), { found: 1, removed: 1 });
    await t.assertUnknown('running');
    // Writes of its run are rejected.
    const late = await t.store.append({
      taskId: 'running',
      guard: { lease: { node: 'node-a', fence: 1 } },
      events: [event('late')],
    });
    deepEqual(late, { kind: 'rejected' });
  },

  'concurrent purges of the same owner remove each task once, and each reports how many tasks it found': async (t) => {
    for (const i of times(6)) await t.create(`task-${i}`);

    const purges = await Promise.all([t.store.purge(ALICE, 4), t.store.purge(ALICE, 4)]);

    const [first, second] = purges;
    // Either can be the one that finds fewer.
    equal(Math.max(first.found, second.found), 4);
    for (const { found, removed } of purges) equal(found >= removed, true);
    deepEqual(await t.store.purge(ALICE, 100), {
      found: 6 - first.removed - second.removed,
      removed: 6 - first.removed - second.removed,
    });
    equal((await t.listed()).total, 0);
  },

  'the unfinished tasks of an owner include provisional tasks and tasks that a living node runs': async (t) => {
    await t.store.heartbeat('node-a', TTL);
    await t.create('ended');
    await t.append('ended', end());
    await t.create('paused', { status: status('TASK_STATE_INPUT_REQUIRED') });
    await t.create('running', { node: 'node-a' });
    await t.createProvisional('provisional', { node: 'node-a' });
    await t.create('bob', BOB);
    await t.create('elsewhere', ELSEWHERE);

    const { taskIds, total } = await t.store.unfinished(ALICE, 100);
    deepEqual([...taskIds].sort(), ['paused', 'provisional', 'running']);
    equal(total, 3);
    const page = await t.store.unfinished(ALICE, 2);
    equal(page.taskIds.length, 2);
    equal(page.total, 3);
    deepEqual(await t.store.unfinished({ ...ALICE, owner: 'nobody' }, 100), { taskIds: [], total: 0 });
  },

  'the tasks of all owners are listed page by page, by agent, id, and whether they have ended': async (t) => {
    if (t.store.allTasks === undefined) return;
    await t.create('c');
    await t.create('B', BOB);
    await t.create('a', ELSEWHERE);
    await t.create('ended');
    await t.append('ended', { journal: [entry('a')], ...end(), keepJournal: 'outline' });
    await t.createProvisional('other', { agent: 'another agent' });
    const { agent } = newTask('c');

    const page = async (query: AllTasksQuery): Promise<readonly string[]> =>
      ((await t.store.allTasks?.(query)) ?? []).map(({ id }) => id);
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
      deepEqual(await t.store.allTasks({ taskId: id, limit: 1 }), [(await t.store.read(ALICE, id))?.record]);
  },
};
