import { deepEqual, equal } from 'node:assert/strict';

import type { Scope, Store } from '../../../store/store.ts';
import type { Behaviours } from '../behaviours.ts';
import {
  ALICE,
  append,
  create,
  end,
  event,
  everythingOf,
  key,
  message,
  newTask,
  provisionalTask,
  pushConfig,
  pushIds,
  putPush,
  START,
} from '../samples.ts';

const STRANGERS: readonly (readonly [string, Scope])[] = [
  ['another owner', { ...ALICE, owner: 'bob' }],
  ['the same owner in another tenant', { ...ALICE, tenant: 'globex' }],
  ['an owner and a tenant with swapped names', { tenant: ALICE.owner, owner: ALICE.tenant }],
];

/** How push configurations depend on their task. */
export const pushConfigLife: Behaviours = {
  'a push configuration can be created with its task, but not with a repeated creation': async ({ store }) => {
    const task = newTask('one', { pushConfig: pushConfig('a'), alias: 'homework', idempotency: key('k') });
    await create(store, task);
    const more = { id: 'two', pushConfig: pushConfig('b') };

    deepEqual(await store.create({ ...task, ...more }), { kind: 'repeated', taskId: 'one' });
    deepEqual(await store.create({ ...task, ...more, idempotency: key('k', 'digest-2') }), { kind: 'key-reused' });
    const { idempotency: _, ...named } = task;
    deepEqual(await store.create({ ...named, ...more }), { kind: 'alias-taken', taskId: 'one' });

    deepEqual(await store.pushConfigs(ALICE, 'one', { limit: 10 }), [pushConfig('a')]);
    equal(await store.pushConfigs(ALICE, 'two', { limit: 10 }), undefined);
  },

  'the push configuration of a provisional task becomes visible with the task': async ({ store }) => {
    await create(store, provisionalTask('one', { pushConfig: pushConfig('a') }));
    await assertNoTask(store, ALICE, 'one');

    await append(store, 'one', { visible: true, events: [event('created', 'task')] });

    deepEqual(await pushIds(store, 'one'), ['a']);
  },

  'a task that was not created has no push configurations and accepts none': async ({ store }) => {
    await assertNoTask(store, ALICE, 'one');
    await create(store, newTask('one'));
    deepEqual(await pushIds(store, 'one'), []);
  },

  ...Object.fromEntries(
    STRANGERS.map(([who, scope]): [string, Behaviours[string]] => [
      `${who} cannot see or change the push configurations of a task`,
      async ({ store }) => {
        await create(store, newTask('one', { pushConfig: pushConfig('a') }));

        await assertNoTask(store, scope, 'one');

        deepEqual(await store.pushConfigs(ALICE, 'one', { limit: 10 }), [pushConfig('a')]);
      },
    ]),
  ),

  'a task that has ended keeps its push configurations and accepts new ones': async ({ store }) => {
    await create(store, newTask('one', { pushConfig: pushConfig('a') }));
    await append(store, 'one', end());

    equal((await putPush(store, 'one', pushConfig('b')))?.kind, 'stored');
    deepEqual(await pushIds(store, 'one'), ['a', 'b']);
    equal(await store.deletePushConfig(ALICE, 'one', 'a'), true);
    await store.prune({ endedBefore: 0, keepEnded: 1, eventsEndedBefore: START + 1, limit: 10 });
    deepEqual(await pushIds(store, 'one'), ['b']);
  },

  'push configurations do not change their task': async ({ store }) => {
    await create(store, newTask('one'));
    const before = await everythingOf(store, 'one');

    await putPush(store, 'one', pushConfig('a'));
    await store.deletePushConfig(ALICE, 'one', 'a');

    deepEqual(await everythingOf(store, 'one'), before);
    deepEqual((await append(store, 'one', { events: [event('b')] })).firstEvent, 2);
  },

  'a push configuration added by a write is due for the events of that write and later ones': async ({ store }) => {
    await create(store, newTask('one'));
    const put = { record: pushConfig('a'), max: 1 };

    const written = await append(store, 'one', { events: [event('b')], pushConfig: put });

    equal(written.record.pushed, true);
    deepEqual(await pushIds(store, 'one'), ['a']);
    deepEqual(await deliveredOf(store), ['a delivered 1']);
    await append(store, 'one', { events: [event('c')] });
    deepEqual(await deliveredOf(store), ['a delivered 1']);
  },

  'a push configuration added by a write replaces the one with the same id': async ({ store }) => {
    await create(store, newTask('one', { pushConfig: pushConfig('a') }));
    for (const id of ['b', 'c']) await putPush(store, 'one', pushConfig(id));
    const record = pushConfig('b', { dialect: '0.3', createdAt: START + 1 });

    await append(store, 'one', { events: [event('b')], pushConfig: { record, max: 3 } });

    deepEqual(await pushIds(store, 'one'), ['a', 'b', 'c']);
    deepEqual((await store.pushConfigs(ALICE, 'one', { id: 'b', limit: 1 }))?.[0], { ...record, createdAt: START });
  },

  'a write whose push configuration exceeds the limit changes nothing': async ({ store }) => {
    await create(store, newTask('one', { pushConfig: pushConfig('a') }));
    const before = await everythingOf(store, 'one');
    const pushed = { record: pushConfig('b'), max: 1 };
    const write = { taskId: 'one', guard: {}, events: [event('b')], history: [message('b')], idempotency: key('k') };

    deepEqual(await store.append({ ...write, pushConfig: pushed }), { kind: 'full' });

    deepEqual(await everythingOf(store, 'one'), before);
    deepEqual(await pushIds(store, 'one'), ['a']);
    equal((await store.append(write)).kind, 'appended');
  },

  'a rejected or repeated write does not change push configurations': async ({ store }) => {
    await create(store, newTask('one', { pushConfig: pushConfig('a'), idempotency: key('k') }));
    const [claimed] = await claim(store);
    const noted = { taskId: 'one', configId: 'a', node: 'node-a', fence: claimed?.fence ?? 0 };
    await store.notePush({ ...noted, told: 0, attempts: 3, givenUp: 0, failingSince: START, disabled: 'gone' });
    const record = pushConfig('a', { config: { id: 'a', url: 'https://example.org/' } });
    const write = { taskId: 'one', events: [event('b')], pushConfig: { record, max: 2 } };

    equal((await store.append({ ...write, guard: { question: 'q' } })).kind, 'rejected');
    equal((await store.append({ ...write, guard: {}, idempotency: key('k') })).kind, 'repeated');
    equal((await store.append({ ...write, guard: {}, idempotency: key('k', 'other') })).kind, 'key-reused');

    deepEqual(await store.pushConfigs(ALICE, 'one', { limit: 10 }), [pushConfig('a')]);
    deepEqual(await deliveredOf(store), []);
    await append(store, 'one', { pushConfig: { record, max: 2 } });
    deepEqual(await deliveredOf(store), ['a delivered 0']);
  },

  'push configurations added by concurrent writes all count against the limit': async ({ store }) => {
    await create(store, newTask('one'));
    const results = await Promise.all(
      ['a', 'b', 'a', 'c'].map((id) =>
        store.append({ taskId: 'one', guard: {}, pushConfig: { record: pushConfig(id), max: 2 } }),
      ),
    );
    deepEqual(
      results.map(({ kind }) => kind),
      ['appended', 'appended', 'appended', 'full'],
    );
    deepEqual(await pushIds(store, 'one'), ['a', 'b']);
  },

  'removing a task removes its push configurations and no others': async ({ store }) => {
    for (const id of ['one', 'two']) {
      await create(store, newTask(id, { pushConfig: pushConfig('a') }));
      await putPush(store, id, pushConfig('b'));
    }
    await append(store, 'two', end());
    equal(await store.prune({ endedBefore: START + 1, keepEnded: 10, eventsEndedBefore: 0, limit: 10 }), 1);

    await assertNoTask(store, ALICE, 'two');
    // A store may reuse the row of the removed task.
    for (const id of ['two', 'three']) await create(store, newTask(id));
    deepEqual(await Promise.all(['one', 'two', 'three'].map((id) => pushIds(store, id))), [['a', 'b'], [], []]);
  },

  'dropping a task for a reply removes its push configurations': async ({ store }) => {
    await create(store, provisionalTask('one', { node: 'node-a', pushConfig: pushConfig('a') }));
    equal(await store.dropForReply('one', { node: 'node-a', fence: 1 }, message('reply')), true);

    await assertNoTask(store, ALICE, 'one');
    for (const id of ['one', 'two']) await create(store, newTask(id));
    deepEqual(await Promise.all(['one', 'two'].map((id) => pushIds(store, id))), [[], []]);
  },

  'concurrently creating and dropping a task leaves no push configurations': async ({ store }) => {
    const made = create(store, provisionalTask('one', { node: 'node-a', pushConfig: pushConfig('a') }));
    const dropped = store.dropForReply('one', { node: 'node-a', fence: 1 }, message('reply'));
    await made;
    equal(await dropped, true);

    for (const id of ['two', 'three']) await create(store, newTask(id));
    deepEqual(await Promise.all(['two', 'three'].map((id) => pushIds(store, id))), [[], []]);
  },
};

function claim(store: Store): ReturnType<Store['claimPushes']> {
  return store.claimPushes({
    node: 'node-a',
    agents: ['translator'],
    limit: 10,
    perReceiver: 10,
    perOwner: 10,
    held: [],
  });
}

/** The push configurations that are due, and the last event delivered to each. */
async function deliveredOf(store: Store): Promise<readonly string[]> {
  return (await claim(store)).map(({ configId, told }) => `${configId} delivered ${told}`);
}

/** For durable stores. */
export const durablePushConfigs: Behaviours = {
  'push configurations are stored in their order when the store is opened again': async (subject) => {
    const { store } = subject;
    await create(store, newTask('one', { pushConfig: pushConfig('c') }));
    for (const id of ['a', 'b', 'd']) await putPush(store, 'one', pushConfig(id));
    await store.deletePushConfig(ALICE, 'one', 'a');
    await putPush(store, 'one', pushConfig('c', { dialect: '0.3' }));
    const before = await store.pushConfigs(ALICE, 'one', { limit: 10 });

    const again = await subject.reopen();

    deepEqual(await pushIds(again, 'one'), ['c', 'b', 'd']);
    deepEqual(await again.pushConfigs(ALICE, 'one', { limit: 10 }), before);
    deepEqual(await putPush(again, 'one', pushConfig('e'), 3), { kind: 'full' });
    await putPush(again, 'one', pushConfig('a'));
    deepEqual(await pushIds(again, 'one'), ['c', 'b', 'd', 'a']);
  },

  'push configurations of removed tasks stay removed when the store is opened again': async (subject) => {
    const { store } = subject;
    await create(store, newTask('one', { pushConfig: pushConfig('a') }));
    await append(store, 'one', end());
    await store.prune({ endedBefore: START + 1, keepEnded: 10, eventsEndedBefore: 0, limit: 10 });

    const again = await subject.reopen();

    await assertNoTask(again, ALICE, 'one');
    await create(again, newTask('one'));
    deepEqual(await pushIds(again, 'one'), []);
  },
};

/** Checks that every call reports an unknown task and changes nothing. */
async function assertNoTask(store: Store, scope: Scope, taskId: string): Promise<void> {
  equal(await store.pushConfigs(scope, taskId, { limit: 10 }), undefined);
  equal(await store.pushConfigs(scope, taskId, { limit: 10, id: 'a' }), undefined);
  equal(await store.putPushConfig(scope, taskId, pushConfig('a', { dialect: '0.1' }), 10), undefined);
  equal(await store.putPushConfig(scope, taskId, pushConfig('z'), 0), undefined);
  equal(await store.deletePushConfig(scope, taskId, 'a'), undefined);
}
