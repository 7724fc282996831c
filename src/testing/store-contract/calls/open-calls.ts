import { deepEqual, equal } from 'node:assert/strict';

import type { RetentionPolicy } from '../../../store/store.ts';
import type { Behaviours } from '../behaviours.ts';
import {
  ALICE,
  append,
  assertUnknown,
  create,
  end,
  entry,
  event,
  everythingOf,
  HOUR,
  message,
  newTask,
  provisionalTask,
  recordOf,
  START,
} from '../samples.ts';
import { calling, callIds, callOf, claimOne, createCaller, newCall, report } from './samples.ts';

const BOB = { ...ALICE, owner: 'bob' };
const EVERYTHING: RetentionPolicy = {
  endedBefore: START + HOUR,
  keepEnded: 0,
  eventsEndedBefore: START + HOUR,
  limit: 10,
};

/** How writes add and remove calls, and which tasks stay because of them. */
export const openCalls: Behaviours = {
  'a write stores its calls together with its journal entries': async ({ store, clock }) => {
    await create(store, newTask('one'));
    clock.advance(5);
    const calls = [newCall('b', { dueAt: START + HOUR }), newCall('a')];

    const { record } = await append(store, 'one', calling(...calls));

    equal(record.openCalls, 2);
    deepEqual(await recordOf(store, 'one'), record);
    deepEqual(
      (await store.journal('one')).map(({ key }) => key),
      ['b', 'a'],
    );
    const common = { ...ALICE, taskId: 'one', agent: 'translator', progress: {}, createdAt: START + 5 };
    deepEqual(await store.listCalls({ limit: 10 }), [
      { ...common, id: 'a', request: calls[1]?.request, dueAt: START },
      { ...common, id: 'b', request: calls[0]?.request, dueAt: START + HOUR },
    ]);
    equal(await store.countCalls(ALICE), 2);
    equal(await store.countCalls(BOB), 0);
  },

  'a rejected write stores no calls': async ({ store }) => {
    await create(store, newTask('one'));

    equal((await store.append({ taskId: 'one', guard: { states: [] }, ...calling(newCall('a')) })).kind, 'rejected');

    deepEqual(await callIds(store), []);
    equal((await recordOf(store, 'one')).openCalls, undefined);
    equal(await store.countCalls(ALICE), 0);
  },

  'a task gets no new calls once its cancellation has begun': async ({ store }) => {
    await create(store, newTask('one'));

    const [, late] = await Promise.all([
      store.append({ taskId: 'one', guard: {}, canceling: true }),
      store.append({ taskId: 'one', guard: {}, ...calling(newCall('a')) }),
    ]);

    equal(late?.kind, 'rejected');
    deepEqual([await callIds(store), await store.journal('one')], [[], []]);
    await append(store, 'one', { journal: [entry('other')] });
  },

  'the outcome of a call is stored once, and removes it': async ({ store }) => {
    await createCaller(store, 'one', 'a', 'b');
    const outcome = { taskId: 'one', guard: { call: 'a' }, endsCall: 'a', journal: [entry('called a')] };

    const written = await Promise.all([store.append(outcome), store.append(outcome)]);

    deepEqual(
      written.map(({ kind }) => kind),
      ['appended', 'rejected'],
    );
    equal(written[0]?.kind === 'appended' && written[0].record.openCalls, 1);
    deepEqual(await callIds(store), ['b']);
    deepEqual(
      (await store.journal('one')).map(({ key }) => key),
      ['a', 'b', 'called a'],
    );
    equal((await append(store, 'one', { endsCall: 'b' })).record.openCalls, undefined);
    equal((await recordOf(store, 'one')).openCalls, undefined);
    equal(await store.countCalls(ALICE), 0);
  },

  'a write that adds a call can remove another one': async ({ store }) => {
    await createCaller(store, 'one', 'a');
    const { record } = await append(store, 'one', { ...calling(newCall('b')), endsCall: 'a' });
    equal(record.openCalls, 1);
    deepEqual(await callIds(store), ['b']);
  },

  'a write does not concern the calls of other tasks': async ({ store }) => {
    await createCaller(store, 'one', 'a');
    await createCaller(store, 'two', 'b');

    equal((await store.append({ taskId: 'two', guard: { call: 'a' }, events: [event('x')] })).kind, 'rejected');
    equal((await append(store, 'two', { endsCall: 'a' })).record.openCalls, 1);

    deepEqual(await callIds(store), ['a', 'b']);
  },

  'a guard can require that there is no later journal entry': async ({ store }) => {
    await create(store, newTask('one'));
    await append(store, 'one', { journal: [entry('a')] });
    await append(store, 'one', { journal: [entry('b')] }, { lastJournal: 1 });

    const late = await store.append({ taskId: 'one', guard: { lastJournal: 1 }, journal: [entry('c')] });

    equal(late.kind, 'rejected');
    equal((await store.journal('one')).length, 2);
  },

  'a task names the call that created it': async ({ store }) => {
    await createCaller(store, 'parent', 'a');
    const record = await create(store, newTask('child', { callId: 'a' }));
    equal(record.callId, 'a');
    equal((await append(store, 'child', { events: [event('b')] })).record.callId, 'a');
    deepEqual((await recordOf(store, 'child')).callId, 'a');
    equal((await recordOf(store, 'parent')).callId, undefined);
  },

  'the question and the end of a task make the call due that created it, and other writes do not': async ({
    store,
    clock,
  }) => {
    await create(store, newTask('parent'));
    await append(store, 'parent', calling(newCall('a', { dueAt: START + HOUR })));
    await create(store, newTask('child', { callId: 'a' }));
    const dueAfter = async (change: Parameters<typeof append>[2]): Promise<number | undefined> => {
      clock.advance(1);
      const { callsDue } = await append(store, 'child', change);
      const { dueAt } = await callOf(store, 'a');
      equal(callsDue, dueAt === clock.now() ? true : undefined);
      return dueAt;
    };

    const working = { events: [event('x')], journal: [entry('x')], history: [message('x')], wakeAt: START };
    equal(await dueAfter(working), START + HOUR);
    equal(await dueAfter({ question: 'q' }), START + 2);
    await report(store, await claimOne(store), { dueAt: START + HOUR });
    equal(await dueAfter({ question: null }), START + 3);
    await report(store, await claimOne(store), { dueAt: START + HOUR });
    equal(await dueAfter(end()), START + 4);
    equal(await store.nextCall(['translator']), START + 4);
  },

  'a task that is dropped for a reply makes the call due that created it': async ({ store, clock }) => {
    await create(store, newTask('parent'));
    await append(store, 'parent', calling(newCall('a', { dueAt: START + HOUR })));
    await create(store, provisionalTask('child', { callId: 'a', node: 'node-b' }));
    clock.advance(1);

    await store.dropForReply('child', { node: 'node-b', fence: 1 }, message('reply'));

    equal((await callOf(store, 'a')).dueAt, START + 1);
  },

  'the cancellation and the end of a task, and a write that says so, make all its calls due': async ({
    store,
    clock,
  }) => {
    const changes = { cancel: { canceling: true }, end: end(), other: { callsDue: true } } as const;
    for (const [taskId, change] of Object.entries(changes)) {
      await create(store, newTask(taskId));
      await append(
        store,
        taskId,
        calling(newCall(`${taskId} later`, { dueAt: START + HOUR }), newCall(`${taskId} earlier`)),
      );
      clock.advance(1);
      equal((await append(store, taskId, { events: [event('x')] })).callsDue, undefined);

      equal((await append(store, taskId, change)).callsDue, true);

      const due = (await store.listCalls({ taskId, limit: 10 })).map(({ dueAt }) => dueAt);
      // An earlier time stays.
      deepEqual(due, [START, clock.now()]);
    }
  },

  'a write that is rejected makes no calls due': async ({ store }) => {
    await create(store, newTask('one'));
    await append(store, 'one', calling(newCall('a', { dueAt: START + HOUR })));
    await store.append({ taskId: 'one', guard: { states: [] }, canceling: true });
    equal((await callOf(store, 'a')).dueAt, START + HOUR);
  },

  'retention keeps an ended task with open calls, and does not count it in a batch': async ({ store, clock }) => {
    await createCaller(store, 'parent', 'a');
    await append(store, 'parent', end(START));
    clock.advance(1);
    await create(store, newTask('other'));
    await append(store, 'other', end(START + 1));

    equal(await store.prune({ ...EVERYTHING, limit: 1 }), 1);
    await assertUnknown(store, 'other');
    equal((await recordOf(store, 'parent')).openCalls, 1);
    equal((await store.events('parent', 0, 10)).length, 1);

    await report(store, await claimOne(store), { remove: true });
    equal((await recordOf(store, 'parent')).openCalls, undefined);
    equal(await store.prune(EVERYTHING), 1);
    await assertUnknown(store, 'parent');
  },

  'retention keeps an ended task until the outcome of its call is stored': async ({ store, clock }) => {
    await createCaller(store, 'parent', 'a');
    await create(store, newTask('child', { callId: 'a' }));
    await append(store, 'child', { events: [event('b')], ...end(START) });
    clock.advance(1);
    await create(store, newTask('other'));
    await append(store, 'other', end(START + 1));
    const before = await everythingOf(store, 'child');

    equal(await store.prune({ ...EVERYTHING, limit: 1 }), 1);
    await assertUnknown(store, 'other');
    deepEqual(await everythingOf(store, 'child'), before);

    await append(store, 'parent', { endsCall: 'a' });
    equal(await store.prune(EVERYTHING), 1);
    await assertUnknown(store, 'child');
  },

  'a task that calls need counts as one of those to keep': async ({ store }) => {
    await createCaller(store, 'parent', 'a');
    await append(store, 'parent', end(START));
    await create(store, newTask('other'));
    await append(store, 'other', end(START + 1));
    const policy = { ...EVERYTHING, endedBefore: START };

    equal(await store.prune({ ...policy, keepEnded: 2 }), 0);
    equal(await store.prune({ ...policy, keepEnded: 1 }), 1);
    await assertUnknown(store, 'other');
  },

  'a purge removes the calls of the owner': async ({ store }) => {
    await createCaller(store, 'one', 'a', 'b');
    await create(store, newTask('bob', BOB));
    await append(store, 'bob', calling(newCall('c')));

    await store.purge(ALICE, 10);

    deepEqual(await callIds(store), ['c']);
    equal(await store.countCalls(ALICE), 0);
    equal(await store.countCalls(BOB), 1);
  },

  'a purge of a task makes the call due that created it': async ({ store, clock }) => {
    await create(store, newTask('parent', BOB));
    await append(store, 'parent', calling(newCall('a', { dueAt: START + HOUR })));
    await create(store, newTask('child', { callId: 'a' }));
    clock.advance(1);

    await store.purge(ALICE, 10);

    equal((await callOf(store, 'a')).dueAt, START + 1);
  },

  'a call that was given up is not open, and is removed with its task': async ({ store }) => {
    await createCaller(store, 'parent', 'a', 'b');
    await append(store, 'parent', end());
    await store.heartbeat('node-a', HOUR);
    const [first, second] = await store.claimCalls({
      node: 'node-a',
      agents: ['translator'],
      limit: 9,
      perOwner: 9,
      held: [],
    });
    equal(
      first !== undefined && (await report(store, first, { failed: 'No "answer"\0', progress: { sent: 1 } }))?.failed,
      'No "answer"\0',
    );

    const call = await callOf(store, 'a');
    deepEqual([call.failed, call.progress, call.dueAt], ['No "answer"\0', { sent: 1 }, undefined]);
    equal((await recordOf(store, 'parent')).openCalls, 1);
    equal(await store.countCalls(ALICE), 1);
    equal(first !== undefined && (await report(store, first, { dueAt: START })), undefined);

    if (second !== undefined) await report(store, second, { failed: 'Again' });
    equal((await recordOf(store, 'parent')).openCalls, undefined);
    equal(await store.nextCall(['translator']), undefined);
    equal(await store.prune(EVERYTHING), 1);
    deepEqual(await callIds(store), []);
  },

  'a call that was given up no longer matters to the writes of its task and of the one it created': async ({
    store,
  }) => {
    await createCaller(store, 'parent', 'a');
    await create(store, newTask('child', { callId: 'a' }));
    await report(store, await claimOne(store), { failed: 'No answer' });

    equal((await store.append({ taskId: 'parent', guard: { call: 'a' }, endsCall: 'a' })).kind, 'rejected');
    await append(store, 'parent', { callsDue: true, endsCall: 'a' });
    await append(store, 'child', end());
    equal((await callOf(store, 'a')).dueAt, undefined);
    equal(await store.prune(EVERYTHING), 1);
    await assertUnknown(store, 'child');
  },

  'calls are listed by task, agent, id and failure, page by page': async ({ store }) => {
    await createCaller(store, 'one', 'c', 'B', 'a');
    await create(store, newTask('two', { agent: 'painter' }));
    await append(store, 'two', calling(newCall('d')));
    await store.heartbeat('node-a', HOUR);
    const due = await store.claimCalls({ node: 'node-a', agents: ['translator'], limit: 1, perOwner: 1, held: [] });
    for (const call of due) await report(store, call, { failed: 'No answer' });

    deepEqual(await callIds(store), ['B', 'a', 'c', 'd']);
    deepEqual(await callIds(store, { limit: 2 }), ['B', 'a']);
    deepEqual(await callIds(store, { after: 'a', limit: 2 }), ['c', 'd']);
    deepEqual(await callIds(store, { taskId: 'one', after: 'B' }), ['a', 'c']);
    deepEqual(await callIds(store, { taskId: 'one', id: 'd' }), []);
    deepEqual(await callIds(store, { id: 'd' }), ['d']);
    deepEqual(await callIds(store, { agents: ['painter', 'other'] }), ['d']);
    deepEqual(await callIds(store, { agents: [] }), []);
    deepEqual(await callIds(store, { hasFailed: true }), ['c']);
    deepEqual(await callIds(store, { hasFailed: false, agents: ['translator'] }), ['B', 'a']);
  },
};
