import { deepEqual, equal, fail } from 'node:assert/strict';

import type { ClaimedPush, PushClaimRequest } from '../../../store/store.ts';
import type { Behaviours, Subject } from '../subject.ts';
import { ALICE, end, event, HOUR, message, pluck, pushConfig, START, times, TTL } from '../samples.ts';

/** Which push configurations are due, and which node delivers for them. */
export const outbox: Behaviours = {
  'a push configuration created with its task is due from the first event': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    equal(await t.store.nextPush(['translator']), START);

    deepEqual(await t.claimPushes(), [
      {
        ...ALICE,
        taskId: 'one',
        configId: 'a',
        config: pushConfig('a'),
        receiver: 'example.com',
        fence: 1,
        told: 0,
        attempts: 0,
        givenUp: 0,
      },
    ]);
  },

  'the push configuration of a provisional task is not due before the first event': async (t) => {
    await t.createProvisional('one', { pushConfig: pushConfig('a') });
    deepEqual(await t.claimPushes(), []);
    equal(await t.store.nextPush(['translator']), undefined);
    t.clock.advance(5);

    await t.append('one', { visible: true, events: [event('created', 'task')] });

    equal(await t.store.nextPush(['translator']), START + 5);
    deepEqual(await claimed(t), ['one/a after 0']);
  },

  'a push configuration added later is due for later events only': async (t) => {
    await t.create('one');
    await t.append('one', { events: [event('b'), event('c')] });
    await t.putPush('one', pushConfig('a'));
    deepEqual(await claimed(t), []);

    await t.append('one', { events: [event('d')] });

    deepEqual(await claimed(t), ['one/a after 3']);
  },

  'a write without events, or a rejected one, makes no push configuration due': async (t) => {
    await t.create('one');
    await t.putPush('one', pushConfig('a'));

    await t.append('one', { history: [message('more')] });
    equal((await t.store.append({ taskId: 'one', guard: { states: [] }, events: [event('b')] })).kind, 'rejected');

    equal(await t.store.nextPush(['translator']), undefined);
    deepEqual(await claimed(t), []);
  },

  'a task knows whether it has push configurations': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    equal((await t.recordOf('one')).pushed, true);
    await t.putPush('one', pushConfig('b'));
    await t.store.deletePushConfig(ALICE, 'one', 'a');
    equal((await t.append('one', { events: [event('b')] })).record.pushed, true);
    await t.store.deletePushConfig(ALICE, 'one', 'b');
    equal((await t.append('one', { events: [event('c')] })).record.pushed, undefined);
    equal((await t.recordOf('one')).pushed, undefined);
  },

  'a push configuration claimed by a node is not given to others until the node is dead': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    deepEqual(await claimed(t, { node: 'node-a' }), ['one/a after 0']);
    deepEqual(await claimed(t, { node: 'node-b' }), []);
    equal(await t.store.nextPush(['translator']), undefined);

    t.clock.advance(TTL + 1);

    equal(await t.store.nextPush(['translator']), START);
    const [again = fail()] = await t.claimPushes({ node: 'node-b' });
    equal(again.fence, 2);
  },

  'a node that retires releases its push configurations': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    await t.claimPushes({ node: 'node-a' });
    await t.store.retire('node-a');
    deepEqual(await claimed(t, { node: 'node-b' }), ['one/a after 0']);
  },

  'a claim returns push configurations that the node holds unless it lists them as known': async (t) => {
    for (const id of ['one', 'two']) await t.create(id, { pushConfig: pushConfig('a') });
    const [first = fail()] = await t.claimPushes();

    const again = await t.claimPushes({ held: [first] });

    deepEqual(again.map(nameOf), ['two/a after 0']);
    equal(again[0]?.fence, 2);
  },

  'the report of a node that has lost its lease changes nothing': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    const [late = fail()] = await t.claimPushes({ node: 'node-a' });
    t.clock.advance(TTL + 1);
    const [current = fail()] = await t.claimPushes({ node: 'node-b' });

    equal(await t.report(late, { node: 'node-a', told: 1, dueAt: START }), undefined);
    equal(await t.report({ ...late, fence: 2 }, { node: 'node-a', told: 1, dueAt: START }), undefined);
    equal(await t.report({ ...current, fence: 1 }, { node: 'node-b', told: 1, dueAt: START }), undefined);

    deepEqual(await t.report(current, { node: 'node-b', dueAt: t.clock.now() }), { dueAt: t.clock.now() });
    deepEqual(await claimed(t), ['one/a after 0']);
  },

  'delivery progress is stored and returned to the next node': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    await t.append('one', { events: [event('b'), event('c')] });
    const [push = fail()] = await t.claimPushes();

    deepEqual(await t.report(push, { told: 1 }), { dueAt: START });
    deepEqual(await claimed(t, { node: 'node-b' }), []);
    const failed = { told: 2, attempts: 3, failingSince: START - 5, givenUp: 4 };
    deepEqual(await t.report(push, { ...failed, dueAt: START }), { dueAt: START });

    const [next = fail()] = await t.claimPushes({ node: 'node-b' });
    const { told, attempts, failingSince, givenUp } = next;
    deepEqual({ told, attempts, failingSince, givenUp }, failed);
    await t.report(next, { node: 'node-b', told: 2, attempts: 0, givenUp: 0, dueAt: START });
    equal((await t.claimPushes())[0]?.failingSince, undefined);
  },

  'a push configuration without undelivered events is due again with the next event': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    const [push = fail()] = await t.claimPushes();
    deepEqual(await t.report(push, { told: 1, dueAt: START }), {});
    deepEqual(await claimed(t), []);
    t.clock.advance(7);

    await t.append('one', { events: [event('b')] });

    equal(await t.store.nextPush(['translator']), START + 7);
    deepEqual(await claimed(t), ['one/a after 1']);
  },

  'an event stored during a delivery is due after it': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    const [push = fail()] = await t.claimPushes();
    await t.append('one', { events: [event('b')] });
    deepEqual(await t.report(push, { told: 1, dueAt: START }), { dueAt: START });
    deepEqual(await claimed(t), ['one/a after 1']);
  },

  'a push configuration that waits for its next attempt is not due earlier because of new events': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    const [push = fail()] = await t.claimPushes();
    await t.report(push, { attempts: 1, failingSince: START, dueAt: START + 1000 });
    await t.append('one', { events: [event('b')] });
    deepEqual(await claimed(t), []);
    equal(await t.store.nextPush(['translator']), START + 1000);

    t.clock.advance(1000);

    deepEqual(await claimed(t), ['one/a after 0']);
  },

  'a claim returns the push configurations that have been due longest, up to its limit and for its agents only': async (
    t,
  ) => {
    for (const id of ['one', 'two', 'three']) {
      await t.create(id, { pushConfig: pushConfig('a') });
      t.clock.advance(1);
    }
    await t.create('other', { agent: 'painter', pushConfig: pushConfig('a') });

    deepEqual(await claimed(t, { limit: 2 }), ['one/a after 0', 'two/a after 0']);
    equal(await t.store.nextPush(['painter']), START + 3);
    deepEqual(await claimed(t, { node: 'node-b', limit: 2 }), ['three/a after 0']);
    deepEqual(await claimed(t, { node: 'node-b', agents: ['painter'] }), ['other/a after 0']);
  },

  'no receiver gets more than its share, however many of its push configurations have waited longer': async (t) => {
    for (const i of times(20)) await t.create(`slow-${i}`, { pushConfig: pushAt('slow.example') });
    t.clock.advance(1);
    for (const i of times(3)) await t.create(`quick-${i}`, { pushConfig: pushAt('quick.example') });

    const first = await t.claimPushes({ limit: 6, perReceiver: 2 });
    deepEqual(first.map(({ receiver }) => receiver).sort(), [
      ...times(2).map(() => 'quick.example'),
      ...times(2).map(() => 'slow.example'),
    ]);
    deepEqual(await t.claimPushes({ limit: 6, perReceiver: 2, held: first }), []);
    const more = await t.claimPushes({ limit: 6, perReceiver: 3, held: first });
    deepEqual(pluck(more, 'taskId'), ['slow-2', 'quick-2']);
  },

  'all ports of a host are one receiver': async (t) => {
    for (const i of times(4)) await t.create(`slow-${i}`, { pushConfig: pushAt(`slow.example:${8000 + i}`) });

    const first = await t.claimPushes({ perReceiver: 2 });

    deepEqual(
      first.map(({ taskId, receiver }) => [taskId, receiver]),
      [
        ['slow-0', 'slow.example'],
        ['slow-1', 'slow.example'],
      ],
    );
  },

  'no owner of a tenant gets more than its share, however many hosts it uses': async (t) => {
    const owners = { greedy: ALICE, other: { ...ALICE, owner: 'other' }, abroad: { ...ALICE, tenant: 'abroad' } };
    const add = (id: string, owner: keyof typeof owners): Promise<unknown> =>
      t.create(id, { ...owners[owner], pushConfig: pushAt(`${id}.example`) });
    for (const i of times(20)) await add(`greedy-${i}`, 'greedy');
    t.clock.advance(1);
    for (const i of times(3)) await add(`other-${i}`, 'other');
    await add('abroad', 'abroad');

    const first = await t.claimPushes({ limit: 6, perOwner: 2 });
    deepEqual(pluck(first, 'taskId'), ['greedy-0', 'greedy-1', 'other-0', 'other-1', 'abroad']);
    deepEqual(await t.claimPushes({ limit: 6, perOwner: 2, held: first }), []);
    const more = await t.claimPushes({ limit: 6, perOwner: 3, held: first });
    deepEqual(pluck(more, 'taskId'), ['greedy-2', 'other-2']);
  },

  'several push configurations of one task are independent': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    await t.putPush('one', pushConfig('b'));
    await t.append('one', { events: [event('b')] });
    const [a = fail(), b = fail()] = await t.claimPushes();
    deepEqual([a, b].map(nameOf), ['one/a after 0', 'one/b after 1']);

    deepEqual(await t.report(b, { told: 2, dueAt: START }), {});
    deepEqual(await t.report(a, { attempts: 1, failingSince: START, dueAt: START + 5 }), { dueAt: START + 5 });
    equal(await t.store.nextPush(['translator']), START + 5);
  },

  'a replaced push configuration is due at once from where it was, and the old claim is lost': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    await t.append('one', { events: [event('b')] });
    const [push = fail()] = await t.claimPushes();
    await t.report(push, { told: 1, attempts: 5, failingSince: START, givenUp: 1, disabled: 'It was away' });
    const config = { id: 'a', url: 'https://other.example/' };

    await t.putPush('one', pushConfig('a', { config }));

    const [next = fail()] = await t.claimPushes();
    deepEqual(
      [next.receiver, next.config.config.url, next.told, next.attempts, next.givenUp],
      ['other.example', 'https://other.example/', 1, 0, 0],
    );
    await t.putPush('one', pushConfig('a', { config }));
    equal(await t.report(next, { told: 2, dueAt: START }), undefined);
    deepEqual(await claimed(t), ['one/a after 1']);
  },

  'a deleted push configuration is no longer due, claimed or not': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    const [push = fail()] = await t.claimPushes();
    await t.store.deletePushConfig(ALICE, 'one', 'a');

    equal(await t.report(push, { told: 1, dueAt: START }), undefined);
    await t.append('one', { events: [event('b')] });
    deepEqual(await claimed(t), []);
    // A new configuration with the same id is due for later events only.
    await t.putPush('one', pushConfig('a'));
    equal(await t.report(push, { told: 1, dueAt: START }), undefined);
    deepEqual(await claimed(t), []);
  },

  'a push configuration of a removed task is no longer due': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    await t.append('one', end());
    const [push = fail()] = await t.claimPushes();
    await t.store.prune({ endedBefore: START + 1, keepEnded: 10, eventsEndedBefore: 0, limit: 10 });

    equal(await t.report(push, { told: 1, dueAt: START }), undefined);
    equal(await t.store.nextPush(['translator']), undefined);
    await t.create('one');
    deepEqual(await claimed(t), []);
  },

  'the events of an ended task are kept until they are delivered, but not longer than the task': async (t) => {
    for (const id of ['one', 'two', 'three']) {
      await t.create(id, { pushConfig: pushConfig('a') });
      await t.append(id, end(START));
    }
    const policy = { endedBefore: 0, keepEnded: 10, eventsEndedBefore: START + HOUR, limit: 10 };
    const [one = fail(), two = fail()] = await t.claimPushes();
    await t.report(one, { told: 1, dueAt: START });
    await t.report(two, { disabled: 'It is gone' });

    equal(await t.store.prune(policy), 0);

    const left = await Promise.all(['one', 'two', 'three'].map((id) => t.store.events(id, 0, 10)));
    deepEqual(pluck(left, 'length'), [0, 0, 1]);
    equal(await t.store.prune({ ...policy, endedBefore: START + 1 }), 3);
  },
};

/** For durable stores. */
export const durableOutbox: Behaviours = {
  'a claimed push configuration is due again after a restart, from where it was': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    await t.append('one', { events: [event('b')] });
    const [push = fail()] = await t.claimPushes();
    await t.report(push, { told: 1 });

    await t.reopen();
    t.clock.advance(TTL + 1);

    equal(await t.store.nextPush(['translator']), START);
    deepEqual(await claimed(t, { node: 'node-b' }), ['one/a after 1']);
    equal((await t.append('one', { events: [event('c')] })).record.pushed, true);
  },
};

async function claimed(t: Subject, request: Partial<PushClaimRequest> = {}): Promise<readonly string[]> {
  return (await t.claimPushes(request)).map(nameOf);
}

function nameOf({ taskId, configId, told }: ClaimedPush): string {
  return `${taskId}/${configId} after ${told}`;
}

function pushAt(host: string): ReturnType<typeof pushConfig> {
  return pushConfig('a', { config: { id: 'a', url: `https://${host}/hook` } });
}
