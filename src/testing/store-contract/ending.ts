import { deepEqual, equal } from 'node:assert/strict';

import type { TaskState } from '../../model/state.ts';
import type { Guard, TaskRecord } from '../../store/store.ts';
import type { Behaviours, Subject } from './subject.ts';
import {
  ALICE,
  type Change,
  end,
  entry,
  event,
  HOUR,
  key,
  message,
  outlinedEntry,
  START,
  status,
  TTL,
} from './samples.ts';

const ENDS: readonly TaskState[] = [
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
];

const LATE: readonly (readonly [string, Change])[] = [
  ['an event', { events: [event('late')] }],
  ['a journal entry', { journal: [entry('late')] }],
  ['a message', { history: [message('late')] }],
  ['another status', { status: status('TASK_STATE_WORKING', START + HOUR) }],
  ['another end', end(START + HOUR, 'TASK_STATE_CANCELED')],
  ['metadata', { metadata: { late: true } }],
  ['a wake-up', { wakeAt: START }],
  ['a question', { question: 'q-2' }],
  ['a cancel request', { canceling: true }],
  ['a revocation', { revoke: true }],
  ['a release', { release: true }],
  ['a snapshot', { artifacts: '["late"]' }],
  ['an empty write', {}],
];

export const ending: Behaviours = {
  'the end of a task removes its journal, lease, wake-up and question, and nothing else': async (t) => {
    const before = await busyTask(t);
    const { node: _n, wakeAt: _w, question: _q, ...rest } = before;

    const { record, firstEvent } = await t.append('one', {
      ...end(START + 50),
      events: [event('completed')],
      journal: [entry('last')],
      history: [message('bye')],
      artifacts: '["a"]',
    });

    deepEqual(record, {
      ...rest,
      historyBytes: record.historyBytes,
      status: status('TASK_STATE_COMPLETED', START + 50),
      lastEvent: 3,
      lastJournal: 3,
      endedAt: START + 50,
    });
    equal(firstEvent, 3);
    deepEqual(await t.everythingOf('one'), {
      task: {
        record,
        history: [message('first of one'), message('bye')],
        artifacts: { snapshot: '["a"]', tail: [] },
      },
      events: [
        { number: 1, ...event('created', 'task') },
        { number: 2, ...event('a', 'artifact') },
        { number: 3, ...event('completed') },
      ],
      journal: [],
    });
  },

  'the end of a task can keep the outline of its journal, with the entries of the last write': async (t) => {
    await taskWithJournal(t, 'one');

    const { record } = await t.append('one', { ...end(), journal: [outlinedEntry('c')], keepJournal: 'outline' });

    equal(record.lastJournal, 4);
    deepEqual(
      await t.store.journal('one'),
      [entry('x'), outlinedEntry('a'), outlinedEntry('b', true), outlinedEntry('c')].map((one, i) => ({
        ...one,
        number: i + 1,
        body: null,
      })),
    );
  },

  'the end of a task can keep its whole journal, except the values of sensitive entries': async (t) => {
    await taskWithJournal(t, 'one');

    await t.append('one', { ...end(), journal: [outlinedEntry('c', true)], keepJournal: 'whole' });

    deepEqual(await t.store.journal('one'), [
      { number: 1, ...entry('x') },
      { number: 2, ...outlinedEntry('a') },
      { number: 3, ...outlinedEntry('b', true), body: null },
      { number: 4, ...outlinedEntry('c', true), body: null },
    ]);
  },

  'the end of a task keeps an entry that only its last write adds': async (t) => {
    await t.create('one');
    await t.append('one', { ...end(), journal: [outlinedEntry('a')], keepJournal: 'outline' });
    await t.create('two');
    await t.append('two', { ...end(), keepJournal: 'whole' });

    deepEqual(await t.store.journal('one'), [{ number: 1, ...outlinedEntry('a'), body: null }]);
    deepEqual(await t.store.journal('two'), []);
  },

  'a write that does not end its task keeps the values of the journal': async (t) => {
    await taskWithJournal(t, 'one');

    await t.append('one', { keepJournal: 'outline' });

    deepEqual((await t.store.journal('one'))[2], { number: 3, ...outlinedEntry('b', true) });
  },

  'the end of a task changes no other journal': async (t) => {
    for (const id of ['one', 'two', 'three']) await taskWithJournal(t, id);
    const before = await t.store.journal('three');

    await Promise.all([
      t.append('one', { ...end(), keepJournal: 'whole' }),
      t.append('two', { ...end(), keepJournal: 'outline' }),
    ]);

    deepEqual(await t.store.journal('three'), before);
    deepEqual((await t.store.journal('one'))[1], { number: 2, ...outlinedEntry('a') });
    deepEqual((await t.store.journal('two'))[1], { number: 2, ...outlinedEntry('a'), body: null });
  },

  'a kept journal is pruned and purged with its task': async (t) => {
    for (const [i, id] of ['one', 'two', 'three'].entries()) {
      await taskWithJournal(t, id);
      await t.append(id, { ...end(START + i), keepJournal: 'whole' });
    }

    await t.store.prune({ endedBefore: START + 1, keepEnded: 1000, eventsEndedBefore: START + HOUR, limit: 10 });

    deepEqual(await t.store.journal('one'), []);
    equal((await t.store.journal('two')).length, 3);
    await t.store.purge(ALICE, 100);
    deepEqual(await t.store.journal('two'), []);
    // A new task with the id of a removed one starts with an empty journal.
    await t.create('two');
    await t.append('two', { ...end(), keepJournal: 'whole' });
    deepEqual(await t.store.journal('two'), []);
  },

  'a write that ends a task ignores its wake-up and question': async (t) => {
    await busyTask(t);

    const { record } = await t.append('one', { ...end(), wakeAt: START + 1, question: 'q-2' });

    equal('wakeAt' in record, false);
    equal('question' in record, false);
    deepEqual((await t.store.read(ALICE, 'one'))?.record, record);
  },

  ...Object.fromEntries(
    ENDS.map((state) => [
      `nothing changes a task that is ${state}`,
      async (t) => {
        await busyTask(t);
        await t.append('one', { ...end(START, state), events: [event('end')] });
        for (const guard of lateGuards(state)) await stays(t, { events: [event('late')] }, guard);
      },
    ]),
  ),

  ...Object.fromEntries(
    LATE.map(([what, change]) => [
      `a task that has ended rejects ${what}`,
      async (t) => {
        await busyTask(t);
        await t.append('one', end());
        await stays(t, change, {});
      },
    ]),
  ),

  'a task that has ended cannot be claimed': async (t) => {
    await busyTask(t);
    await t.append('one', end());
    const before = await t.everythingOf('one');
    t.clock.advance(HOUR);

    deepEqual(await t.store.claim({ node: 'node-b', agents: ['translator'], limit: 10 }), []);
    equal(await t.store.nextWake(['translator']), undefined);
    equal(await t.store.dropForReply('one', { node: 'node-a', fence: 1 }, message('reply')), false);
    deepEqual(await t.everythingOf('one'), before);
  },

  'exactly one of many concurrent ends of a task succeeds': async (t) => {
    await busyTask(t);

    const results = await Promise.all(
      ENDS.map((state) => t.store.append({ taskId: 'one', guard: {}, ...end(START, state), events: [event(state)] })),
    );

    const winners = ENDS.filter((_, i) => results[i]?.kind === 'appended');
    equal(winners.length, 1);
    const { task, events } = await t.everythingOf('one');
    equal(task?.record.status.state, winners[0]);
    deepEqual(events.slice(2), [{ number: 3, ...event(winners[0] ?? '') }]);
  },
};

/** Creates a task with three entries: one without an outline, one with it, and one that is sensitive. */
async function taskWithJournal(t: Subject, id: string): Promise<void> {
  await t.create(id);
  await t.append(id, { journal: [entry('x')] });
  await t.append(id, { journal: [outlinedEntry('a'), outlinedEntry('b', true)] });
}

/** Creates a task with a lease, a wake-up, a question and a journal. */
async function busyTask(t: Subject): Promise<TaskRecord> {
  await t.store.heartbeat('node-a', TTL);
  await t.create('one', { node: 'node-a', metadata: { a: 1 } });
  const { record } = await t.append('one', {
    events: [event('a', 'artifact')],
    journal: [entry('x'), entry('y')],
    question: 'q-1',
  });
  return record;
}

function lateGuards(state: TaskState): readonly Guard[] {
  return [{}, { states: [state] }, { idle: true }, { canceling: false }, { lease: { node: 'node-a', fence: 1 } }];
}

async function stays(t: Subject, change: Change, guard: Guard): Promise<void> {
  const before = await t.everythingOf('one');

  const result = await t.store.append({ taskId: 'one', guard, ...change, idempotency: key('late') });

  deepEqual(result, { kind: 'rejected', record: before.task?.record });
  deepEqual(await t.everythingOf('one'), before);
}
