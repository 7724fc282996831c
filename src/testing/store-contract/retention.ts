import { deepEqual, equal } from 'node:assert/strict';

import type { RetentionPolicy, Store } from '../../store/store.ts';
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
  lease,
  listed,
  message,
  newTask,
  provisionalTask,
  START,
  status,
  times,
} from './samples.ts';

export const retention: Behaviours = {
  'pruning removes tasks that ended before a time and keeps those that ended then or later': async ({ store }) => {
    await endedTasks(store, 5);

    equal(await store.prune(policy({ endedBefore: START + 3 })), 3);

    deepEqual(await listed(store), { ids: ['task-4', 'task-3'], total: 2 });
    equal(await store.prune(policy({ endedBefore: START + 3 })), 0);
  },

  'pruning keeps the given number of the latest ended tasks of all owners': async ({ store }) => {
    for (const [i, owner] of ['alice', 'bob', 'alice', 'bob', 'alice'].entries()) {
      await create(store, newTask(`task-${i}`, { owner }));
      await append(store, `task-${i}`, end(START + 10 - i));
    }
    await create(store, newTask('other', { tenant: 'globex' }));
    await append(store, 'other', end(START));

    equal(await store.prune(policy({ keepEnded: 3 })), 3);

    deepEqual((await listed(store)).ids, ['task-0', 'task-2']);
    deepEqual((await listed(store, {}, { ...ALICE, owner: 'bob' })).ids, ['task-1']);
    deepEqual((await listed(store, {}, { ...ALICE, tenant: 'globex' })).ids, []);
  },

  'pruning uses the time of the end, not of the status or the creation': async ({ store }) => {
    await create(store, newTask('one', { createdAt: START - 9 }));
    await append(store, 'one', { status: status('TASK_STATE_FAILED', START - 9), endedAt: START + 5 });
    await create(store, newTask('two', { createdAt: START + 9 }));
    await append(store, 'two', { status: status('TASK_STATE_FAILED', START + 9), endedAt: START + 1 });

    equal(await store.prune(policy({ endedBefore: START + 3 })), 1);

    deepEqual((await listed(store)).ids, ['one']);
  },

  'a task that matches both criteria of pruning is counted once': async ({ store }) => {
    await endedTasks(store, 6);

    equal(await store.prune(policy({ endedBefore: START + 2, keepEnded: 3 })), 3);
    equal(await store.prune(policy({ endedBefore: START + 5, keepEnded: 3 })), 2);

    deepEqual((await listed(store)).ids, ['task-5']);
  },

  'pruning keeps a new task with the id of a task that is removed at the same time': async ({ store }) => {
    await create(store, newTask('one'));
    await append(store, 'one', end(START));
    const all = policy({ endedBefore: START + HOUR });

    const first = store.prune(all);
    const again = store.create(newTask('one')).then(
      () => true,
      // The first task was not removed yet.
      () => false,
    );
    const second = store.prune(all);

    equal((await first) + (await second), 1);
    const task = await store.read(ALICE, 'one');
    equal(task !== undefined, await again);
    equal(task?.record.endedAt, undefined);
  },

  'pruning removes at most as many tasks as its limit': async ({ store }) => {
    await endedTasks(store, 5);
    const all = policy({ endedBefore: START + HOUR, limit: 2 });

    equal(await store.prune(all), 2);
    equal((await listed(store)).total, 3);
    equal(await store.prune(all), 2);
    equal(await store.prune(all), 1);
    equal(await store.prune(all), 0);
    equal((await listed(store)).total, 0);
  },

  'pruning keeps tasks that run, wait, are paused or provisional': async ({ store, clock }) => {
    await create(store, newTask('queued'));
    await create(store, newTask('running', { node: 'node-a' }));
    await create(store, newTask('paused'));
    await append(store, 'paused', { status: status('TASK_STATE_INPUT_REQUIRED'), wakeAt: null, journal: [entry('x')] });
    await create(store, provisionalTask('provisional'));
    const before = await Promise.all(
      ['queued', 'running', 'paused', 'provisional'].map((id) => everythingOf(store, id)),
    );
    clock.advance(1000 * HOUR);
    const now = clock.now();

    equal(await store.prune({ endedBefore: now, keepEnded: 0, eventsEndedBefore: now, limit: 100 }), 0);

    const after = await Promise.all(
      ['queued', 'running', 'paused', 'provisional'].map((id) => everythingOf(store, id)),
    );
    deepEqual(after, before);
  },

  'running tasks do not count against the number of kept tasks': async ({ store }) => {
    await endedTasks(store, 2);
    await create(store, newTask('running'));

    equal(await store.prune(policy({ keepEnded: 2 })), 0);
  },

  'a pruned task is unknown, and its alias is free': async ({ store }) => {
    await create(store, newTask('one', { alias: 'homework' }));
    await append(store, 'one', { events: [event('a', 'artifact')], history: [message('m')], artifacts: '["a"]' });
    await append(store, 'one', end());
    await store.prune(policy({ endedBefore: START + 1 }));

    await assertUnknown(store, 'one');
    equal(await store.resolveAlias(ALICE, 'homework'), undefined);
    const record = await create(store, newTask('one', { alias: 'homework' }));
    deepEqual(await everythingOf(store, 'one'), {
      task: { record, history: [message('first of one')], artifacts: { tail: [] } },
      events: [{ number: 1, ...event('created', 'task') }],
      journal: [],
    });
  },

  'pruning can remove the events of a task before the task, which stays unchanged': async ({ store }) => {
    for (const i of [0, 1]) {
      await create(store, newTask(`task-${i}`));
      await append(store, `task-${i}`, { events: [event('a', 'artifact')], history: [message('m')] });
      await append(store, `task-${i}`, { ...end(START + i), events: [event('end')], artifacts: '["a"]' });
    }
    const [first, second] = [await everythingOf(store, 'task-0'), await everythingOf(store, 'task-1')];

    equal(await store.prune(policy({ eventsEndedBefore: START + 1 })), 0);

    deepEqual(await everythingOf(store, 'task-0'), { ...first, events: [] });
    deepEqual(await everythingOf(store, 'task-1'), second);
    deepEqual((await listed(store)).ids, ['task-1', 'task-0']);
  },

  'the remaining tasks can be used as before after pruning': async ({ store }) => {
    await create(store, newTask('running'));
    await endedTasks(store, 3);
    await store.prune(policy({ endedBefore: START + HOUR, eventsEndedBefore: START + HOUR }));

    const { fence } = await lease(store, 'node-a', 'running');
    const done = await append(store, 'running', { events: [event('a')] }, { lease: { node: 'node-a', fence } });

    equal(done.firstEvent, 2);
    deepEqual(await listed(store), { ids: ['running'], total: 1 });
  },
};

/** A policy that removes nothing except what the test specifies. */
function policy(changes: Partial<RetentionPolicy>): RetentionPolicy {
  return { endedBefore: 0, keepEnded: 1_000_000, eventsEndedBefore: 0, limit: 1000, ...changes };
}

/** Creates tasks that ended a millisecond apart. */
async function endedTasks(store: Store, count: number): Promise<void> {
  for (const i of times(count)) {
    await create(store, newTask(`task-${i}`));
    await append(store, `task-${i}`, end(START + i));
  }
}
