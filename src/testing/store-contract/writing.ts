import { deepEqual, equal } from 'node:assert/strict';

import type { Store, TaskRecord } from '../../store/store.ts';
import type { Behaviours } from './behaviours.ts';
import {
  ALICE,
  append,
  type Change,
  create,
  entry,
  event,
  everythingOf,
  message,
  newTask,
  START,
  status,
} from './samples.ts';

const CREATED = { number: 1, ...event('created', 'task') };

/** Changes of the record with their effects. */
const CHANGES: readonly (readonly [string, Change, Partial<TaskRecord>])[] = [
  ['no changes', {}, {}],
  [
    'a status',
    { status: status('TASK_STATE_WORKING', START + 1) },
    { status: status('TASK_STATE_WORKING', START + 1) },
  ],
  [
    'a status with a message and without a time',
    { status: { state: 'TASK_STATE_INPUT_REQUIRED', message: message('which?') } },
    { status: { state: 'TASK_STATE_INPUT_REQUIRED', message: message('which?') } },
  ],
  ['new metadata', { metadata: { b: null } }, { metadata: { b: null } }],
  ['empty metadata', { metadata: {} }, { metadata: {} }],
  ['a wake-up', { wakeAt: START + 9 }, { wakeAt: START + 9 }],
  ['another question', { question: 'q-2' }, { question: 'q-2' }],
  ['a cancel request', { canceling: true }, { canceling: true }],
  ['events and entries', { events: [event('a')], journal: [entry('x'), entry('y')] }, { lastEvent: 2, lastJournal: 2 }],
];

export const writing: Behaviours = {
  ...Object.fromEntries(
    CHANGES.map(([what, change, difference]) => [
      `a write of ${what} changes that and nothing else`,
      async ({ store }) => {
        const before = await openQuestion(store);
        const { record } = await append(store, 'one', change);

        deepEqual(record, { ...before, ...difference });
        deepEqual((await store.read(ALICE, 'one'))?.record, record);
      },
    ]),
  ),

  'a write with null removes the wake-up': async ({ store }) => {
    const { wakeAt: _, ...rest } = await openQuestion(store);

    deepEqual((await append(store, 'one', { wakeAt: null })).record, rest);
    deepEqual((await store.read(ALICE, 'one'))?.record, rest);
  },

  'a write with null removes the question': async ({ store }) => {
    const { question: _, ...rest } = await openQuestion(store);

    deepEqual((await append(store, 'one', { question: null })).record, rest);
    deepEqual((await store.read(ALICE, 'one'))?.record, rest);
  },

  'a cancel request is kept by later writes': async ({ store }) => {
    await create(store, newTask('one'));
    await append(store, 'one', { canceling: true });

    equal((await append(store, 'one', { status: status('TASK_STATE_WORKING') })).record.canceling, true);
  },

  'a resolved write is visible to the next read': async ({ store }) => {
    await create(store, newTask('one'));

    const { record } = await append(store, 'one', {
      events: [event('working')],
      journal: [entry('step')],
      history: [message('m-2')],
      status: status('TASK_STATE_WORKING', START + 5),
      metadata: { n: 1 },
      artifacts: '["a"]',
    });

    deepEqual(await everythingOf(store, 'one'), {
      task: {
        record,
        history: [message('first of one'), message('m-2')],
        artifacts: { snapshot: '["a"]', tail: [] },
      },
      events: [CREATED, { number: 2, ...event('working') }],
      journal: [{ number: 1, ...entry('step') }],
    });
  },

  'a write changes one task only': async ({ store }) => {
    await create(store, newTask('one'));
    await create(store, newTask('two'));
    const two = await everythingOf(store, 'two');

    await append(store, 'one', {
      events: [event('a', 'artifact')],
      journal: [entry('x')],
      history: [message('m')],
      status: status('TASK_STATE_COMPLETED'),
      artifacts: '[]',
      endedAt: START,
    });

    deepEqual(await everythingOf(store, 'two'), two);
  },

  'history keeps the order of the writes, and within a write the order given': async ({ store }) => {
    await create(store, newTask('one'));
    await append(store, 'one', { history: [message('b'), message('a')] });
    await append(store, 'one', { history: [message('d')] });
    await append(store, 'one', { events: [event('no message')] });
    await append(store, 'one', { history: [message('c'), message('c')] });

    deepEqual(
      (await store.read(ALICE, 'one'))?.history,
      ['first of one', 'b', 'a', 'd', 'c', 'c'].map((id) => message(id)),
    );
  },

  'a read returns the requested number of last messages, oldest first': async ({ store }) => {
    await create(store, newTask('one'));
    await append(store, 'one', { history: [message('a'), message('b')] });
    const lastOf = async (history: number): Promise<readonly string[] | undefined> =>
      (await store.read(ALICE, 'one', { history }))?.history.map(({ messageId }) => messageId);

    deepEqual(await lastOf(0), []);
    deepEqual(await lastOf(1), ['b']);
    deepEqual(await lastOf(2), ['a', 'b']);
    deepEqual(await lastOf(3), ['first of one', 'a', 'b']);
    deepEqual(await lastOf(100), ['first of one', 'a', 'b']);
  },

  'artifacts are returned only on request': async ({ store }) => {
    await create(store, newTask('one'));
    await append(store, 'one', { artifacts: '["a"]' });

    equal('artifacts' in ((await store.read(ALICE, 'one')) ?? {}), false);
    equal('artifacts' in ((await store.read(ALICE, 'one', { artifacts: false })) ?? {}), false);
    deepEqual((await store.read(ALICE, 'one', { artifacts: true }))?.artifacts, { snapshot: '["a"]', tail: [] });
  },

  'without a snapshot, a read returns all artifact events': async ({ store }) => {
    await create(store, newTask('one'));
    await append(store, 'one', { events: [event('a', 'artifact'), event('working'), event('b', 'artifact')] });

    deepEqual((await store.read(ALICE, 'one', { artifacts: true }))?.artifacts, {
      tail: [
        { number: 2, ...event('a', 'artifact') },
        { number: 4, ...event('b', 'artifact') },
      ],
    });
  },

  'a snapshot includes the events of its own write, and later artifact events are the tail': async ({ store }) => {
    await create(store, newTask('one'));
    await append(store, 'one', { events: [event('a', 'artifact')] });
    await append(store, 'one', { events: [event('b', 'artifact')], artifacts: '["a","b"]' });
    await append(store, 'one', { events: [event('working'), event('c', 'artifact')] });
    await append(store, 'one', { events: [event('d', 'artifact')] });

    deepEqual((await store.read(ALICE, 'one', { artifacts: true }))?.artifacts, {
      snapshot: '["a","b"]',
      tail: [
        { number: 5, ...event('c', 'artifact') },
        { number: 6, ...event('d', 'artifact') },
      ],
    });
  },

  'a later snapshot replaces the earlier one': async ({ store }) => {
    await create(store, newTask('one'));
    await append(store, 'one', { events: [event('a', 'artifact')], artifacts: '["a"]' });
    await append(store, 'one', { events: [event('b', 'artifact')] });
    await append(store, 'one', { artifacts: '["a","b"]' });

    deepEqual((await store.read(ALICE, 'one', { artifacts: true }))?.artifacts, { snapshot: '["a","b"]', tail: [] });
    deepEqual((await store.events('one', 0, 10)).length, 3);
  },
};

/** Creates a task with every field that a write may keep or remove. */
async function openQuestion(store: Store): Promise<TaskRecord> {
  await create(store, newTask('one', { node: 'node-a', metadata: { a: 1 } }));
  return (await append(store, 'one', { question: 'q-1' })).record;
}
