import { deepEqual, equal } from 'node:assert/strict';

import type { Behaviours } from './behaviours.ts';
import {
  ALICE,
  append,
  assertUnknown,
  create,
  entry,
  event,
  everythingOf,
  key,
  lease,
  listed,
  message,
  newTask,
  provisionalTask,
  START,
  TTL,
} from './samples.ts';

const REPLY = message('reply', 'Bonjour');

export const provisional: Behaviours = {
  'a task that is concurrently written and dropped is gone': async ({ store }) => {
    await create(store, provisionalTask('one', { node: 'node-a' }));
    const results = await Promise.all([
      store.append({ taskId: 'one', guard: {}, wakeAt: START + 5 }),
      store.dropForReply('one', { node: 'node-a', fence: 1 }, message('reply')),
    ]);

    deepEqual([results[0].kind, results[1]], ['appended', true]);
    await assertUnknown(store, 'one');
  },

  'a task that is concurrently created, written and dropped is gone': async ({ store }) => {
    const results = await Promise.all([
      store.create(provisionalTask('one', { node: 'node-a' })),
      store.append({ taskId: 'one', guard: {}, wakeAt: START + 5, history: [message('next')] }),
      store.dropForReply('one', { node: 'node-a', fence: 1 }, message('reply')),
    ]);

    deepEqual([results[0].kind, results[1].kind, results[2]], ['created', 'appended', true]);
    await assertUnknown(store, 'one');
  },

  'a task without an event is provisional: readable, but not listed': async ({ store }) => {
    const record = await create(store, provisionalTask('one'));

    deepEqual({ visible: record.visible, lastEvent: record.lastEvent }, { visible: false, lastEvent: 0 });
    deepEqual(await store.read(ALICE, 'one'), { record, history: [message('first of one')] });
    deepEqual(await store.events('one', 0, 10), []);
    deepEqual(await listed(store), { ids: [], total: 0 });
    const filters = { contextId: record.contextId, states: [record.status.state], statusSince: START };
    deepEqual(await listed(store, filters), { ids: [], total: 0 });
  },

  'a provisional task becomes visible by a write and stays visible': async ({ store }) => {
    await create(store, provisionalTask('one'));

    const { record, firstEvent } = await append(store, 'one', { visible: true, events: [event('created', 'task')] });

    deepEqual({ visible: record.visible, firstEvent }, { visible: true, firstEvent: 1 });
    deepEqual(await listed(store), { ids: ['one'], total: 1 });
    equal((await append(store, 'one', { events: [event('more')] })).record.visible, true);
  },

  'writes that do not make a task visible leave it provisional': async ({ store }) => {
    await create(store, provisionalTask('one'));

    const { record } = await append(store, 'one', { journal: [entry('a')], wakeAt: START + 1 });

    equal(record.visible, false);
    deepEqual(await listed(store), { ids: [], total: 0 });
  },

  'the alias of a task that was dropped for a reply can be used by the next write': async ({ store }) => {
    await create(store, provisionalTask('one', { node: 'node-a', alias: 'homework' }));
    const dropped = store.dropForReply('one', { node: 'node-a', fence: 1 }, message('reply'));
    const made = store.create(newTask('two', { alias: 'homework' }));

    equal(await dropped, true);
    equal((await made).kind, 'created');
    equal(await store.resolveAlias(ALICE, 'homework'), 'two');
  },

  'a provisional task that is dropped for a reply is gone with all its data': async ({ store }) => {
    await create(store, provisionalTask('one', { node: 'node-a', alias: 'homework' }));
    await append(store, 'one', { journal: [entry('a')], history: [message('m-2')], artifacts: '[]' });
    await create(store, newTask('other'));

    equal(await store.dropForReply('one', { node: 'node-a', fence: 1 }, REPLY), true);

    await assertUnknown(store, 'one');
    equal(await store.resolveAlias(ALICE, 'homework'), undefined);
    deepEqual(await store.claim({ node: 'node-b', agents: ['translator'], limit: 10 }).then(ids), ['other']);
    deepEqual(await listed(store), { ids: ['other'], total: 1 });
    await create(store, newTask('two', { alias: 'homework' }));
  },

  'a new task with the id of a dropped one has none of its data': async ({ store }) => {
    await create(store, provisionalTask('one', { node: 'node-a' }));
    await append(store, 'one', { journal: [entry('a')], events: [event('a', 'artifact')], artifacts: '["old"]' });
    await store.dropForReply('one', { node: 'node-a', fence: 1 }, REPLY);

    const record = await create(store, newTask('one', { message: message('new') }));

    deepEqual(await everythingOf(store, 'one'), {
      task: { record, history: [message('new')], artifacts: { tail: [] } },
      events: [{ number: 1, ...event('created', 'task') }],
      journal: [],
    });
  },

  'a repeated request returns the reply for which its task was dropped': async ({ store }) => {
    await create(store, provisionalTask('one', { node: 'node-a', idempotency: key('k') }));
    await store.dropForReply('one', { node: 'node-a', fence: 1 }, REPLY);

    deepEqual(await store.create(provisionalTask('two', { idempotency: key('k') })), {
      kind: 'repeated',
      taskId: 'one',
      reply: REPLY,
    });
    deepEqual(await store.create(provisionalTask('two', { idempotency: key('k', 'digest-2') })), {
      kind: 'key-reused',
    });
    equal(await store.read(ALICE, 'two'), undefined);
  },

  'a visible task cannot be dropped': async ({ store }) => {
    await create(store, newTask('one', { node: 'node-a', idempotency: key('k') }));
    const before = await everythingOf(store, 'one');

    equal(await store.dropForReply('one', { node: 'node-a', fence: 1 }, REPLY), false);

    deepEqual(await everythingOf(store, 'one'), before);
    const again = await store.create(newTask('two', { idempotency: key('k') }));
    deepEqual(again, { kind: 'repeated', taskId: 'one' });
  },

  'only the holder of the lease can drop a task': async ({ store, clock }) => {
    await store.heartbeat('node-a', TTL);
    await create(store, provisionalTask('one', { node: 'node-a' }));
    clock.advance(TTL);
    await lease(store, 'node-b', 'one');
    const before = await everythingOf(store, 'one');

    equal(await store.dropForReply('one', { node: 'node-a', fence: 1 }, REPLY), false);
    equal(await store.dropForReply('one', { node: 'node-a', fence: 2 }, REPLY), false);
    equal(await store.dropForReply('one', { node: 'node-b', fence: 1 }, REPLY), false);
    equal(await store.dropForReply('one', { node: 'node-b', fence: 3 }, REPLY), false);
    deepEqual(await everythingOf(store, 'one'), before);

    equal(await store.dropForReply('one', { node: 'node-b', fence: 2 }, REPLY), true);
    equal(await store.dropForReply('one', { node: 'node-b', fence: 2 }, REPLY), false);
  },

  'a task that was never created cannot be dropped': async ({ store }) => {
    equal(await store.dropForReply('one', { node: 'node-a', fence: 1 }, REPLY), false);
  },
};

function ids(records: readonly { readonly id: string }[]): readonly string[] {
  return records.map(({ id }) => id);
}
