import { deepEqual, equal, fail } from 'node:assert/strict';

import type { DeadLetterQuery, NewDeadLetter, Store } from '../../../store/store.ts';
import type { Behaviours } from '../behaviours.ts';
import { ALICE, append, create, end, event, HOUR, newTask, pushConfig, putPush, START, times } from '../samples.ts';
import { claimPushes, report } from './outbox.ts';

/** Events that could not be delivered. */
export const deadLetters: Behaviours = {
  'an undeliverable event is kept as a dead letter with everything needed to send it again': async ({ store }) => {
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

  'a rejected report stores no dead letter': async ({ store }) => {
    await create(store, newTask('one', { pushConfig: pushConfig('a') }));
    const [push = fail()] = await claimPushes(store);
    equal(await report(store, { ...push, fence: 9 }, { told: 1, dueAt: START, deadLetter: letter('x', 1) }), undefined);
    deepEqual(await list(store), []);
  },

  'dead letters are listed page by page, in the order in which they were stored': async ({ store }) => {
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

  'a dead letter stored twice is listed once, and a dropped one is gone': async ({ store }) => {
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

  'dead letters are removed with their push configuration and with their task': async ({ store }) => {
    for (const id of ['one', 'two', 'three']) {
      await create(store, newTask(id, { pushConfig: pushConfig('a') }));
      await giveUp(store, letter(`x of ${id}`, 1));
    }
    await store.deletePushConfig(ALICE, 'one', 'a');
    await append(store, 'two', end());
    await store.prune({ endedBefore: START + 1, keepEnded: 10, eventsEndedBefore: 0, limit: 10 });

    deepEqual(await ids(store), ['x of three']);
  },

  'only the latest dead letters are kept, up to the given number': async ({ store }) => {
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

  'a disabled push configuration is not due until it is resumed': async ({ store }) => {
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

  'resuming a push configuration does not affect the node that delivers for it': async ({ store }) => {
    await create(store, newTask('one', { pushConfig: pushConfig('a') }));
    const [push = fail()] = await claimPushes(store);

    equal(await store.resumePush({ taskId: 'one', configId: 'a' }), true);

    deepEqual(await claimPushes(store, { node: 'node-b' }), []);
    deepEqual(await report(store, push, { told: 1, dueAt: START }), {});
  },

  'a push configuration that waits for its next attempt is due at once after it is resumed': async ({ store }) => {
    await create(store, newTask('one', { pushConfig: pushConfig('a') }));
    const [push = fail()] = await claimPushes(store);
    await report(store, push, { attempts: 3, failingSince: START, dueAt: START + HOUR });

    equal(await store.resumePush({ taskId: 'one', configId: 'a' }), true);

    deepEqual(
      (await claimPushes(store)).map(({ attempts, failingSince }) => [attempts, failingSince]),
      [[0, undefined]],
    );
  },

  'a resumed push configuration without undelivered events is not due': async ({ store }) => {
    await create(store, newTask('one'));
    await putPush(store, 'one', pushConfig('a'));
    equal(await store.resumePush({ taskId: 'one', configId: 'a' }), true);
    deepEqual(await claimPushes(store), []);
  },
};

/** For durable stores. */
export const durableDeadLetters: Behaviours = {
  'dead letters are still stored after a restart': async ({ store, reopen }) => {
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
