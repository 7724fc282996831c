import { deepEqual, equal } from 'node:assert/strict';

import type { Scope, Store } from '../../store/store.ts';
import type { Behaviours } from './behaviours.ts';
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
} from './samples.ts';

const STRANGERS: readonly (readonly [string, Scope])[] = [
  ['another owner', { ...ALICE, owner: 'bob' }],
  ['the same owner in another tenant', { ...ALICE, tenant: 'globex' }],
  ['owner and tenant in each other’s place', { tenant: ALICE.owner, owner: ALICE.tenant }],
];

/** Push configurations share the life of their task. */
export const pushConfigLife: Behaviours = {
  'a push configuration may come with its task, but not with a repeat of it': async ({ store }) => {
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

  'the push configuration of a provisional task shows itself with the task': async ({ store }) => {
    await create(store, provisionalTask('one', { pushConfig: pushConfig('a') }));
    await assertNoTask(store, ALICE, 'one');

    await append(store, 'one', { visible: true, events: [event('created', 'task')] });

    deepEqual(await pushIds(store, 'one'), ['a']);
  },

  'a task that nobody created has no push configurations and takes none': async ({ store }) => {
    await assertNoTask(store, ALICE, 'one');
    await create(store, newTask('one'));
    deepEqual(await pushIds(store, 'one'), []);
  },

  ...Object.fromEntries(
    STRANGERS.map(([who, scope]): [string, Behaviours[string]] => [
      `for ${who} the push configurations of a task are as if unknown`,
      async ({ store }) => {
        await create(store, newTask('one', { pushConfig: pushConfig('a') }));

        await assertNoTask(store, scope, 'one');

        deepEqual(await store.pushConfigs(ALICE, 'one', { limit: 10 }), [pushConfig('a')]);
      },
    ]),
  ),

  'a task that has ended keeps its push configurations, and takes new ones': async ({ store }) => {
    await create(store, newTask('one', { pushConfig: pushConfig('a') }));
    await append(store, 'one', end());

    equal((await putPush(store, 'one', pushConfig('b')))?.kind, 'stored');
    deepEqual(await pushIds(store, 'one'), ['a', 'b']);
    equal(await store.deletePushConfig(ALICE, 'one', 'a'), true);
    await store.prune({ endedBefore: 0, keepEnded: 1, eventsEndedBefore: START + 1, limit: 10 });
    deepEqual(await pushIds(store, 'one'), ['b']);
  },

  'push configurations leave the task as it is': async ({ store }) => {
    await create(store, newTask('one'));
    const before = await everythingOf(store, 'one');

    await putPush(store, 'one', pushConfig('a'));
    await store.deletePushConfig(ALICE, 'one', 'a');

    deepEqual(await everythingOf(store, 'one'), before);
    deepEqual((await append(store, 'one', { events: [event('b')] })).firstEvent, 2);
  },

  'a push configuration may come with a write, and is told of it and of what follows': async ({ store }) => {
    await create(store, newTask('one'));
    const put = { record: pushConfig('a'), max: 1 };

    const written = await append(store, 'one', { events: [event('b')], pushConfig: put });

    equal(written.record.pushed, true);
    deepEqual(await pushIds(store, 'one'), ['a']);
    deepEqual(await toldOf(store), ['a told 1']);
    await append(store, 'one', { events: [event('c')] });
    deepEqual(await toldOf(store), ['a told 1']);
  },

  'a push configuration that comes with a write takes the place of the one with its id': async ({ store }) => {
    await create(store, newTask('one', { pushConfig: pushConfig('a') }));
    for (const id of ['b', 'c']) await putPush(store, 'one', pushConfig(id));
    const record = pushConfig('b', { dialect: '0.3', createdAt: START + 1 });

    await append(store, 'one', { events: [event('b')], pushConfig: { record, max: 3 } });

    deepEqual(await pushIds(store, 'one'), ['a', 'b', 'c']);
    deepEqual((await store.pushConfigs(ALICE, 'one', { id: 'b', limit: 1 }))?.[0], { ...record, createdAt: START });
  },

  'a write whose push configuration finds no room changes nothing': async ({ store }) => {
    await create(store, newTask('one', { pushConfig: pushConfig('a') }));
    const before = await everythingOf(store, 'one');
    const pushed = { record: pushConfig('b'), max: 1 };
    const write = { taskId: 'one', guard: {}, events: [event('b')], history: [message('b')], idempotency: key('k') };

    deepEqual(await store.append({ ...write, pushConfig: pushed }), { kind: 'full' });

    deepEqual(await everythingOf(store, 'one'), before);
    deepEqual(await pushIds(store, 'one'), ['a']);
    equal((await store.append(write)).kind, 'appended');
  },

  'a write that is refused, or a repeat, leaves push configurations as they are': async ({ store }) => {
    await create(store, newTask('one', { pushConfig: pushConfig('a'), idempotency: key('k') }));
    const [claimed] = await claim(store);
    const noted = { taskId: 'one', configId: 'a', node: 'node-a', fence: claimed?.fence ?? 0 };
    await store.notePush({ ...noted, told: 0, attempts: 3, givenUp: 0, failingSince: START, disabled: 'gone' });
    const record = pushConfig('a', { config: { id: 'a', url: 'https://example.org/' } });
    const write = { taskId: 'one', events: [event('b')], pushConfig: { record, max: 2 } };

    equal((await store.append({ ...write, guard: { question: 'q' } })).kind, 'refused');
    equal((await store.append({ ...write, guard: {}, idempotency: key('k') })).kind, 'repeated');
    equal((await store.append({ ...write, guard: {}, idempotency: key('k', 'other') })).kind, 'key-reused');

    deepEqual(await store.pushConfigs(ALICE, 'one', { limit: 10 }), [pushConfig('a')]);
    deepEqual(await toldOf(store), []);
    await append(store, 'one', { pushConfig: { record, max: 2 } });
    deepEqual(await toldOf(store), ['a told 0']);
  },

  'several push configurations that come at once with writes all count': async ({ store }) => {
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

  'push configurations go with a task that is removed, and with no other': async ({ store }) => {
    for (const id of ['one', 'two']) {
      await create(store, newTask(id, { pushConfig: pushConfig('a') }));
      await putPush(store, id, pushConfig('b'));
    }
    await append(store, 'two', end());
    equal(await store.prune({ endedBefore: START + 1, keepEnded: 10, eventsEndedBefore: 0, limit: 10 }), 1);

    await assertNoTask(store, ALICE, 'two');
    // A store may give the next task the place of the one that went.
    for (const id of ['two', 'three']) await create(store, newTask(id));
    deepEqual(await Promise.all(['one', 'two', 'three'].map((id) => pushIds(store, id))), [['a', 'b'], [], []]);
  },

  'push configurations go with a task that is dropped for a reply': async ({ store }) => {
    await create(store, provisionalTask('one', { node: 'node-a', pushConfig: pushConfig('a') }));
    equal(await store.dropForReply('one', { node: 'node-a', fence: 1 }, message('reply')), true);

    await assertNoTask(store, ALICE, 'one');
    for (const id of ['one', 'two']) await create(store, newTask(id));
    deepEqual(await Promise.all(['one', 'two'].map((id) => pushIds(store, id))), [[], []]);
  },

  'push configurations go with a task that is made and dropped at once': async ({ store }) => {
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

/** Who is due, and how far they were told. */
async function toldOf(store: Store): Promise<readonly string[]> {
  return (await claim(store)).map(({ configId, told }) => `${configId} told ${told}`);
}

/** For stores that outlive their process. */
export const durablePushConfigs: Behaviours = {
  'push configurations are there when the store is opened again, in their order': async (subject) => {
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

  'push configurations that went with their task stay gone': async (subject) => {
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

/** Checks that every call says that there is no such task, and changes nothing. */
async function assertNoTask(store: Store, scope: Scope, taskId: string): Promise<void> {
  equal(await store.pushConfigs(scope, taskId, { limit: 10 }), undefined);
  equal(await store.pushConfigs(scope, taskId, { limit: 10, id: 'a' }), undefined);
  equal(await store.putPushConfig(scope, taskId, pushConfig('a', { dialect: '0.1' }), 10), undefined);
  equal(await store.putPushConfig(scope, taskId, pushConfig('z'), 0), undefined);
  equal(await store.deletePushConfig(scope, taskId, 'a'), undefined);
}
