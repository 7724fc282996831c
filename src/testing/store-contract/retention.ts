import { deepEqual, equal } from 'node:assert/strict';

import type { RetentionPolicy } from '../../store/store.ts';
import type { Behaviours, Subject } from './subject.ts';
import { ALICE, end, entry, event, HOUR, message, newTask, START, status, times } from './samples.ts';

export const retention: Behaviours = {
  'pruning removes tasks that ended before a time and keeps those that ended then or later': async (t) => {
    await endedTasks(t, 5);

    equal(await t.store.prune(policy({ endedBefore: START + 3 })), 3);

    deepEqual(await t.listed(), { ids: ['task-4', 'task-3'], total: 2 });
    equal(await t.store.prune(policy({ endedBefore: START + 3 })), 0);
  },

  'pruning keeps the given number of the latest ended tasks of all owners': async (t) => {
    for (const [i, owner] of ['alice', 'bob', 'alice', 'bob', 'alice'].entries()) {
      await t.create(`task-${i}`, { owner });
      await t.append(`task-${i}`, end(START + 10 - i));
    }
    await t.create('other', { tenant: 'globex' });
    await t.append('other', end(START));

    equal(await t.store.prune(policy({ keepEnded: 3 })), 3);

    deepEqual((await t.listed()).ids, ['task-0', 'task-2']);
    deepEqual((await t.listed({}, { ...ALICE, owner: 'bob' })).ids, ['task-1']);
    deepEqual((await t.listed({}, { ...ALICE, tenant: 'globex' })).ids, []);
  },

  'pruning uses the time of the end, not of the status or the creation': async (t) => {
    await t.create('one', { createdAt: START - 9 });
    await t.append('one', { status: status('TASK_STATE_FAILED', START - 9), endedAt: START + 5 });
    await t.create('two', { createdAt: START + 9 });
    await t.append('two', { status: status('TASK_STATE_FAILED', START + 9), endedAt: START + 1 });

    equal(await t.store.prune(policy({ endedBefore: START + 3 })), 1);

    deepEqual((await t.listed()).ids, ['one']);
  },

  'a task that matches both criteria of pruning is counted once': async (t) => {
    await endedTasks(t, 6);

    equal(await t.store.prune(policy({ endedBefore: START + 2, keepEnded: 3 })), 3);
    equal(await t.store.prune(policy({ endedBefore: START + 5, keepEnded: 3 })), 2);

    deepEqual((await t.listed()).ids, ['task-5']);
  },

  'pruning keeps a new task with the id of a task that is removed at the same time': async (t) => {
    await t.create('one');
    await t.append('one', end(START));
    const all = policy({ endedBefore: START + HOUR });

    const first = t.store.prune(all);
    const again = t.store.create(newTask('one')).then(
      () => true,
      // The first task was not removed yet.
      () => false,
    );
    const second = t.store.prune(all);

    equal((await first) + (await second), 1);
    const task = await t.store.read(ALICE, 'one');
    equal(task !== undefined, await again);
    equal(task?.record.endedAt, undefined);
  },

  'pruning removes at most as many tasks as its limit': async (t) => {
    await endedTasks(t, 5);
    const all = policy({ endedBefore: START + HOUR, limit: 2 });

    equal(await t.store.prune(all), 2);
    equal((await t.listed()).total, 3);
    equal(await t.store.prune(all), 2);
    equal(await t.store.prune(all), 1);
    equal(await t.store.prune(all), 0);
    equal((await t.listed()).total, 0);
  },

  'pruning keeps tasks that run, wait, are paused or provisional': async (t) => {
    await t.create('queued');
    await t.create('running', { node: 'node-a' });
    await t.create('paused');
    await t.append('paused', { status: status('TASK_STATE_INPUT_REQUIRED'), wakeAt: null, journal: [entry('x')] });
    await t.createProvisional('provisional');
    const before = await Promise.all(['queued', 'running', 'paused', 'provisional'].map((id) => t.everythingOf(id)));
    t.clock.advance(1000 * HOUR);
    const now = t.clock.now();

    equal(await t.store.prune({ endedBefore: now, keepEnded: 0, eventsEndedBefore: now, limit: 100 }), 0);

    const after = await Promise.all(['queued', 'running', 'paused', 'provisional'].map((id) => t.everythingOf(id)));
    deepEqual(after, before);
  },

  'running tasks do not count against the number of kept tasks': async (t) => {
    await endedTasks(t, 2);
    await t.create('running');

    equal(await t.store.prune(policy({ keepEnded: 2 })), 0);
  },

  'a pruned task is unknown, and its alias is free': async (t) => {
    await t.create('one', { alias: 'homework' });
    await t.append('one', { events: [event('a', 'artifact')], history: [message('m')], artifacts: '["a"]' });
    await t.append('one', end());
    await t.store.prune(policy({ endedBefore: START + 1 }));

    await t.assertUnknown('one');
    equal(await t.store.resolveAlias(ALICE, 'homework'), undefined);
    const record = await t.create('one', { alias: 'homework' });
    deepEqual(await t.everythingOf('one'), {
      task: { record, history: [message('first of one')], artifacts: { tail: [] } },
      events: [{ number: 1, ...event('created', 'task') }],
      journal: [],
    });
  },

  'pruning can remove the events of a task before the task, which stays unchanged': async (t) => {
    for (const i of [0, 1]) {
      await t.create(`task-${i}`);
      await t.append(`task-${i}`, { events: [event('a', 'artifact')], history: [message('m')] });
      await t.append(`task-${i}`, { ...end(START + i), events: [event('end')], artifacts: '["a"]' });
    }
    const [first, second] = [await t.everythingOf('task-0'), await t.everythingOf('task-1')];

    equal(await t.store.prune(policy({ eventsEndedBefore: START + 1 })), 0);

    deepEqual(await t.everythingOf('task-0'), { ...first, events: [] });
    deepEqual(await t.everythingOf('task-1'), second);
    deepEqual((await t.listed()).ids, ['task-1', 'task-0']);
  },

  'the remaining tasks can be used as before after pruning': async (t) => {
    await t.create('running');
    await endedTasks(t, 3);
    await t.store.prune(policy({ endedBefore: START + HOUR, eventsEndedBefore: START + HOUR }));

    const { fence } = await t.lease('node-a', 'running');
    const done = await t.append('running', { events: [event('a')] }, { lease: { node: 'node-a', fence } });

    equal(done.firstEvent, 2);
    deepEqual(await t.listed(), { ids: ['running'], total: 1 });
  },
};

/** A policy that removes nothing except what the test specifies. */
function policy(changes: Partial<RetentionPolicy>): RetentionPolicy {
  return { endedBefore: 0, keepEnded: 1_000_000, eventsEndedBefore: 0, limit: 1000, ...changes };
}

/** Creates tasks that ended a millisecond apart. */
async function endedTasks(t: Subject, count: number): Promise<void> {
  for (const i of times(count)) {
    await t.create(`task-${i}`);
    await t.append(`task-${i}`, end(START + i));
  }
}
