import { deepEqual, equal } from 'node:assert/strict';

import type { Behaviours } from './behaviours.ts';
import {
  ALICE,
  append,
  create,
  end,
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
  status,
  times,
  TTL,
} from './samples.ts';

/** For durable stores. */
export const durability: Behaviours = {
  'all stored data is there when the store is opened again': async (subject) => {
    const { store } = subject;
    await create(store, newTask('paused', { alias: 'homework', metadata: { a: null } }));
    await append(store, 'paused', {
      status: status('TASK_STATE_INPUT_REQUIRED', START + 5),
      events: [event('a', 'artifact'), event('b', 'artifact')],
      journal: [entry('x'), entry('y')],
      history: [message('m')],
      question: 'q-1',
      wakeAt: null,
      artifacts: '["a","b"]',
      canceling: true,
    });
    await append(store, 'paused', { events: [event('c', 'artifact')] });
    await create(store, newTask('ended'));
    await append(store, 'ended', end(START + 1));
    await create(store, provisionalTask('provisional', { wakeAt: START + 99 }));
    const ids = ['paused', 'ended', 'provisional'];
    const before = await Promise.all(ids.map((id) => everythingOf(store, id)));
    const list = await store.list(ALICE, { limit: 10, artifacts: true });

    const again = await subject.reopen();

    deepEqual(await Promise.all(ids.map((id) => everythingOf(again, id))), before);
    deepEqual(await again.list(ALICE, { limit: 10, artifacts: true }), list);
    equal(await again.resolveAlias(ALICE, 'homework'), 'paused');
    equal(await again.nextWake(['translator']), START + 99);
  },

  'event and journal numbers continue when the store is opened again': async (subject) => {
    await create(subject.store, newTask('one'));
    await append(subject.store, 'one', { events: [event('a')], journal: [entry('x')] });

    const again = await subject.reopen();

    const { firstEvent, record } = await append(again, 'one', { events: [event('b')], journal: [entry('y')] });
    deepEqual([firstEvent, record.lastJournal], [3, 2]);
    deepEqual(
      (await again.events('one', 0, 10)).map(({ number }) => number),
      [1, 2, 3],
    );
    deepEqual(
      (await again.journal('one')).map(({ number }) => number),
      [1, 2],
    );
  },

  'idempotency keys and replies are still known when the store is opened again': async (subject) => {
    await create(subject.store, newTask('one', { idempotency: key('k-1') }));
    await append(subject.store, 'one', { idempotency: key('k-2') });
    await create(subject.store, provisionalTask('two', { node: 'node-a', idempotency: key('k-3') }));
    await subject.store.dropForReply('two', { node: 'node-a', fence: 1 }, message('reply'));

    const again = await subject.reopen();

    const one = { kind: 'repeated', taskId: 'one' };
    deepEqual(await again.create(newTask('three', { idempotency: key('k-1') })), one);
    deepEqual(await again.append({ taskId: 'one', guard: {}, idempotency: key('k-2') }), one);
    deepEqual(await again.create(newTask('three', { idempotency: key('k-3') })), {
      kind: 'repeated',
      taskId: 'two',
      reply: message('reply'),
    });
    deepEqual(await again.create(newTask('three', { idempotency: key('k-1', 'digest-2') })), { kind: 'key-reused' });
  },

  'a write with an old lease is rejected after the task was claimed again, also across a restart': async (subject) => {
    const { store, clock } = subject;
    await create(store, newTask('one'));
    const old = await lease(store, 'node-a', 'one');
    clock.advance(TTL);

    const again = await subject.reopen();

    const { fence } = await lease(again, 'node-b', 'one');
    equal(fence > old.fence, true);
    const stale = { taskId: 'one', guard: { lease: { node: 'node-a', fence: old.fence } }, events: [event('a')] };
    equal((await again.append(stale)).kind, 'rejected');
    equal((await again.append({ ...stale, guard: { lease: { node: 'node-b', fence } } })).kind, 'appended');
  },

  'removed tasks stay removed when the store is opened again': async (subject) => {
    await create(subject.store, newTask('one', { alias: 'homework' }));
    await append(subject.store, 'one', end());
    await subject.store.prune({ endedBefore: START + 1, keepEnded: 0, eventsEndedBefore: START, limit: 10 });

    const again = await subject.reopen();

    deepEqual(await everythingOf(again, 'one'), { task: undefined, events: [], journal: [] });
    equal(await again.resolveAlias(ALICE, 'homework'), undefined);
  },

  'of the writes in progress at the close, exactly those that succeeded are stored': async (subject) => {
    const { store } = subject;
    await create(store, newTask('one'));
    const writes = Promise.allSettled(times(50).map((i) => append(store, 'one', { events: [event(`${i}`)] })));
    const again = await subject.reopen();

    const stored = (await writes).flatMap((result) => (result.status === 'fulfilled' ? [result.value.firstEvent] : []));

    const events = await again.events('one', 1, 100);
    deepEqual(
      events.map(({ number }) => number),
      stored.sort((a, b) => a - b),
    );
  },

  'a store can be closed and opened many times': async (subject) => {
    for (const i of times(3)) {
      await create(subject.store, newTask(`task-${i}`));
      await subject.reopen();
    }

    equal((await listed(subject.store)).total, 3);
  },
};
