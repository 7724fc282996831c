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

/** Of the task that the guards are tried on. */
const LAST_EVENT = 1;

/** For a task that is working, held by the living node-a with number 1, with the open question q-1. */
const HOLD: readonly Case[] = [
  ['nothing', {}],
  ['the lease that there is', { lease: { node: 'node-a', fence: 1 } }],
  ['the state that it is in', { states: ['TASK_STATE_WORKING'] }],
  ['one of several states', { states: ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'] }],
  ['the question that is open', { question: 'q-1' }],
  ['no intent to cancel', { canceling: false }],
  ['no event since the last', { lastEvent: LAST_EVENT }],
  [
    'all of that together',
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
  ['a lease that is gone', { lease: { node: 'node-a', fence: 0 } }],
  ['a lease that is not yet given', { lease: { node: 'node-a', fence: 2 } }],
  ['a state that it is not in', { states: ['TASK_STATE_INPUT_REQUIRED'] }],
  ['several states that it is not in', { states: ['TASK_STATE_SUBMITTED', 'TASK_STATE_AUTH_REQUIRED'] }],
  ['no state at all', { states: [] }],
  ['an idle task', { idle: true }],
  ['another question', { question: 'q-2' }],
  ['the intent to cancel', { canceling: true }],
  ['no event since the last but one', { lastEvent: LAST_EVENT - 1 }],
  ['an event that has not come', { lastEvent: LAST_EVENT + 1 }],
];

const ALL: Guard = HOLD.at(-1)?.[1] ?? {};

export const guards: Behaviours = {
  ...Object.fromEntries(HOLD.map(([what, guard]) => [`a write that asks for ${what} happens`, happens(guard)])),
  ...Object.fromEntries(
    FAIL.map(([what, guard]) => [`a write that asks for ${what} is refused and changes nothing`, isRefused(guard)]),
  ),
  ...Object.fromEntries(
    FAIL.map(([what, guard]) => [
      `a write that asks for ${what} is refused though all else holds`,
      isRefused({ ...ALL, ...guard }),
    ]),
  ),

  'a task whose holder has died is idle': async ({ store, clock }) => {
    await prepare(store);
    clock.advance(TTL - 1);
    await refuse(store, { idle: true });
    clock.advance(1);
    await append(store, 'one', {}, { idle: true });
  },

  'a task whose holder never gave a sign of life is idle': async ({ store }) => {
    await create(store, newTask('one', { node: 'node-a' }));

    await append(store, 'one', {}, { idle: true });
  },

  'a task that nobody runs is idle, and no lease fits it': async ({ store }) => {
    await create(store, newTask('one'));

    await append(store, 'one', {}, { idle: true });
    await refuse(store, { lease: { node: 'node-a', fence: 0 } });
    await refuse(store, { lease: { node: '', fence: 0 } });
  },

  'a task without a question answers none': async ({ store }) => {
    await create(store, newTask('one'));

    await refuse(store, { question: 'q-1' });
    await refuse(store, { question: '' });
  },

  'the intent to cancel can be asked for once it is there': async ({ store }) => {
    await create(store, newTask('one'));
    await append(store, 'one', { canceling: true });

    await refuse(store, { canceling: false });
    await append(store, 'one', {}, { canceling: true });
  },

  'of two answers at once to one question the first wins': async ({ store }) => {
    await prepare(store);
    const answer = (name: string): TaskWrite => ({
      taskId: 'one',
      guard: { question: 'q-1' },
      question: null,
      history: [message(name)],
    });

    const results = await Promise.all(['a', 'b', 'c', 'd'].map((name) => store.append(answer(name))));

    equal(results.filter(({ kind }) => kind === 'appended').length, 1);
    equal(results.filter(({ kind }) => kind === 'refused').length, 3);
    equal((await everythingOf(store, 'one')).task?.history.length, 2);
  },

  'among writes at once, those that are refused leave no gap for the others': async ({ store }) => {
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
      results.map((_, i) => (i % 2 === 1 ? 'appended' : 'refused')),
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

/** A write that would change all there is must be refused, and leave no trace. */
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
    idempotency: key('refused'),
  });

  deepEqual(result, { kind: 'refused', record: before.task?.record });
  deepEqual(await everythingOf(store, 'one'), before);
  deepEqual(await store.list(await recordOf(store, 'one'), { limit: 10 }), list);
  // The key of a write that did not happen is free for the next one.
  const again = await store.append({ taskId: 'one', guard, idempotency: key('refused', 'digest-2') });
  equal(again.kind, 'refused');
}
