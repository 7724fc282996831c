import { deepEqual, equal } from 'node:assert/strict';

import type { Behaviours } from './subject.ts';
import { ALICE, entry, event, key, message, newTask, provisionalTask, START, TTL } from './samples.ts';

const REPLY = message('reply', 'Bonjour');

export const provisional: Behaviours = {
  'a task that is concurrently written and dropped is gone': async (t) => {
    await t.createProvisional('one', { node: 'node-a' });
    const results = await Promise.all([
      t.store.append({ taskId: 'one', guard: {}, wakeAt: START + 5 }),
      t.store.dropForReply('one', { node: 'node-a', fence: 1 }, message('reply')),
    ]);

    deepEqual([results[0].kind, results[1]], ['appended', true]);
    await t.assertUnknown('one');
  },

  'a task that is concurrently created, written and dropped is gone': async (t) => {
    const results = await Promise.all([
      t.store.create(provisionalTask('one', { node: 'node-a' })),
      t.store.append({ taskId: 'one', guard: {}, wakeAt: START + 5, history: [message('next')] }),
      t.store.dropForReply('one', { node: 'node-a', fence: 1 }, message('reply')),
    ]);

    deepEqual([results[0].kind, results[1].kind, results[2]], ['created', 'appended', true]);
    await t.assertUnknown('one');
  },

  'a task without an event is provisional: readable, but not listed': async (t) => {
    const record = await t.createProvisional('one');

    deepEqual({ visible: record.visible, lastEvent: record.lastEvent }, { visible: false, lastEvent: 0 });
    deepEqual(await t.store.read(ALICE, 'one'), { record, history: [message('first of one')] });
    deepEqual(await t.store.events('one', 0, 10), []);
    deepEqual(await t.listed(), { ids: [], total: 0 });
    const filters = { contextId: record.contextId, states: [record.status.state], statusSince: START };
    deepEqual(await t.listed(filters), { ids: [], total: 0 });
  },

  'a provisional task becomes visible by a write and stays visible': async (t) => {
    await t.createProvisional('one');

    const { record, firstEvent } = await t.append('one', { visible: true, events: [event('created', 'task')] });

    deepEqual({ visible: record.visible, firstEvent }, { visible: true, firstEvent: 1 });
    deepEqual(await t.listed(), { ids: ['one'], total: 1 });
    equal((await t.append('one', { events: [event('more')] })).record.visible, true);
  },

  'writes that do not make a task visible leave it provisional': async (t) => {
    await t.createProvisional('one');

    const { record } = await t.append('one', { journal: [entry('a')], wakeAt: START + 1 });

    equal(record.visible, false);
    deepEqual(await t.listed(), { ids: [], total: 0 });
  },

  'the alias of a task that was dropped for a reply can be used by the next write': async (t) => {
    await t.createProvisional('one', { node: 'node-a', alias: 'homework' });
    const dropped = t.store.dropForReply('one', { node: 'node-a', fence: 1 }, message('reply'));
    const made = t.store.create(newTask('two', { alias: 'homework' }));

    equal(await dropped, true);
    equal((await made).kind, 'created');
    equal(await t.store.resolveAlias(ALICE, 'homework'), 'two');
  },

  'a provisional task that is dropped for a reply is gone with all its data': async (t) => {
    await t.createProvisional('one', { node: 'node-a', alias: 'homework' });
    await t.append('one', { journal: [entry('a')], history: [message('m-2')], artifacts: '[]' });
    await t.create('other');

    equal(await t.store.dropForReply('one', { node: 'node-a', fence: 1 }, REPLY), true);

    await t.assertUnknown('one');
    equal(await t.store.resolveAlias(ALICE, 'homework'), undefined);
    deepEqual(await t.store.claim({ node: 'node-b', agents: ['translator'], limit: 10 }).then(ids), ['other']);
    deepEqual(await t.listed(), { ids: ['other'], total: 1 });
    await t.create('two', { alias: 'homework' });
  },

  'a new task with the id of a dropped one has none of its data': async (t) => {
    await t.createProvisional('one', { node: 'node-a' });
    await t.append('one', { journal: [entry('a')], events: [event('a', 'artifact')], artifacts: '["old"]' });
    await t.store.dropForReply('one', { node: 'node-a', fence: 1 }, REPLY);

    const record = await t.create('one', { message: message('new') });

    deepEqual(await t.everythingOf('one'), {
      task: { record, history: [message('new')], artifacts: { tail: [] } },
      events: [{ number: 1, ...event('created', 'task') }],
      journal: [],
    });
  },

  'a repeated request returns the reply for which its task was dropped': async (t) => {
    await t.createProvisional('one', { node: 'node-a', idempotency: key('k') });
    await t.store.dropForReply('one', { node: 'node-a', fence: 1 }, REPLY);

    deepEqual(await t.store.create(provisionalTask('two', { idempotency: key('k') })), {
      kind: 'repeated',
      taskId: 'one',
      reply: REPLY,
    });
    deepEqual(await t.store.create(provisionalTask('two', { idempotency: key('k', 'digest-2') })), {
      kind: 'key-reused',
    });
    equal(await t.store.read(ALICE, 'two'), undefined);
  },

  'a visible task cannot be dropped': async (t) => {
    await t.create('one', { node: 'node-a', idempotency: key('k') });
    const before = await t.everythingOf('one');

    equal(await t.store.dropForReply('one', { node: 'node-a', fence: 1 }, REPLY), false);

    deepEqual(await t.everythingOf('one'), before);
    const again = await t.store.create(newTask('two', { idempotency: key('k') }));
    deepEqual(again, { kind: 'repeated', taskId: 'one' });
  },

  'only the holder of the lease can drop a task': async (t) => {
    await t.store.heartbeat('node-a', TTL);
    await t.createProvisional('one', { node: 'node-a' });
    t.clock.advance(TTL);
    await t.lease('node-b', 'one');
    const before = await t.everythingOf('one');

    equal(await t.store.dropForReply('one', { node: 'node-a', fence: 1 }, REPLY), false);
    equal(await t.store.dropForReply('one', { node: 'node-a', fence: 2 }, REPLY), false);
    equal(await t.store.dropForReply('one', { node: 'node-b', fence: 1 }, REPLY), false);
    equal(await t.store.dropForReply('one', { node: 'node-b', fence: 3 }, REPLY), false);
    deepEqual(await t.everythingOf('one'), before);

    equal(await t.store.dropForReply('one', { node: 'node-b', fence: 2 }, REPLY), true);
    equal(await t.store.dropForReply('one', { node: 'node-b', fence: 2 }, REPLY), false);
  },

  'a task that was never created cannot be dropped': async (t) => {
    equal(await t.store.dropForReply('one', { node: 'node-a', fence: 1 }, REPLY), false);
  },
};

function ids(records: readonly { readonly id: string }[]): readonly string[] {
  return records.map(({ id }) => id);
}
