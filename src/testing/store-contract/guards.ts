import { deepEqual, equal } from 'node:assert/strict';

import type { Guard, TaskWrite } from '../../store/store.ts';
import type { Behaviours, Subject } from './subject.ts';
import { entry, event, key, message, pluck, START, status, TTL } from './samples.ts';

type Case = readonly [name: string, guard: Guard];

/** The number of the last event of the task that the guards are tested on. */
const LAST_EVENT = 1;

/** For a working task with the open question q-1, whose lease the living node-a holds with the fencing number 1. */
const HOLD: readonly Case[] = [
  ['nothing', {}],
  ['the current lease', { lease: { node: 'node-a', fence: 1 } }],
  ['the current state', { states: ['TASK_STATE_WORKING'] }],
  ['one of several states', { states: ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'] }],
  ['the open question', { question: 'q-1' }],
  ['no cancel request', { canceling: false }],
  ['no event since the last', { lastEvent: LAST_EVENT }],
  [
    'all of these together',
    {
      lease: { node: 'node-a', fence: 1 },
      states: ['TASK_STATE_WORKING'],
      question: 'q-1',
      canceling: false,
      lastEvent: LAST_EVENT,
    },
  ],
];

const FAIL: readonly Case[] = [
  ['the lease of another node', { lease: { node: 'node-b', fence: 1 } }],
  ['an old lease', { lease: { node: 'node-a', fence: 0 } }],
  ['a future lease', { lease: { node: 'node-a', fence: 2 } }],
  ['another state', { states: ['TASK_STATE_INPUT_REQUIRED'] }],
  ['several other states', { states: ['TASK_STATE_SUBMITTED', 'TASK_STATE_AUTH_REQUIRED'] }],
  ['no state at all', { states: [] }],
  ['an idle task', { idle: true }],
  ['another question', { question: 'q-2' }],
  ['a cancel request', { canceling: true }],
  ['no event since the second to last', { lastEvent: LAST_EVENT - 1 }],
  ['an event that does not exist yet', { lastEvent: LAST_EVENT + 1 }],
];

const ALL: Guard = HOLD.at(-1)?.[1] ?? {};

export const guards: Behaviours = {
  ...Object.fromEntries(
    HOLD.map(([what, guard]) => [`a write whose guard requires ${what} is applied`, happens(guard)]),
  ),
  ...Object.fromEntries(
    FAIL.map(([what, guard]) => [
      `a write whose guard requires ${what} is rejected and changes nothing`,
      isRefused(guard),
    ]),
  ),
  ...Object.fromEntries(
    FAIL.map(([what, guard]) => [
      `a write whose guard requires ${what} is rejected although all else holds`,
      isRefused({ ...ALL, ...guard }),
    ]),
  ),

  'a guard for the last journal entry is rejected if the journal has another one by now': async (t) => {
    await prepare(t);
    await t.append('one', { journal: [entry('a')] }, { lastJournal: 0 });
    await refuse(t, { lastJournal: 0 });
    await refuse(t, { lastJournal: 2 });
    await t.append('one', { journal: [entry('b')] }, { lastJournal: 1 });
  },

  'a task whose holder has died is idle': async (t) => {
    await prepare(t);
    t.clock.advance(TTL - 1);
    await refuse(t, { idle: true });
    t.clock.advance(1);
    await t.append('one', {}, { idle: true });
  },

  'a task whose holder never sent a heartbeat is idle': async (t) => {
    await t.create('one', { node: 'node-a' });

    await t.append('one', {}, { idle: true });
  },

  'a task without a holder is idle, and no lease matches it': async (t) => {
    await t.create('one');

    await t.append('one', {}, { idle: true });
    await refuse(t, { lease: { node: 'node-a', fence: 0 } });
    await refuse(t, { lease: { node: '', fence: 0 } });
  },

  'a guard for a question is rejected if the task has no question': async (t) => {
    await t.create('one');

    await refuse(t, { question: 'q-1' });
    await refuse(t, { question: '' });
  },

  'a guard can require the cancel request once it is stored': async (t) => {
    await t.create('one');
    await t.append('one', { canceling: true });

    await refuse(t, { canceling: false });
    await t.append('one', {}, { canceling: true });
  },

  'the first of two concurrent answers to a question wins': async (t) => {
    await prepare(t);
    const answer = (name: string): TaskWrite => ({
      taskId: 'one',
      guard: { question: 'q-1' },
      question: null,
      history: [message(name)],
    });

    const results = await Promise.all(['a', 'b', 'c', 'd'].map((name) => t.store.append(answer(name))));

    equal(results.filter(({ kind }) => kind === 'appended').length, 1);
    equal(results.filter(({ kind }) => kind === 'rejected').length, 3);
    equal((await t.everythingOf('one')).task?.history.length, 2);
  },

  'rejected writes leave no gap in the numbers of concurrent writes': async (t) => {
    await prepare(t);
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        t.store.append({
          taskId: 'one',
          guard: { lease: { node: 'node-a', fence: i % 2 } },
          events: [event(`${i}`)],
          journal: [entry(`${i}`)],
        }),
      ),
    );

    deepEqual(
      pluck(results, 'kind'),
      results.map((_, i) => (i % 2 === 1 ? 'appended' : 'rejected')),
    );
    const { events, journal } = await t.everythingOf('one');
    deepEqual(
      pluck(events, 'number'),
      Array.from({ length: 31 }, (_, i) => i + 1),
    );
    deepEqual(
      pluck(journal, 'number'),
      Array.from({ length: 30 }, (_, i) => i + 1),
    );
  },
};

async function prepare(t: Subject): Promise<void> {
  await t.store.heartbeat('node-a', TTL);
  await t.create('one', { node: 'node-a' });
  await t.append('one', { status: status('TASK_STATE_WORKING', START + 1), question: 'q-1' });
}

function happens(guard: Guard): Behaviours[string] {
  return async (t) => {
    await prepare(t);

    const { firstEvent } = await t.append('one', { events: [event('a')] }, guard);

    equal(firstEvent, 2);
    equal((await t.store.events('one', 1, 10)).length, 1);
  };
}

function isRefused(guard: Guard): Behaviours[string] {
  return async (t) => {
    await prepare(t);
    await refuse(t, guard);
  };
}

/** Checks that a write of all fields is rejected and changes nothing. */
async function refuse(t: Subject, guard: Guard): Promise<void> {
  const before = await t.everythingOf('one');
  const list = await t.store.list(before.task?.record ?? { tenant: '', owner: '' }, { limit: 10 });
  const result = await t.store.append({
    taskId: 'one',
    guard,
    events: [event('a'), event('b', 'artifact')],
    journal: [entry('x')],
    history: [message('m')],
    status: status('TASK_STATE_FAILED', START + 9),
    metadata: { changed: true },
    visible: true,
    wakeAt: null,
    question: null,
    canceling: true,
    release: true,
    revoke: true,
    artifacts: '["x"]',
    endedAt: START + 9,
    idempotency: key('rejected'),
  });

  deepEqual(result, { kind: 'rejected', record: before.task?.record });
  deepEqual(await t.everythingOf('one'), before);
  deepEqual(await t.store.list(await t.recordOf('one'), { limit: 10 }), list);
  // A rejected write does not use up its key.
  const again = await t.store.append({ taskId: 'one', guard, idempotency: key('rejected', 'digest-2') });
  equal(again.kind, 'rejected');
}
