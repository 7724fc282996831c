import { deepEqual, equal } from 'node:assert/strict';

import type { Guard, Store, TaskWrite } from '../../store/store.ts';
import type { Behaviours } from './behaviours.ts';
import {
  append,
  create,
  entry,
  event,
  everythingOf,
  key,
  message,
  newTask,
  recordOf,
  START,
  status,
  TTL,
} from './samples.ts';

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

  'a guard for the last journal entry is rejected if the journal has another one by now': async ({ store }) => {
    await prepare(store);
    await append(store, 'one', { journal: [entry('a')] }, { lastJournal: 0 });
    await refuse(store, { lastJournal: 0 });
    await refuse(store, { lastJournal: 2 });
    await append(store, 'one', { journal: [entry('b')] }, { lastJournal: 1 });
  },

  'a task whose holder has died is idle': async ({ store, clock }) => {
    await prepare(store);
    clock.advance(TTL - 1);
    await refuse(store, { idle: true });
    clock.advance(1);
    await append(store, 'one', {}, { idle: true });
  },

  'a task whose holder never sent a heartbeat is idle': async ({ store }) => {
    await create(store, newTask('one', { node: 'node-a' }));

    await append(store, 'one', {}, { idle: true });
  },

  'a task without a holder is idle, and no lease matches it': async ({ store }) => {
    await create(store, newTask('one'));

    await append(store, 'one', {}, { idle: true });
    await refuse(store, { lease: { node: 'node-a', fence: 0 } });
    await refuse(store, { lease: { node: '', fence: 0 } });
  },

  'a guard for a question is rejected if the task has no question': async ({ store }) => {
    await create(store, newTask('one'));

    await refuse(store, { question: 'q-1' });
    await refuse(store, { question: '' });
  },

  'a guard can require the cancel request once it is stored': async ({ store }) => {
    await create(store, newTask('one'));
    await append(store, 'one', { canceling: true });

    await refuse(store, { canceling: false });
    await append(store, 'one', {}, { canceling: true });
  },

  'the first of two concurrent answers to a question wins': async ({ store }) => {
    await prepare(store);
    const answer = (name: string): TaskWrite => ({
      taskId: 'one',
      guard: { question: 'q-1' },
      question: null,
      history: [message(name)],
    });

    const results = await Promise.all(['a', 'b', 'c', 'd'].map((name) => store.append(answer(name))));

    equal(results.filter(({ kind }) => kind === 'appended').length, 1);
    equal(results.filter(({ kind }) => kind === 'rejected').length, 3);
    equal((await everythingOf(store, 'one')).task?.history.length, 2);
  },

  'rejected writes leave no gap in the numbers of concurrent writes': async ({ store }) => {
    await prepare(store);
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        store.append({
          taskId: 'one',
          guard: { lease: { node: 'node-a', fence: i % 2 } },
          events: [event(`${i}`)],
          journal: [entry(`${i}`)],
        }),
      ),
    );

    deepEqual(
      results.map(({ kind }) => kind),
      results.map((_, i) => (i % 2 === 1 ? 'appended' : 'rejected')),
    );
    const { events, journal } = await everythingOf(store, 'one');
    deepEqual(
      events.map(({ number }) => number),
      Array.from({ length: 31 }, (_, i) => i + 1),
    );
    deepEqual(
      journal.map(({ number }) => number),
      Array.from({ length: 30 }, (_, i) => i + 1),
    );
  },
};

async function prepare(store: Store): Promise<void> {
  await store.heartbeat('node-a', TTL);
  await create(store, newTask('one', { node: 'node-a' }));
  await append(store, 'one', { status: status('TASK_STATE_WORKING', START + 1), question: 'q-1' });
}

function happens(guard: Guard): Behaviours[string] {
  return async ({ store }) => {
    await prepare(store);

    const { firstEvent } = await append(store, 'one', { events: [event('a')] }, guard);

    equal(firstEvent, 2);
    equal((await store.events('one', 1, 10)).length, 1);
  };
}

function isRefused(guard: Guard): Behaviours[string] {
  return async ({ store }) => {
    await prepare(store);
    await refuse(store, guard);
  };
}

/** Checks that a write of all fields is rejected and changes nothing. */
async function refuse(store: Store, guard: Guard): Promise<void> {
  const before = await everythingOf(store, 'one');
  const list = await store.list(before.task?.record ?? { tenant: '', owner: '' }, { limit: 10 });
  const result = await store.append({
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
  deepEqual(await everythingOf(store, 'one'), before);
  deepEqual(await store.list(await recordOf(store, 'one'), { limit: 10 }), list);
  // A rejected write does not use up its key.
  const again = await store.append({ taskId: 'one', guard, idempotency: key('rejected', 'digest-2') });
  equal(again.kind, 'rejected');
}
