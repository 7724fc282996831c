import { deepEqual, equal } from 'node:assert/strict';

import type { TaskState } from '../../model/state.ts';
import type { Guard, Store } from '../../store/store.ts';
import type { Behaviours } from './behaviours.ts';
import {
  ALICE,
  append,
  type Change,
  create,
  end,
  entry,
  event,
  everythingOf,
  HOUR,
  key,
  message,
  newTask,
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
  'the end of a task removes its journal, lease, wake-up and question, and nothing else': async ({ store }) => {
    const before = await busyTask(store);
    const { node: _n, wakeAt: _w, question: _q, ...rest } = before;

    const { record, firstEvent } = await append(store, 'one', {
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
    deepEqual(await everythingOf(store, 'one'), {
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

  'a write that ends a task ignores its wake-up and question': async ({ store }) => {
    await busyTask(store);

    const { record } = await append(store, 'one', { ...end(), wakeAt: START + 1, question: 'q-2' });

    equal('wakeAt' in record, false);
    equal('question' in record, false);
    deepEqual((await store.read(ALICE, 'one'))?.record, record);
  },

  ...Object.fromEntries(
    ENDS.map((state) => [
      `nothing changes a task that is ${state}`,
      async ({ store }) => {
        await busyTask(store);
        await append(store, 'one', { ...end(START, state), events: [event('end')] });
        for (const guard of lateGuards(state)) await stays(store, { events: [event('late')] }, guard);
      },
    ]),
  ),

  ...Object.fromEntries(
    LATE.map(([what, change]) => [
      `a task that has ended rejects ${what}`,
      async ({ store }) => {
        await busyTask(store);
        await append(store, 'one', end());
        await stays(store, change, {});
      },
    ]),
  ),

  'a task that has ended cannot be claimed': async ({ store, clock }) => {
    await busyTask(store);
    await append(store, 'one', end());
    const before = await everythingOf(store, 'one');
    clock.advance(HOUR);

    deepEqual(await store.claim({ node: 'node-b', agents: ['translator'], limit: 10 }), []);
    equal(await store.nextWake(['translator']), undefined);
    equal(await store.dropForReply('one', { node: 'node-a', fence: 1 }, message('reply')), false);
    deepEqual(await everythingOf(store, 'one'), before);
  },

  'exactly one of many concurrent ends of a task succeeds': async ({ store }) => {
    await busyTask(store);

    const results = await Promise.all(
      ENDS.map((state) => store.append({ taskId: 'one', guard: {}, ...end(START, state), events: [event(state)] })),
    );

    const winners = ENDS.filter((_, i) => results[i]?.kind === 'appended');
    equal(winners.length, 1);
    const { task, events } = await everythingOf(store, 'one');
    equal(task?.record.status.state, winners[0]);
    deepEqual(events.slice(2), [{ number: 3, ...event(winners[0] ?? '') }]);
  },
};

/** Creates a task with a lease, a wake-up, a question and a journal. */
async function busyTask(store: Store): Promise<Awaited<ReturnType<typeof create>>> {
  await store.heartbeat('node-a', TTL);
  await create(store, newTask('one', { node: 'node-a', metadata: { a: 1 } }));
  const { record } = await append(store, 'one', {
    events: [event('a', 'artifact')],
    journal: [entry('x'), entry('y')],
    question: 'q-1',
  });
  return record;
}

function lateGuards(state: TaskState): readonly Guard[] {
  return [{}, { states: [state] }, { idle: true }, { canceling: false }, { lease: { node: 'node-a', fence: 1 } }];
}

async function stays(store: Store, change: Change, guard: Guard): Promise<void> {
  const before = await everythingOf(store, 'one');

  const result = await store.append({ taskId: 'one', guard, ...change, idempotency: key('late') });

  deepEqual(result, { kind: 'rejected', record: before.task?.record });
  deepEqual(await everythingOf(store, 'one'), before);
}
