import { deepEqual, equal } from 'node:assert/strict';

import type { Behaviours } from './subject.ts';
import { ALICE, end, entry, event, key, message, newTask, pluck, START, status, times, TTL } from './samples.ts';

/** For durable stores. */
export const durability: Behaviours = {
  'all stored data is there when the store is opened again': async (t) => {
    await t.create('paused', { alias: 'homework', metadata: { a: null } });
    await t.append('paused', {
      status: status('TASK_STATE_INPUT_REQUIRED', START + 5),
      events: [event('a', 'artifact'), event('b', 'artifact')],
      journal: [entry('x'), entry('y')],
      history: [message('m')],
      question: 'q-1',
      wakeAt: null,
      artifacts: '["a","b"]',
      canceling: true,
    });
    await t.append('paused', { events: [event('c', 'artifact')] });
    await t.create('ended');
    await t.append('ended', end(START + 1));
    await t.createProvisional('provisional', { wakeAt: START + 99 });
    const ids = ['paused', 'ended', 'provisional'];
    const before = await Promise.all(ids.map((id) => t.everythingOf(id)));
    const list = await t.store.list(ALICE, { limit: 10, artifacts: true });

    await t.reopen();

    deepEqual(await Promise.all(ids.map((id) => t.everythingOf(id))), before);
    deepEqual(await t.store.list(ALICE, { limit: 10, artifacts: true }), list);
    equal(await t.store.resolveAlias(ALICE, 'homework'), 'paused');
    equal(await t.store.nextWake(['translator']), START + 99);
  },

  'event and journal numbers continue when the store is opened again': async (t) => {
    await t.create('one');
    await t.append('one', { events: [event('a')], journal: [entry('x')] });

    await t.reopen();

    const { firstEvent, record } = await t.append('one', { events: [event('b')], journal: [entry('y')] });
    deepEqual([firstEvent, record.lastJournal], [3, 2]);
    deepEqual(pluck(await t.store.events('one', 0, 10), 'number'), [1, 2, 3]);
    deepEqual(pluck(await t.store.journal('one'), 'number'), [1, 2]);
  },

  'idempotency keys and replies are still known when the store is opened again': async (t) => {
    await t.create('one', { idempotency: key('k-1') });
    await t.append('one', { idempotency: key('k-2') });
    await t.createProvisional('two', { node: 'node-a', idempotency: key('k-3') });
    await t.store.dropForReply('two', { node: 'node-a', fence: 1 }, message('reply'));

    await t.reopen();

    const one = { kind: 'repeated', taskId: 'one' };
    deepEqual(await t.store.create(newTask('three', { idempotency: key('k-1') })), one);
    deepEqual(await t.store.append({ taskId: 'one', guard: {}, idempotency: key('k-2') }), one);
    deepEqual(await t.store.create(newTask('three', { idempotency: key('k-3') })), {
      kind: 'repeated',
      taskId: 'two',
      reply: message('reply'),
    });
    deepEqual(await t.store.create(newTask('three', { idempotency: key('k-1', 'digest-2') })), { kind: 'key-reused' });
  },

  'a write with an old lease is rejected after the task was claimed again, also across a restart': async (t) => {
    await t.create('one');
    const old = await t.lease('node-a', 'one');
    t.clock.advance(TTL);

    await t.reopen();

    const { fence } = await t.lease('node-b', 'one');
    equal(fence > old.fence, true);
    const stale = { taskId: 'one', guard: { lease: { node: 'node-a', fence: old.fence } }, events: [event('a')] };
    equal((await t.store.append(stale)).kind, 'rejected');
    equal((await t.store.append({ ...stale, guard: { lease: { node: 'node-b', fence } } })).kind, 'appended');
  },

  'removed tasks stay removed when the store is opened again': async (t) => {
    await t.create('one', { alias: 'homework' });
    await t.append('one', end());
    await t.store.prune({ endedBefore: START + 1, keepEnded: 0, eventsEndedBefore: START, limit: 10 });

    await t.reopen();

    deepEqual(await t.everythingOf('one'), { task: undefined, events: [], journal: [] });
    equal(await t.store.resolveAlias(ALICE, 'homework'), undefined);
  },

  'of the writes in progress at the close, exactly those that succeeded are stored': async (t) => {
    await t.create('one');
    const writes = Promise.allSettled(times(50).map((i) => t.append('one', { events: [event(`${i}`)] })));
    await t.reopen();

    const stored = (await writes).flatMap((result) => (result.status === 'fulfilled' ? [result.value.firstEvent] : []));

    const events = await t.store.events('one', 1, 100);
    deepEqual(
      pluck(events, 'number'),
      stored.sort((a, b) => a - b),
    );
  },

  'a store can be closed and opened many times': async (t) => {
    for (const i of times(3)) {
      await t.create(`task-${i}`);
      await t.reopen();
    }

    equal((await t.listed()).total, 3);
  },
};
