import { deepEqual, equal, fail } from 'node:assert/strict';

import type { DeadLetterQuery, NewDeadLetter, Store } from '../../../store/store.ts';
import type { Behaviours, Subject } from '../subject.ts';
import { ALICE, end, event, HOUR, pluck, pushConfig, START, times } from '../samples.ts';

/** Events that could not be delivered. */
export const deadLetters: Behaviours = {
  'an undeliverable event is kept as a dead letter with everything needed to send it again': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    await giveUp(t, letter('x', 1));

    deepEqual(await list(t), [
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

  'a rejected report stores no dead letter': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    const [push = fail()] = await t.claimPushes();
    equal(await t.report({ ...push, fence: 9 }, { told: 1, dueAt: START, deadLetter: letter('x', 1) }), undefined);
    deepEqual(await list(t), []);
  },

  'dead letters are listed page by page, in the order in which they were stored': async (t) => {
    for (const i of times(3)) {
      await t.create(`task-${i}`, { pushConfig: pushConfig('a') });
      await giveUp(t, letter(`x${2 - i}`, 1));
    }
    await t.create('other', { agent: 'painter', pushConfig: pushConfig('a') });

    deepEqual(await ids(t), ['x2', 'x1', 'x0']);
    deepEqual(await ids(t, { limit: 2 }), ['x2', 'x1']);
    deepEqual(await ids(t, { limit: 2, after: 'x1' }), ['x0']);
    deepEqual(await ids(t, { after: 'gone', limit: 1 }), ['x2']);
    deepEqual(await ids(t, { id: 'x1' }), ['x1']);
    deepEqual(await ids(t, { id: 'unknown' }), []);
    deepEqual(await ids(t, { of: { taskId: 'task-2', configId: 'a' } }), ['x0']);
    deepEqual(await ids(t, { of: { taskId: 'task-2', configId: 'b' } }), []);
    deepEqual(await ids(t, { agents: ['painter'] }), []);
  },

  'a dead letter stored twice is listed once, and a dropped one is gone': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    await t.append('one', { events: [event('b')] });
    await giveUp(t, letter('x', 1));
    await giveUp(t, { ...letter('x', 1), attempts: 9 });
    deepEqual(pluck(await list(t), 'attempts'), [9]);

    equal(await t.store.dropDeadLetter('x'), true);
    equal(await t.store.dropDeadLetter('x'), false);
    deepEqual(await list(t), []);
  },

  'dead letters are removed with their push configuration and with their task': async (t) => {
    for (const id of ['one', 'two', 'three']) {
      await t.create(id, { pushConfig: pushConfig('a') });
      await giveUp(t, letter(`x of ${id}`, 1));
    }
    await t.store.deletePushConfig(ALICE, 'one', 'a');
    await t.append('two', end());
    await t.store.prune({ endedBefore: START + 1, keepEnded: 10, eventsEndedBefore: 0, limit: 10 });

    deepEqual(await ids(t), ['x of three']);
  },

  'only the latest dead letters are kept, up to the given number': async (t) => {
    for (const i of times(4)) {
      await t.create(`task-${i}`, { pushConfig: pushConfig('a') });
      await giveUp(t, letter(`x${i}`, 1));
    }
    const policy = { endedBefore: 0, keepEnded: 10, eventsEndedBefore: 0, limit: 10 };

    await t.store.prune(policy);
    deepEqual(await ids(t), ['x0', 'x1', 'x2', 'x3']);
    await t.store.prune({ ...policy, keepDeadLetters: 2 });
    deepEqual(await ids(t), ['x2', 'x3']);
    await t.store.prune({ ...policy, keepDeadLetters: 2 });
    await t.store.prune({ ...policy, keepDeadLetters: 0 });
    deepEqual(await ids(t), []);
  },

  'a disabled push configuration is not due until it is resumed': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    await t.append('one', { events: [event('b')] });
    const [push = fail()] = await t.claimPushes();
    const disabled = 'It is gone \u0000 for good';
    deepEqual(await t.report(push, { told: 1, disabled, deadLetter: letter('x', 1) }), {});
    await t.append('one', { events: [event('c')] });

    deepEqual(await t.claimPushes(), []);
    deepEqual(
      (await list(t)).map((one) => one.disabled),
      [disabled],
    );
    equal(await t.store.resumePush({ taskId: 'one', configId: 'b' }), false);
    equal(await t.store.resumePush({ taskId: 'two', configId: 'a' }), false);
    equal(await t.store.resumePush({ taskId: 'one', configId: 'a' }), true);

    deepEqual(
      (await t.claimPushes()).map(({ told, givenUp }) => [told, givenUp]),
      [[1, 0]],
    );
    deepEqual(
      (await list(t)).map((one) => one.disabled),
      [undefined],
    );
  },

  'resuming a push configuration does not affect the node that delivers for it': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    const [push = fail()] = await t.claimPushes();

    equal(await t.store.resumePush({ taskId: 'one', configId: 'a' }), true);

    deepEqual(await t.claimPushes({ node: 'node-b' }), []);
    deepEqual(await t.report(push, { told: 1, dueAt: START }), {});
  },

  'a push configuration that waits for its next attempt is due at once after it is resumed': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    const [push = fail()] = await t.claimPushes();
    await t.report(push, { attempts: 3, failingSince: START, dueAt: START + HOUR });

    equal(await t.store.resumePush({ taskId: 'one', configId: 'a' }), true);

    deepEqual(
      (await t.claimPushes()).map(({ attempts, failingSince }) => [attempts, failingSince]),
      [[0, undefined]],
    );
  },

  'a resumed push configuration without undelivered events is not due': async (t) => {
    await t.create('one');
    await t.putPush('one', pushConfig('a'));
    equal(await t.store.resumePush({ taskId: 'one', configId: 'a' }), true);
    deepEqual(await t.claimPushes(), []);
  },
};

/** For durable stores. */
export const durableDeadLetters: Behaviours = {
  'dead letters are still stored after a restart': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    await giveUp(t, letter('x', 1));
    const before = await list(t);

    await t.reopen();

    deepEqual(await list(t), before);
  },
};

function letter(id: string, number: number): NewDeadLetter {
  const { body, kind } = event(`event ${number}`);
  return { id, event: { number, kind, body }, reason: 'It answered 500 “often”\n', attempts: 3, time: START };
}

async function giveUp(t: Subject, deadLetter: NewDeadLetter): Promise<void> {
  const [push = fail('Nothing is due')] = await t.claimPushes();
  const { number: told } = deadLetter.event;
  if ((await t.report(push, { told, givenUp: 1, dueAt: START, deadLetter })) === undefined) fail('Refused');
}

function list(t: Subject, query: Partial<DeadLetterQuery> = {}): ReturnType<Store['deadLetters']> {
  return t.store.deadLetters({ agents: ['translator'], limit: 100, ...query });
}

async function ids(t: Subject, query: Partial<DeadLetterQuery> = {}): Promise<readonly string[]> {
  return (await list(t, query)).map(({ id }) => id);
}
