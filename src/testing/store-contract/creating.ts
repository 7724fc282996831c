import { deepEqual, equal, rejects } from 'node:assert/strict';

import { A2AError } from '../../errors.ts';
import type { Created, NewTask, TaskRecord } from '../../store/store.ts';
import type { Behaviours, Subject } from './subject.ts';
import { ALICE, end, event, key, message, newTask, pluck, START, status, times } from './samples.ts';

export const creating: Behaviours = {
  'a new task is stored with all its fields': async (t) => {
    const record = await t.create({
      ...ALICE,
      id: 'one',
      contextId: 'context-1',
      agent: 'translator',
      status: status('TASK_STATE_SUBMITTED', START - 5),
      metadata: { colour: 'green' },
      origin: { dialect: '0.3', extensions: ['a', 'b'] },
      message: message('m-1'),
      event: { kind: 'task', body: '{"id":"one"}' },
      createdAt: START - 5,
      wakeAt: START + 7,
    });

    const { historyBytes: _, ...counted } = record;
    deepEqual(counted, {
      ...ALICE,
      id: 'one',
      contextId: 'context-1',
      agent: 'translator',
      status: status('TASK_STATE_SUBMITTED', START - 5),
      metadata: { colour: 'green' },
      origin: { dialect: '0.3', extensions: ['a', 'b'] },
      visible: true,
      lastEvent: 1,
      lastJournal: 0,
      fence: 0,
      attempts: 0,
      wakeAt: START + 7,
      canceling: false,
      createdAt: START - 5,
    });
    deepEqual(await t.everythingOf('one'), {
      task: { record, history: [message('m-1')], artifacts: { tail: [] } },
      events: [{ number: 1, kind: 'task', body: '{"id":"one"}' }],
      journal: [],
    });
  },

  'a task without metadata has none when it is read': async (t) => {
    const record = await t.create('one');

    equal('metadata' in record, false);
    deepEqual((await t.store.read(ALICE, 'one'))?.record, record);
  },

  'a task created with a lease is in its first attempt, with the fencing number 1': async (t) => {
    const { node, fence, attempts } = await t.create('one', { node: 'node-a' });

    deepEqual({ node, fence, attempts }, { node: 'node-a', fence: 1, attempts: 1 });
  },

  'a task that was not created is unknown to every call': async (t) => {
    await t.create('one');

    equal(await t.store.read(ALICE, 'two', { artifacts: true }), undefined);
    equal(await t.store.resolveAlias(ALICE, 'two'), undefined);
    deepEqual(await t.store.events('two', 0, 10), []);
    deepEqual(await t.store.journal('two'), []);
    deepEqual(await t.store.append({ taskId: 'two', guard: {} }), { kind: 'rejected' });
  },

  'creating a task with the id of another task is an error and leaves that task unchanged': async (t) => {
    await t.create('one', { alias: 'mine' });
    const before = await t.everythingOf('one');
    const again = newTask('one', { owner: 'bob', message: message('other'), alias: 'his', idempotency: key('k') });

    await rejects(t.store.create(again), isTaken);

    deepEqual(await t.everythingOf('one'), before);
    const bob = { ...ALICE, owner: 'bob' };
    equal(await t.store.resolveAlias(bob, 'his'), undefined);
    deepEqual(await t.listed({}, bob), { ids: [], total: 0 });
    await t.create('two', { owner: 'bob', alias: 'his', idempotency: key('k') });
  },

  'of two concurrent creations with the same id, one fails and stores nothing': async (t) => {
    const first = t.store.create(newTask('one', { alias: 'first' }));
    const second = t.store.create(newTask('one', { owner: 'bob', alias: 'second', idempotency: key('k') }));
    // Another write of the same transaction is stored.
    const other = t.store.create(newTask('two'));

    await rejects(second, isTaken);

    equal((await first).kind, 'created');
    equal((await other).kind, 'created');
    deepEqual((await t.listed()).total, 2);
    const bob = { ...ALICE, owner: 'bob' };
    equal(await t.store.resolveAlias(bob, 'second'), undefined);
    await t.create('three', { ...bob, alias: 'second', idempotency: key('k') });
  },

  'tasks created concurrently are all stored': async (t) => {
    const ids = times(200).map((i) => `task-${i}`);
    await Promise.all(ids.map((id) => t.create(id)));

    const { ids: found, total } = await t.listed();

    deepEqual([...found].sort(), [...ids].sort());
    equal(total, 200);
  },

  'an alias resolves to the task that was created with it': async (t) => {
    await t.create('one', { alias: 'homework' });

    equal(await t.store.resolveAlias(ALICE, 'homework'), 'one');
    equal(await t.store.resolveAlias(ALICE, 'one'), undefined);
  },

  'creating a task with an alias in use fails and returns the task that has it': async (t) => {
    await t.create('one', { alias: 'homework' });

    deepEqual(await t.store.create(newTask('two', { alias: 'homework' })), { kind: 'alias-taken', taskId: 'one' });

    equal(await t.store.read(ALICE, 'two'), undefined);
    deepEqual(await t.store.events('two', 0, 10), []);
    deepEqual(await t.listed(), { ids: ['one'], total: 1 });
    equal(await t.store.resolveAlias(ALICE, 'homework'), 'one');
  },

  'exactly one of many concurrent creations with the same alias succeeds': async (t) => {
    const results = await Promise.all(
      times(20).map((i) => t.store.create(newTask(`task-${i}`, { alias: 'homework' }))),
    );

    const winner = await t.store.resolveAlias(ALICE, 'homework');
    const created = results.filter((result) => result.kind === 'created');
    deepEqual(
      created.map(({ record }) => record.id),
      [winner],
    );
    deepEqual(
      results.filter(({ kind }) => kind !== 'created'),
      times(19).map(() => ({ kind: 'alias-taken', taskId: winner })),
    );
    deepEqual(await t.listed(), { ids: [winner], total: 1 });
  },

  'a task that was accepted before it is stored is created as accepted, and writes in between follow it': async (t) => {
    let accepted: TaskRecord | undefined;
    let writes: Promise<unknown> = Promise.resolve();
    const record = await created(t, newTask('one', { node: 'node-a', idempotency: key('k') }), (early) => {
      accepted = early;
      const guard = { lease: { node: 'node-a', fence: 1 } };
      writes = Promise.all([
        t.append('one', { events: [event('a')], status: status('TASK_STATE_WORKING') }, guard),
        t.append('one', { ...end(), events: [event('b')], artifacts: '[]', history: [message('m-2')] }, guard),
      ]);
    });
    await writes;

    if (accepted !== undefined) {
      deepEqual(accepted, record);
      const { task, events } = await t.everythingOf('one');
      equal(task?.record.status.state, 'TASK_STATE_COMPLETED');
      deepEqual(task?.artifacts, { snapshot: '[]', tail: [] });
      deepEqual(pluck(task?.history, 'messageId'), ['first of one', 'm-2']);
      equal(events.length, 3);
    }
  },

  'a creation is not accepted early if it may have another outcome': async (t) => {
    await t.create('one', { alias: 'homework', idempotency: key('k') });
    const accepted: string[] = [];
    const attempt = (task: NewTask): Promise<Created> => t.store.create(task, ({ id }) => void accepted.push(id));
    const repeat = await attempt(newTask('two', { idempotency: key('k') }));
    const reuse = await attempt(newTask('two', { idempotency: key('k', 'digest-2') }));
    const taken = await attempt(newTask('two', { alias: 'homework' }));
    deepEqual([repeat.kind, reuse.kind, taken.kind, accepted], ['repeated', 'key-reused', 'alias-taken', []]);

    const atOnce = await Promise.all(times(5).map((i) => attempt(newTask(`new-${i}`, { idempotency: key('new') }))));
    const made = atOnce.flatMap((result) => (result.kind === 'created' ? result.record.id : []));
    equal(made.length, 1);
    deepEqual(
      accepted.filter((id) => !made.includes(id)),
      [],
    );
    equal(await t.store.read(ALICE, 'two'), undefined);
  },

  'a task is not accepted early if a pending follow-up uses the same idempotency key': async (t) => {
    await t.create('one');
    const accepted: string[] = [];
    const followUp = t.store.append({ taskId: 'one', guard: {}, events: [event('a')], idempotency: key('k') });
    const later = await t.store.create(newTask('two', { idempotency: key('k') }), ({ id }) => void accepted.push(id));

    equal((await followUp).kind, 'appended');
    deepEqual([later, accepted], [{ kind: 'repeated', taskId: 'one' }, []]);
  },
};

async function created(t: Subject, task: NewTask, accepted: (record: TaskRecord) => void): Promise<TaskRecord> {
  const result = await t.store.create(task, accepted);
  if (result.kind !== 'created') throw new Error(`The task is ${result.kind}`);
  return result.record;
}

/** Whether an error is that of a task whose id is in use. */
function isTaken(error: unknown): boolean {
  return A2AError.is(error, 'INTERNAL_ERROR') && /already exists/.test(error.message);
}
