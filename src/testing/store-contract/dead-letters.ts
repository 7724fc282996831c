import { deepEqual, equal, fail } from 'node:assert/strict';

import type { DeadLetterQuery, NewDeadLetter, Store } from '../../store/store.ts';
import type { Behaviours } from './behaviours.ts';
import { ALICE, append, create, end, event, HOUR, newTask, pushConfig, putPush, START, times } from './samples.ts';
import { claimPushes, report } from './outbox.ts';

/** What receivers could not be told of. */
export const deadLetters: Behaviours = {
  'an event that is given up stays, with all that it takes to send it again': async ({ store }) => {
    await create(store, newTask('one', { pushConfig: pushConfig('a') }));
    await giveUp(store, letter('x', 1));

    deepEqual(await list(store), [
      {
        ...letter('x', 1),
        ...ALICE,
        taskId: 'one',
        configId: 'a',
        config: pushConfig('a'),
        receiver: 'example.com',
      },
    ]);
  },

  'a report that is refused leaves none': async ({ store }) => {
    await create(store, newTask('one', { pushConfig: pushConfig('a') }));
    const [push = fail()] = await claimPushes(store);
    equal(await report(store, { ...push, fence: 9 }, { told: 1, dueAt: START, deadLetter: letter('x', 1) }), undefined);
    deepEqual(await list(store), []);
  },

  'they are listed in the order in which they were given up, page by page': async ({ store }) => {
    for (const i of times(3)) {
      await create(store, newTask(`task-${i}`, { pushConfig: pushConfig('a') }));
      await giveUp(store, letter(`x${2 - i}`, 1));
    }
    await create(store, newTask('other', { agent: 'painter', pushConfig: pushConfig('a') }));

    deepEqual(await ids(store), ['x2', 'x1', 'x0']);
    deepEqual(await ids(store, { limit: 2 }), ['x2', 'x1']);
    deepEqual(await ids(store, { limit: 2, after: 'x1' }), ['x0']);
    deepEqual(await ids(store, { after: 'gone', limit: 1 }), ['x2']);
    deepEqual(await ids(store, { id: 'x1' }), ['x1']);
    deepEqual(await ids(store, { id: 'unknown' }), []);
    deepEqual(await ids(store, { of: { taskId: 'task-2', configId: 'a' } }), ['x0']);
    deepEqual(await ids(store, { of: { taskId: 'task-2', configId: 'b' } }), []);
    deepEqual(await ids(store, { agents: ['painter'] }), []);
  },

  'the same one twice is one, and one that is dropped is gone': async ({ store }) => {
    await create(store, newTask('one', { pushConfig: pushConfig('a') }));
    await append(store, 'one', { events: [event('b')] });
    await giveUp(store, letter('x', 1));
    await giveUp(store, { ...letter('x', 1), attempts: 9 });
    deepEqual(
      (await list(store)).map(({ attempts }) => attempts),
      [9],
    );

    equal(await store.dropDeadLetter('x'), true);
    equal(await store.dropDeadLetter('x'), false);
    deepEqual(await list(store), []);
  },

  'they go with their push configuration, and with their task': async ({ store }) => {
    for (const id of ['one', 'two', 'three']) {
      await create(store, newTask(id, { pushConfig: pushConfig('a') }));
      await giveUp(store, letter(`x of ${id}`, 1));
    }
    await store.deletePushConfig(ALICE, 'one', 'a');
    await append(store, 'two', end());
    await store.prune({ endedBefore: START + 1, keepEnded: 10, eventsEndedBefore: 0, limit: 10 });

    deepEqual(await ids(store), ['x of three']);
  },

  'the latest stay, as many as wished': async ({ store }) => {
    for (const i of times(4)) {
      await create(store, newTask(`task-${i}`, { pushConfig: pushConfig('a') }));
      await giveUp(store, letter(`x${i}`, 1));
    }
    const policy = { endedBefore: 0, keepEnded: 10, eventsEndedBefore: 0, limit: 10 };

    await store.prune(policy);
    deepEqual(await ids(store), ['x0', 'x1', 'x2', 'x3']);
    await store.prune({ ...policy, keepDeadLetters: 2 });
    deepEqual(await ids(store), ['x2', 'x3']);
    await store.prune({ ...policy, keepDeadLetters: 2 });
    await store.prune({ ...policy, keepDeadLetters: 0 });
    deepEqual(await ids(store), []);
  },

  'one that is disabled is told nothing, until it is resumed': async ({ store }) => {
    await create(store, newTask('one', { pushConfig: pushConfig('a') }));
    await append(store, 'one', { events: [event('b')] });
    const [push = fail()] = await claimPushes(store);
    const disabled = 'It is gone \u0000 for good';
    deepEqual(await report(store, push, { told: 1, disabled, deadLetter: letter('x', 1) }), {});
    await append(store, 'one', { events: [event('c')] });

    deepEqual(await claimPushes(store), []);
    deepEqual(
      (await list(store)).map((one) => one.disabled),
      [disabled],
    );
    equal(await store.resumePush({ taskId: 'one', configId: 'b' }), false);
    equal(await store.resumePush({ taskId: 'two', configId: 'a' }), false);
    equal(await store.resumePush({ taskId: 'one', configId: 'a' }), true);

    deepEqual(
      (await claimPushes(store)).map(({ told, givenUp }) => [told, givenUp]),
      [[1, 0]],
    );
    deepEqual(
      (await list(store)).map((one) => one.disabled),
      [undefined],
    );
  },

  'one that a node is telling of is not disturbed by who resumes it': async ({ store }) => {
    await create(store, newTask('one', { pushConfig: pushConfig('a') }));
    const [push = fail()] = await claimPushes(store);

    equal(await store.resumePush({ taskId: 'one', configId: 'a' }), true);

    deepEqual(await claimPushes(store, { node: 'node-b' }), []);
    deepEqual(await report(store, push, { told: 1, dueAt: START }), {});
  },

  'one that waits for its time is told at once if it is resumed': async ({ store }) => {
    await create(store, newTask('one', { pushConfig: pushConfig('a') }));
    const [push = fail()] = await claimPushes(store);
    await report(store, push, { attempts: 3, failingSince: START, dueAt: START + HOUR });

    equal(await store.resumePush({ taskId: 'one', configId: 'a' }), true);

    deepEqual(
      (await claimPushes(store)).map(({ attempts, failingSince }) => [attempts, failingSince]),
      [[0, undefined]],
    );
  },

  'one that is resumed and has been told everything is not due': async ({ store }) => {
    await create(store, newTask('one'));
    await putPush(store, 'one', pushConfig('a'));
    equal(await store.resumePush({ taskId: 'one', configId: 'a' }), true);
    deepEqual(await claimPushes(store), []);
  },
};

/** For stores that outlive their process. */
export const durableDeadLetters: Behaviours = {
  'dead letters are there after a restart': async ({ store, reopen }) => {
    await create(store, newTask('one', { pushConfig: pushConfig('a') }));
    await giveUp(store, letter('x', 1));
    const before = await list(store);

    deepEqual(await list(await reopen()), before);
  },
};

function letter(id: string, number: number): NewDeadLetter {
  const { body, kind } = event(`event ${number}`);
  return { id, event: { number, kind, body }, reason: 'It answered 500 “often”\n', attempts: 3, time: START };
}

async function giveUp(store: Store, deadLetter: NewDeadLetter): Promise<void> {
  const [push = fail('Nothing is due')] = await claimPushes(store);
  const { number: told } = deadLetter.event;
  if ((await report(store, push, { told, givenUp: 1, dueAt: START, deadLetter })) === undefined) fail('Refused');
}

function list(store: Store, query: Partial<DeadLetterQuery> = {}): ReturnType<Store['deadLetters']> {
  return store.deadLetters({ agents: ['translator'], limit: 100, ...query });
}

async function ids(store: Store, query: Partial<DeadLetterQuery> = {}): Promise<readonly string[]> {
  return (await list(store, query)).map(({ id }) => id);
}
