import { deepEqual, equal } from 'node:assert/strict';

import type { Behaviours } from './subject.ts';
import { ALICE, end, event, HOUR, key, message, newTask, START, times } from './samples.ts';

export const idempotency: Behaviours = {
  'a repeated creation returns the task that it created': async (t) => {
    await t.create('one', { idempotency: key('k') });
    const before = await t.everythingOf('one');

    const again = await t.store.create(newTask('two', { idempotency: key('k'), message: message('again') }));

    deepEqual(again, { kind: 'repeated', taskId: 'one' });
    deepEqual(await t.everythingOf('one'), before);
    equal(await t.store.read(ALICE, 'two'), undefined);
    deepEqual(await t.listed(), { ids: ['one'], total: 1 });
  },

  'a creation that reuses a key with other content is rejected': async (t) => {
    await t.create('one', { idempotency: key('k', 'digest-1') });

    const again = await t.store.create(newTask('two', { idempotency: key('k', 'digest-2') }));

    deepEqual(again, { kind: 'key-reused' });
    equal(await t.store.read(ALICE, 'two'), undefined);
    // The key still belongs to the first content.
    const first = await t.store.create(newTask('three', { idempotency: key('k', 'digest-1') }));
    deepEqual(first, { kind: 'repeated', taskId: 'one' });
  },

  'a creation with another key, or none, creates another task': async (t) => {
    await t.create('one', { idempotency: key('k') });
    await t.create('two', { idempotency: key('K') });
    await t.create('three');
    await t.create('four');

    equal((await t.listed()).total, 4);
  },

  'one of many equal concurrent creations creates the task and the others return it': async (t) => {
    const results = await Promise.all(
      times(30).map((i) => t.store.create(newTask(`task-${i}`, { idempotency: key('k') }))),
    );

    const created = results.filter((result) => result.kind === 'created').map(({ record }) => record.id);
    equal(created.length, 1);
    deepEqual(await t.listed(), { ids: created, total: 1 });
    deepEqual(
      results.filter(({ kind }) => kind !== 'created'),
      times(29).map(() => ({ kind: 'repeated', taskId: created[0] })),
    );
  },

  'a repeated write is not applied again': async (t) => {
    await t.create('one');
    const write = { taskId: 'one', guard: {}, history: [message('m')], events: [event('a')], idempotency: key('k') };
    equal((await t.store.append(write)).kind, 'appended');
    const before = await t.everythingOf('one');

    deepEqual(await t.store.append(write), { kind: 'repeated', taskId: 'one' });

    deepEqual(await t.everythingOf('one'), before);
  },

  'a write that reuses a key with other content is rejected': async (t) => {
    await t.create('one');
    await t.append('one', { idempotency: key('k', 'digest-1') });
    const before = await t.everythingOf('one');

    const again = await t.store.append({
      taskId: 'one',
      guard: {},
      events: [event('a')],
      idempotency: key('k', 'digest-2'),
    });

    deepEqual(again, { kind: 'key-reused' });
    deepEqual(await t.everythingOf('one'), before);
  },

  'a repeated write is recognised although its guard no longer holds': async (t) => {
    await t.create('one');
    const guard = { states: ['TASK_STATE_SUBMITTED'] as const };
    await t.append('one', { ...end(), idempotency: key('k') }, guard);

    const again = await t.store.append({ taskId: 'one', guard, ...end(), idempotency: key('k') });

    deepEqual(again, { kind: 'repeated', taskId: 'one' });
  },

  'exactly one of many equal concurrent writes is applied': async (t) => {
    await t.create('one');

    const results = await Promise.all(
      times(30).map(() => t.store.append({ taskId: 'one', guard: {}, events: [event('a')], idempotency: key('k') })),
    );

    equal(results.filter(({ kind }) => kind === 'appended').length, 1);
    equal(results.filter(({ kind }) => kind === 'repeated').length, 29);
    equal((await t.store.events('one', 0, 100)).length, 2);
  },

  'creations and writes of one owner share their idempotency keys': async (t) => {
    await t.create('one', { idempotency: key('k-1') });
    await t.create('two');
    await t.append('two', { idempotency: key('k-2') });

    const write = await t.store.append({ taskId: 'two', guard: {}, idempotency: key('k-1') });
    deepEqual(write, { kind: 'repeated', taskId: 'one' });
    const creation = await t.store.create(newTask('three', { idempotency: key('k-2') }));
    deepEqual(creation, { kind: 'repeated', taskId: 'two' });
  },

  'a creation that failed because of its alias does not use up its key': async (t) => {
    await t.create('one', { alias: 'homework' });
    const taken = await t.store.create(newTask('two', { alias: 'homework', idempotency: key('k') }));
    equal(taken.kind, 'alias-taken');

    await t.create('three', { idempotency: key('k', 'digest-2') });
  },

  'a rejected write does not use up its key': async (t) => {
    await t.create('one');
    const write = { taskId: 'one', guard: { question: 'q-1' }, idempotency: key('k') };
    equal((await t.store.append(write)).kind, 'rejected');

    await t.append('one', { idempotency: key('k', 'digest-2') });
  },

  'a write to a task that does not exist does not use up its key': async (t) => {
    equal((await t.store.append({ taskId: 'one', guard: {}, idempotency: key('k') })).kind, 'rejected');

    await t.create('one', { idempotency: key('k', 'digest-2') });
  },

  'a repeated creation is recognised although its alias is in use by its own task': async (t) => {
    const task = newTask('one', { alias: 'homework', idempotency: key('k') });
    await t.create(task);

    deepEqual(await t.store.create({ ...task, id: 'two' }), { kind: 'repeated', taskId: 'one' });
  },

  'a key is kept as long as its task, whatever its expiry': async (t) => {
    await t.create('one', { idempotency: key('k-1', 'digest-1', START + 1) });
    await t.append('one', { idempotency: key('k-2', 'digest-1', START + 1) });
    t.clock.advance(HOUR);
    await t.store.prune({ endedBefore: START, keepEnded: 10, eventsEndedBefore: START, limit: 10 });

    for (const name of ['k-1', 'k-2']) {
      const again = await t.store.create(newTask('two', { idempotency: key(name) }));
      deepEqual(again, { kind: 'repeated', taskId: 'one' });
    }
  },

  'a key is kept after its task is removed, until it expires': async (t) => {
    await t.create('one', { idempotency: key('k', 'digest-1', START + HOUR) });
    await t.append('one', { ...end(), idempotency: key('k-2', 'digest-1', START + HOUR) });
    const all = { endedBefore: START + 9 * HOUR, keepEnded: 0, eventsEndedBefore: START, limit: 10 };

    t.clock.advance(HOUR - 1);
    equal(await t.store.prune(all), 1);
    for (const name of ['k', 'k-2']) {
      const again = await t.store.create(newTask('two', { idempotency: key(name) }));
      deepEqual(again, { kind: 'repeated', taskId: 'one' });
    }

    t.clock.advance(2);
    await t.store.prune(all);
    await t.create('two', { idempotency: key('k', 'digest-2') });
    await t.create('three', { idempotency: key('k-2', 'digest-2') });
  },

  'a reply is kept until its key expires': async (t) => {
    const { event: _, ...task } = newTask('one', { node: 'node-a', idempotency: key('k', 'digest-1', START + HOUR) });
    await t.create(task);
    await t.store.dropForReply('one', { node: 'node-a', fence: 1 }, message('reply'));
    const nothing = { endedBefore: START, keepEnded: 10, eventsEndedBefore: START, limit: 10 };

    t.clock.advance(HOUR - 1);
    equal(await t.store.prune(nothing), 0);
    const again = await t.store.create(newTask('two', { idempotency: key('k') }));
    deepEqual(again, { kind: 'repeated', taskId: 'one', reply: message('reply') });

    t.clock.advance(2);
    await t.store.prune(nothing);
    await t.create('two', { idempotency: key('k', 'digest-2') });
  },
};
