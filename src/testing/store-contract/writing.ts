import { deepEqual, equal } from 'node:assert/strict';

import type { TaskRecord } from '../../store/store.ts';
import type { Behaviours, Subject } from './subject.ts';
import { ALICE, type Change, entry, event, message, START, status } from './samples.ts';

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
      async (t) => {
        const before = await openQuestion(t);
        const { record } = await t.append('one', change);

        deepEqual(record, { ...before, ...difference });
        deepEqual((await t.store.read(ALICE, 'one'))?.record, record);
      },
    ]),
  ),

  'a write with null removes the wake-up': async (t) => {
    const { wakeAt: _, ...rest } = await openQuestion(t);

    deepEqual((await t.append('one', { wakeAt: null })).record, rest);
    deepEqual((await t.store.read(ALICE, 'one'))?.record, rest);
  },

  'a write with null removes the question': async (t) => {
    const { question: _, ...rest } = await openQuestion(t);

    deepEqual((await t.append('one', { question: null })).record, rest);
    deepEqual((await t.store.read(ALICE, 'one'))?.record, rest);
  },

  'a cancel request is kept by later writes': async (t) => {
    await t.create('one');
    await t.append('one', { canceling: true });

    equal((await t.append('one', { status: status('TASK_STATE_WORKING') })).record.canceling, true);
  },

  'a resolved write is visible to the next read': async (t) => {
    await t.create('one');

    const { record } = await t.append('one', {
      events: [event('working')],
      journal: [entry('step')],
      history: [message('m-2')],
      status: status('TASK_STATE_WORKING', START + 5),
      metadata: { n: 1 },
      artifacts: '["a"]',
    });

    deepEqual(await t.everythingOf('one'), {
      task: {
        record,
        history: [message('first of one'), message('m-2')],
        artifacts: { snapshot: '["a"]', tail: [] },
      },
      events: [CREATED, { number: 2, ...event('working') }],
      journal: [{ number: 1, ...entry('step') }],
    });
  },

  'a write changes one task only': async (t) => {
    await t.create('one');
    await t.create('two');
    const two = await t.everythingOf('two');

    await t.append('one', {
      events: [event('a', 'artifact')],
      journal: [entry('x')],
      history: [message('m')],
      status: status('TASK_STATE_COMPLETED'),
      artifacts: '[]',
      endedAt: START,
    });

    deepEqual(await t.everythingOf('two'), two);
  },

  'history keeps the order of the writes, and within a write the order given': async (t) => {
    await t.create('one');
    await t.append('one', { history: [message('b'), message('a')] });
    await t.append('one', { history: [message('d')] });
    await t.append('one', { events: [event('no message')] });
    await t.append('one', { history: [message('c'), message('c')] });

    deepEqual(
      (await t.store.read(ALICE, 'one'))?.history,
      ['first of one', 'b', 'a', 'd', 'c', 'c'].map((id) => message(id)),
    );
  },

  'a read returns the requested number of last messages, oldest first': async (t) => {
    await t.create('one');
    await t.append('one', { history: [message('a'), message('b')] });
    const lastOf = async (history: number): Promise<readonly string[] | undefined> =>
      (await t.store.read(ALICE, 'one', { history }))?.history.map(({ messageId }) => messageId);

    deepEqual(await lastOf(0), []);
    deepEqual(await lastOf(1), ['b']);
    deepEqual(await lastOf(2), ['a', 'b']);
    deepEqual(await lastOf(3), ['first of one', 'a', 'b']);
    deepEqual(await lastOf(100), ['first of one', 'a', 'b']);
  },

  'artifacts are returned only on request': async (t) => {
    await t.create('one');
    await t.append('one', { artifacts: '["a"]' });

    equal('artifacts' in ((await t.store.read(ALICE, 'one')) ?? {}), false);
    equal('artifacts' in ((await t.store.read(ALICE, 'one', { artifacts: false })) ?? {}), false);
    deepEqual((await t.store.read(ALICE, 'one', { artifacts: true }))?.artifacts, { snapshot: '["a"]', tail: [] });
  },

  'without a snapshot, a read returns all artifact events': async (t) => {
    await t.create('one');
    await t.append('one', { events: [event('a', 'artifact'), event('working'), event('b', 'artifact')] });

    deepEqual((await t.store.read(ALICE, 'one', { artifacts: true }))?.artifacts, {
      tail: [
        { number: 2, ...event('a', 'artifact') },
        { number: 4, ...event('b', 'artifact') },
      ],
    });
  },

  'a snapshot includes the events of its own write, and later artifact events are the tail': async (t) => {
    await t.create('one');
    await t.append('one', { events: [event('a', 'artifact')] });
    await t.append('one', { events: [event('b', 'artifact')], artifacts: '["a","b"]' });
    await t.append('one', { events: [event('working'), event('c', 'artifact')] });
    await t.append('one', { events: [event('d', 'artifact')] });

    deepEqual((await t.store.read(ALICE, 'one', { artifacts: true }))?.artifacts, {
      snapshot: '["a","b"]',
      tail: [
        { number: 5, ...event('c', 'artifact') },
        { number: 6, ...event('d', 'artifact') },
      ],
    });
  },

  'a later snapshot replaces the earlier one': async (t) => {
    await t.create('one');
    await t.append('one', { events: [event('a', 'artifact')], artifacts: '["a"]' });
    await t.append('one', { events: [event('b', 'artifact')] });
    await t.append('one', { artifacts: '["a","b"]' });

    deepEqual((await t.store.read(ALICE, 'one', { artifacts: true }))?.artifacts, { snapshot: '["a","b"]', tail: [] });
    deepEqual((await t.store.events('one', 0, 10)).length, 3);
  },
};

/** Creates a task with every field that a write may keep or remove. */
async function openQuestion(t: Subject): Promise<TaskRecord> {
  await t.create('one', { node: 'node-a', metadata: { a: 1 } });
  return (await t.append('one', { question: 'q-1' })).record;
}
