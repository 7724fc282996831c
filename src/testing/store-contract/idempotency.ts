import { deepEqual, equal } from 'node:assert/strict';

import type { Behaviours } from './behaviours.ts';
import {
  ALICE,
  append,
  create,
  end,
  event,
  everythingOf,
  HOUR,
  key,
  listed,
  message,
  newTask,
  START,
  times,
} from './samples.ts';

export const idempotency: Behaviours = {
  'a repeated creation returns the task that it created': async ({ store }) => {
    await create(store, newTask('one', { idempotency: key('k') }));
    const before = await everythingOf(store, 'one');

    const again = await store.create(newTask('two', { idempotency: key('k'), message: message('again') }));

    deepEqual(again, { kind: 'repeated', taskId: 'one' });
    deepEqual(await everythingOf(store, 'one'), before);
    equal(await store.read(ALICE, 'two'), undefined);
    deepEqual(await listed(store), { ids: ['one'], total: 1 });
  },

  'a creation that reuses a key with other content is rejected': async ({ store }) => {
    await create(store, newTask('one', { idempotency: key('k', 'digest-1') }));

    const again = await store.create(newTask('two', { idempotency: key('k', 'digest-2') }));

    deepEqual(again, { kind: 'key-reused' });
    equal(await store.read(ALICE, 'two'), undefined);
    // The key still belongs to the first content.
    const first = await store.create(newTask('three', { idempotency: key('k', 'digest-1') }));
    deepEqual(first, { kind: 'repeated', taskId: 'one' });
  },

  'a creation with another key, or none, creates another task': async ({ store }) => {
    await create(store, newTask('one', { idempotency: key('k') }));
    await create(store, newTask('two', { idempotency: key('K') }));
    await create(store, newTask('three'));
    await create(store, newTask('four'));

    equal((await listed(store)).total, 4);
  },

  'one of many equal concurrent creations creates the task and the others return it': async ({ store }) => {
    const results = await Promise.all(
      times(30).map((i) => store.create(newTask(`task-${i}`, { idempotency: key('k') }))),
    );

    const created = results.filter((result) => result.kind === 'created').map(({ record }) => record.id);
    equal(created.length, 1);
    deepEqual(await listed(store), { ids: created, total: 1 });
    deepEqual(
      results.filter(({ kind }) => kind !== 'created'),
      times(29).map(() => ({ kind: 'repeated', taskId: created[0] })),
    );
  },

  'a repeated write is not applied again': async ({ store }) => {
    await create(store, newTask('one'));
    const write = { taskId: 'one', guard: {}, history: [message('m')], events: [event('a')], idempotency: key('k') };
    equal((await store.append(write)).kind, 'appended');
    const before = await everythingOf(store, 'one');

    deepEqual(await store.append(write), { kind: 'repeated', taskId: 'one' });

    deepEqual(await everythingOf(store, 'one'), before);
  },

  'a write that reuses a key with other content is rejected': async ({ store }) => {
    await create(store, newTask('one'));
    await append(store, 'one', { idempotency: key('k', 'digest-1') });
    const before = await everythingOf(store, 'one');

    const again = await store.append({
      taskId: 'one',
      guard: {},
      events: [event('a')],
      idempotency: key('k', 'digest-2'),
    });

    deepEqual(again, { kind: 'key-reused' });
    deepEqual(await everythingOf(store, 'one'), before);
  },

  'a repeated write is recognised although its guard no longer holds': async ({ store }) => {
    await create(store, newTask('one'));
    const guard = { states: ['TASK_STATE_SUBMITTED'] as const };
    await append(store, 'one', { ...end(), idempotency: key('k') }, guard);

    const again = await store.append({ taskId: 'one', guard, ...end(), idempotency: key('k') });

    deepEqual(again, { kind: 'repeated', taskId: 'one' });
  },

  'exactly one of many equal concurrent writes is applied': async ({ store }) => {
    await create(store, newTask('one'));

    const results = await Promise.all(
      times(30).map(() => store.append({ taskId: 'one', guard: {}, events: [event('a')], idempotency: key('k') })),
    );

    equal(results.filter(({ kind }) => kind === 'appended').length, 1);
    equal(results.filter(({ kind }) => kind === 'repeated').length, 29);
    equal((await store.events('one', 0, 100)).length, 2);
  },

  'creations and writes of one owner share their idempotency keys': async ({ store }) => {
    await create(store, newTask('one', { idempotency: key('k-1') }));
    await create(store, newTask('two'));
    await append(store, 'two', { idempotency: key('k-2') });

    const write = await store.append({ taskId: 'two', guard: {}, idempotency: key('k-1') });
    deepEqual(write, { kind: 'repeated', taskId: 'one' });
    const creation = await store.create(newTask('three', { idempotency: key('k-2') }));
    deepEqual(creation, { kind: 'repeated', taskId: 'two' });
  },

  'a creation that failed because of its alias does not use up its key': async ({ store }) => {
    await create(store, newTask('one', { alias: 'homework' }));
    const taken = await store.create(newTask('two', { alias: 'homework', idempotency: key('k') }));
    equal(taken.kind, 'alias-taken');

    await create(store, newTask('three', { idempotency: key('k', 'digest-2') }));
  },

  'a rejected write does not use up its key': async ({ store }) => {
    await create(store, newTask('one'));
    const write = { taskId: 'one', guard: { question: 'q-1' }, idempotency: key('k') };
    equal((await store.append(write)).kind, 'rejected');

    await append(store, 'one', { idempotency: key('k', 'digest-2') });
  },

  'a write to a task that does not exist does not use up its key': async ({ store }) => {
    equal((await store.append({ taskId: 'one', guard: {}, idempotency: key('k') })).kind, 'rejected');

    await create(store, newTask('one', { idempotency: key('k', 'digest-2') }));
  },

  'a repeated creation is recognised although its alias is in use by its own task': async ({ store }) => {
    const task = newTask('one', { alias: 'homework', idempotency: key('k') });
    await create(store, task);

    deepEqual(await store.create({ ...task, id: 'two' }), { kind: 'repeated', taskId: 'one' });
  },

  'a key is kept as long as its task, whatever its expiry': async ({ store, clock }) => {
    await create(store, newTask('one', { idempotency: key('k-1', 'digest-1', START + 1) }));
    await append(store, 'one', { idempotency: key('k-2', 'digest-1', START + 1) });
    clock.advance(HOUR);
    await store.prune({ endedBefore: START, keepEnded: 10, eventsEndedBefore: START, limit: 10 });

    for (const name of ['k-1', 'k-2']) {
      const again = await store.create(newTask('two', { idempotency: key(name) }));
      deepEqual(again, { kind: 'repeated', taskId: 'one' });
    }
  },

  'a key is kept after its task is removed, until it expires': async ({ store, clock }) => {
    await create(store, newTask('one', { idempotency: key('k', 'digest-1', START + HOUR) }));
    await append(store, 'one', { ...end(), idempotency: key('k-2', 'digest-1', START + HOUR) });
    const all = { endedBefore: START + 9 * HOUR, keepEnded: 0, eventsEndedBefore: START, limit: 10 };

    clock.advance(HOUR - 1);
    equal(await store.prune(all), 1);
    for (const name of ['k', 'k-2']) {
      const again = await store.create(newTask('two', { idempotency: key(name) }));
      deepEqual(again, { kind: 'repeated', taskId: 'one' });
    }

    clock.advance(2);
    await store.prune(all);
    await create(store, newTask('two', { idempotency: key('k', 'digest-2') }));
    await create(store, newTask('three', { idempotency: key('k-2', 'digest-2') }));
  },

  'a reply is kept until its key expires': async ({ store, clock }) => {
    const { event: _, ...task } = newTask('one', { node: 'node-a', idempotency: key('k', 'digest-1', START + HOUR) });
    await create(store, task);
    await store.dropForReply('one', { node: 'node-a', fence: 1 }, message('reply'));
    const nothing = { endedBefore: START, keepEnded: 10, eventsEndedBefore: START, limit: 10 };

    clock.advance(HOUR - 1);
    equal(await store.prune(nothing), 0);
    const again = await store.create(newTask('two', { idempotency: key('k') }));
    deepEqual(again, { kind: 'repeated', taskId: 'one', reply: message('reply') });

    clock.advance(2);
    await store.prune(nothing);
    await create(store, newTask('two', { idempotency: key('k', 'digest-2') }));
  },
};
