import { deepEqual, equal } from 'node:assert/strict';

import type { Scope } from '../../../store/store.ts';
import type { Behaviours, Subject } from '../subject.ts';
import { ALICE, end, event, key, message, newTask, pluck, pushConfig, START } from '../samples.ts';

const STRANGERS: readonly (readonly [string, Scope])[] = [
  ['another owner', { ...ALICE, owner: 'bob' }],
  ['the same owner in another tenant', { ...ALICE, tenant: 'globex' }],
  ['an owner and a tenant with swapped names', { tenant: ALICE.owner, owner: ALICE.tenant }],
];

/** How push configurations depend on their task. */
export const pushConfigLife: Behaviours = {
  'a push configuration can be created with its task, but not with a repeated creation': async (t) => {
    const task = newTask('one', { pushConfig: pushConfig('a'), alias: 'homework', idempotency: key('k') });
    await t.create(task);
    const more = { id: 'two', pushConfig: pushConfig('b') };

    deepEqual(await t.store.create({ ...task, ...more }), { kind: 'repeated', taskId: 'one' });
    deepEqual(await t.store.create({ ...task, ...more, idempotency: key('k', 'digest-2') }), { kind: 'key-reused' });
    const { idempotency: _, ...named } = task;
    deepEqual(await t.store.create({ ...named, ...more }), { kind: 'alias-taken', taskId: 'one' });

    deepEqual(await t.store.pushConfigs(ALICE, 'one', { limit: 10 }), [pushConfig('a')]);
    equal(await t.store.pushConfigs(ALICE, 'two', { limit: 10 }), undefined);
  },

  'the push configuration of a provisional task becomes visible with the task': async (t) => {
    await t.createProvisional('one', { pushConfig: pushConfig('a') });
    await assertNoTask(t, ALICE, 'one');

    await t.append('one', { visible: true, events: [event('created', 'task')] });

    deepEqual(await t.pushIds('one'), ['a']);
  },

  'a task that was not created has no push configurations and accepts none': async (t) => {
    await assertNoTask(t, ALICE, 'one');
    await t.create('one');
    deepEqual(await t.pushIds('one'), []);
  },

  ...Object.fromEntries(
    STRANGERS.map(([who, scope]): [string, Behaviours[string]] => [
      `${who} cannot see or change the push configurations of a task`,
      async (t) => {
        await t.create('one', { pushConfig: pushConfig('a') });

        await assertNoTask(t, scope, 'one');

        deepEqual(await t.store.pushConfigs(ALICE, 'one', { limit: 10 }), [pushConfig('a')]);
      },
    ]),
  ),

  'a task that has ended keeps its push configurations and accepts new ones': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    await t.append('one', end());

    equal((await t.putPush('one', pushConfig('b')))?.kind, 'stored');
    deepEqual(await t.pushIds('one'), ['a', 'b']);
    equal(await t.store.deletePushConfig(ALICE, 'one', 'a'), true);
    await t.store.prune({ endedBefore: 0, keepEnded: 1, eventsEndedBefore: START + 1, limit: 10 });
    deepEqual(await t.pushIds('one'), ['b']);
  },

  'push configurations do not change their task': async (t) => {
    await t.create('one');
    const before = await t.everythingOf('one');

    await t.putPush('one', pushConfig('a'));
    await t.store.deletePushConfig(ALICE, 'one', 'a');

    deepEqual(await t.everythingOf('one'), before);
    deepEqual((await t.append('one', { events: [event('b')] })).firstEvent, 2);
  },

  'a push configuration added by a write is due for the events of that write and later ones': async (t) => {
    await t.create('one');
    const put = { record: pushConfig('a'), max: 1 };

    const written = await t.append('one', { events: [event('b')], pushConfig: put });

    equal(written.record.pushed, true);
    deepEqual(await t.pushIds('one'), ['a']);
    deepEqual(await deliveredOf(t), ['a delivered 1']);
    await t.append('one', { events: [event('c')] });
    deepEqual(await deliveredOf(t), ['a delivered 1']);
  },

  'a push configuration added by a write replaces the one with the same id': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    for (const id of ['b', 'c']) await t.putPush('one', pushConfig(id));
    const record = pushConfig('b', { dialect: '0.3', createdAt: START + 1 });

    await t.append('one', { events: [event('b')], pushConfig: { record, max: 3 } });

    deepEqual(await t.pushIds('one'), ['a', 'b', 'c']);
    deepEqual((await t.store.pushConfigs(ALICE, 'one', { id: 'b', limit: 1 }))?.[0], { ...record, createdAt: START });
  },

  'a write whose push configuration exceeds the limit changes nothing': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    const before = await t.everythingOf('one');
    const pushed = { record: pushConfig('b'), max: 1 };
    const write = { taskId: 'one', guard: {}, events: [event('b')], history: [message('b')], idempotency: key('k') };

    deepEqual(await t.store.append({ ...write, pushConfig: pushed }), { kind: 'full' });

    deepEqual(await t.everythingOf('one'), before);
    deepEqual(await t.pushIds('one'), ['a']);
    equal((await t.store.append(write)).kind, 'appended');
  },

  'a rejected or repeated write does not change push configurations': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a'), idempotency: key('k') });
    const [claimed] = await t.claimPushes();
    const noted = { taskId: 'one', configId: 'a', node: 'node-a', fence: claimed?.fence ?? 0 };
    await t.store.notePush({ ...noted, told: 0, attempts: 3, givenUp: 0, failingSince: START, disabled: 'gone' });
    const record = pushConfig('a', { config: { id: 'a', url: 'https://example.org/' } });
    const write = { taskId: 'one', events: [event('b')], pushConfig: { record, max: 2 } };

    equal((await t.store.append({ ...write, guard: { question: 'q' } })).kind, 'rejected');
    equal((await t.store.append({ ...write, guard: {}, idempotency: key('k') })).kind, 'repeated');
    equal((await t.store.append({ ...write, guard: {}, idempotency: key('k', 'other') })).kind, 'key-reused');

    deepEqual(await t.store.pushConfigs(ALICE, 'one', { limit: 10 }), [pushConfig('a')]);
    deepEqual(await deliveredOf(t), []);
    await t.append('one', { pushConfig: { record, max: 2 } });
    deepEqual(await deliveredOf(t), ['a delivered 0']);
  },

  'push configurations added by concurrent writes all count against the limit': async (t) => {
    await t.create('one');
    const results = await Promise.all(
      ['a', 'b', 'a', 'c'].map((id) =>
        t.store.append({ taskId: 'one', guard: {}, pushConfig: { record: pushConfig(id), max: 2 } }),
      ),
    );
    deepEqual(pluck(results, 'kind'), ['appended', 'appended', 'appended', 'full']);
    deepEqual(await t.pushIds('one'), ['a', 'b']);
  },

  'removing a task removes its push configurations and no others': async (t) => {
    for (const id of ['one', 'two']) {
      await t.create(id, { pushConfig: pushConfig('a') });
      await t.putPush(id, pushConfig('b'));
    }
    await t.append('two', end());
    equal(await t.store.prune({ endedBefore: START + 1, keepEnded: 10, eventsEndedBefore: 0, limit: 10 }), 1);

    await assertNoTask(t, ALICE, 'two');
    // A store may reuse the row of the removed task.
    for (const id of ['two', 'three']) await t.create(id);
    deepEqual(await Promise.all(['one', 'two', 'three'].map((id) => t.pushIds(id))), [['a', 'b'], [], []]);
  },

  'dropping a task for a reply removes its push configurations': async (t) => {
    await t.createProvisional('one', { node: 'node-a', pushConfig: pushConfig('a') });
    equal(await t.store.dropForReply('one', { node: 'node-a', fence: 1 }, message('reply')), true);

    await assertNoTask(t, ALICE, 'one');
    for (const id of ['one', 'two']) await t.create(id);
    deepEqual(await Promise.all(['one', 'two'].map((id) => t.pushIds(id))), [[], []]);
  },

  'concurrently creating and dropping a task leaves no push configurations': async (t) => {
    const made = t.createProvisional('one', { node: 'node-a', pushConfig: pushConfig('a') });
    const dropped = t.store.dropForReply('one', { node: 'node-a', fence: 1 }, message('reply'));
    await made;
    equal(await dropped, true);

    for (const id of ['two', 'three']) await t.create(id);
    deepEqual(await Promise.all(['two', 'three'].map((id) => t.pushIds(id))), [[], []]);
  },
};

/** The push configurations that are due, and the last event delivered to each. */
async function deliveredOf(t: Subject): Promise<readonly string[]> {
  return (await t.claimPushes()).map(({ configId, told }) => `${configId} delivered ${told}`);
}

/** For durable stores. */
export const durablePushConfigs: Behaviours = {
  'push configurations are stored in their order when the store is opened again': async (t) => {
    await t.create('one', { pushConfig: pushConfig('c') });
    for (const id of ['a', 'b', 'd']) await t.putPush('one', pushConfig(id));
    await t.store.deletePushConfig(ALICE, 'one', 'a');
    await t.putPush('one', pushConfig('c', { dialect: '0.3' }));
    const before = await t.store.pushConfigs(ALICE, 'one', { limit: 10 });

    await t.reopen();

    deepEqual(await t.pushIds('one'), ['c', 'b', 'd']);
    deepEqual(await t.store.pushConfigs(ALICE, 'one', { limit: 10 }), before);
    deepEqual(await t.putPush('one', pushConfig('e'), 3), { kind: 'full' });
    await t.putPush('one', pushConfig('a'));
    deepEqual(await t.pushIds('one'), ['c', 'b', 'd', 'a']);
  },

  'push configurations of removed tasks stay removed when the store is opened again': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    await t.append('one', end());
    await t.store.prune({ endedBefore: START + 1, keepEnded: 10, eventsEndedBefore: 0, limit: 10 });

    await t.reopen();

    await assertNoTask(t, ALICE, 'one');
    await t.create('one');
    deepEqual(await t.pushIds('one'), []);
  },
};

/** Checks that every call reports an unknown task and changes nothing. */
async function assertNoTask(t: Subject, scope: Scope, taskId: string): Promise<void> {
  equal(await t.store.pushConfigs(scope, taskId, { limit: 10 }), undefined);
  equal(await t.store.pushConfigs(scope, taskId, { limit: 10, id: 'a' }), undefined);
  equal(await t.store.putPushConfig(scope, taskId, pushConfig('a', { dialect: '0.1' }), 10), undefined);
  equal(await t.store.putPushConfig(scope, taskId, pushConfig('z'), 0), undefined);
  equal(await t.store.deletePushConfig(scope, taskId, 'a'), undefined);
}
