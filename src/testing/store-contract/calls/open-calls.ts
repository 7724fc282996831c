import { deepEqual, equal } from 'node:assert/strict';

import type { RetentionPolicy } from '../../../store/store.ts';
import type { Behaviours } from '../subject.ts';
import { ALICE, type Change, end, entry, event, HOUR, message, START } from '../samples.ts';
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
  'a write stores its calls together with its journal entries': async (t) => {
    await t.create('one');
    t.clock.advance(5);
    const calls = [newCall('b', { dueAt: START + HOUR }), newCall('a')];

    const { record } = await t.append('one', calling(...calls));

    equal(record.openCalls, 2);
    deepEqual(await t.recordOf('one'), record);
    deepEqual(
      (await t.store.journal('one')).map(({ key }) => key),
      ['b', 'a'],
    );
    const common = { ...ALICE, taskId: 'one', agent: 'translator', progress: {}, createdAt: START + 5 };
    deepEqual(await t.store.listCalls({ limit: 10 }), [
      { ...common, id: 'a', request: calls[1]?.request, dueAt: START },
      { ...common, id: 'b', request: calls[0]?.request, dueAt: START + HOUR },
    ]);
    equal(await t.store.countCalls(ALICE), 2);
    equal(await t.store.countCalls(BOB), 0);
  },

  'a rejected write stores no calls': async (t) => {
    await t.create('one');

    equal((await t.store.append({ taskId: 'one', guard: { states: [] }, ...calling(newCall('a')) })).kind, 'rejected');

    deepEqual(await callIds(t.store), []);
    equal((await t.recordOf('one')).openCalls, undefined);
    equal(await t.store.countCalls(ALICE), 0);
  },

  'a task gets no new calls once its cancellation has begun': async (t) => {
    await t.create('one');

    const [, late] = await Promise.all([
      t.store.append({ taskId: 'one', guard: {}, canceling: true }),
      t.store.append({ taskId: 'one', guard: {}, ...calling(newCall('a')) }),
    ]);

    equal(late?.kind, 'rejected');
    deepEqual([await callIds(t.store), await t.store.journal('one')], [[], []]);
    await t.append('one', { journal: [entry('other')] });
  },

  'the outcome of a call is stored once, and removes it': async (t) => {
    await createCaller(t.store, 'one', 'a', 'b');
    const outcome = { taskId: 'one', guard: { call: 'a' }, endsCall: 'a', journal: [entry('called a')] };

    const written = await Promise.all([t.store.append(outcome), t.store.append(outcome)]);

    deepEqual(
      written.map(({ kind }) => kind),
      ['appended', 'rejected'],
    );
    equal(written[0]?.kind === 'appended' && written[0].record.openCalls, 1);
    deepEqual(await callIds(t.store), ['b']);
    deepEqual(
      (await t.store.journal('one')).map(({ key }) => key),
      ['a', 'b', 'called a'],
    );
    equal((await t.append('one', { endsCall: 'b' })).record.openCalls, undefined);
    equal((await t.recordOf('one')).openCalls, undefined);
    equal(await t.store.countCalls(ALICE), 0);
  },

  'a write that adds a call can remove another one': async (t) => {
    await createCaller(t.store, 'one', 'a');
    const { record } = await t.append('one', { ...calling(newCall('b')), endsCall: 'a' });
    equal(record.openCalls, 1);
    deepEqual(await callIds(t.store), ['b']);
  },

  'a write does not concern the calls of other tasks': async (t) => {
    await createCaller(t.store, 'one', 'a');
    await createCaller(t.store, 'two', 'b');

    equal((await t.store.append({ taskId: 'two', guard: { call: 'a' }, events: [event('x')] })).kind, 'rejected');
    equal((await t.append('two', { endsCall: 'a' })).record.openCalls, 1);

    deepEqual(await callIds(t.store), ['a', 'b']);
  },

  'a guard can require that there is no later journal entry': async (t) => {
    await t.create('one');
    await t.append('one', { journal: [entry('a')] });
    await t.append('one', { journal: [entry('b')] }, { lastJournal: 1 });

    const late = await t.store.append({ taskId: 'one', guard: { lastJournal: 1 }, journal: [entry('c')] });

    equal(late.kind, 'rejected');
    equal((await t.store.journal('one')).length, 2);
  },

  'a task names the call that created it': async (t) => {
    await createCaller(t.store, 'parent', 'a');
    const record = await t.create('child', { callId: 'a' });
    equal(record.callId, 'a');
    equal((await t.append('child', { events: [event('b')] })).record.callId, 'a');
    deepEqual((await t.recordOf('child')).callId, 'a');
    equal((await t.recordOf('parent')).callId, undefined);
  },

  'the question and the end of a task make the call due that created it, and other writes do not': async (t) => {
    await t.create('parent');
    await t.append('parent', calling(newCall('a', { dueAt: START + HOUR })));
    await t.create('child', { callId: 'a' });
    const dueAfter = async (change: Change): Promise<number | undefined> => {
      t.clock.advance(1);
      const { callsDue } = await t.append('child', change);
      const { dueAt } = await callOf(t.store, 'a');
      equal(callsDue, dueAt === t.clock.now() ? true : undefined);
      return dueAt;
    };

    const working = { events: [event('x')], journal: [entry('x')], history: [message('x')], wakeAt: START };
    equal(await dueAfter(working), START + HOUR);
    equal(await dueAfter({ question: 'q' }), START + 2);
    await report(t.store, await claimOne(t.store), { dueAt: START + HOUR });
    equal(await dueAfter({ question: null }), START + 3);
    await report(t.store, await claimOne(t.store), { dueAt: START + HOUR });
    equal(await dueAfter(end()), START + 4);
    equal(await t.store.nextCall(['translator']), START + 4);
  },

  'a task that is dropped for a reply makes the call due that created it': async (t) => {
    await t.create('parent');
    await t.append('parent', calling(newCall('a', { dueAt: START + HOUR })));
    await t.createProvisional('child', { callId: 'a', node: 'node-b' });
    t.clock.advance(1);

    await t.store.dropForReply('child', { node: 'node-b', fence: 1 }, message('reply'));

    equal((await callOf(t.store, 'a')).dueAt, START + 1);
  },

  'the cancellation and the end of a task, and a write that says so, make all its calls due': async (t) => {
    const changes = { cancel: { canceling: true }, end: end(), other: { callsDue: true } } as const;
    for (const [taskId, change] of Object.entries(changes)) {
      await t.create(taskId);
      await t.append(
        taskId,
        calling(newCall(`${taskId} later`, { dueAt: START + HOUR }), newCall(`${taskId} earlier`)),
      );
      t.clock.advance(1);
      equal((await t.append(taskId, { events: [event('x')] })).callsDue, undefined);

      equal((await t.append(taskId, change)).callsDue, true);

      const due = (await t.store.listCalls({ taskId, limit: 10 })).map(({ dueAt }) => dueAt);
      // An earlier time stays.
      deepEqual(due, [START, t.clock.now()]);
    }
  },

  'a write that is rejected makes no calls due': async (t) => {
    await t.create('one');
    await t.append('one', calling(newCall('a', { dueAt: START + HOUR })));
    await t.store.append({ taskId: 'one', guard: { states: [] }, canceling: true });
    equal((await callOf(t.store, 'a')).dueAt, START + HOUR);
  },

  'retention keeps an ended task with open calls, and does not count it in a batch': async (t) => {
    await createCaller(t.store, 'parent', 'a');
    await t.append('parent', end(START));
    t.clock.advance(1);
    await t.create('other');
    await t.append('other', end(START + 1));

    equal(await t.store.prune({ ...EVERYTHING, limit: 1 }), 1);
    await t.assertUnknown('other');
    equal((await t.recordOf('parent')).openCalls, 1);
    equal((await t.store.events('parent', 0, 10)).length, 1);

    await report(t.store, await claimOne(t.store), { remove: true });
    equal((await t.recordOf('parent')).openCalls, undefined);
    equal(await t.store.prune(EVERYTHING), 1);
    await t.assertUnknown('parent');
  },

  'retention keeps an ended task until the outcome of its call is stored': async (t) => {
    await createCaller(t.store, 'parent', 'a');
    await t.create('child', { callId: 'a' });
    await t.append('child', { events: [event('b')], ...end(START) });
    t.clock.advance(1);
    await t.create('other');
    await t.append('other', end(START + 1));
    const before = await t.everythingOf('child');

    equal(await t.store.prune({ ...EVERYTHING, limit: 1 }), 1);
    await t.assertUnknown('other');
    deepEqual(await t.everythingOf('child'), before);

    await t.append('parent', { endsCall: 'a' });
    equal(await t.store.prune(EVERYTHING), 1);
    await t.assertUnknown('child');
  },

  'a task that calls need counts as one of those to keep': async (t) => {
    await createCaller(t.store, 'parent', 'a');
    await t.append('parent', end(START));
    await t.create('other');
    await t.append('other', end(START + 1));
    const policy = { ...EVERYTHING, endedBefore: START };

    equal(await t.store.prune({ ...policy, keepEnded: 2 }), 0);
    equal(await t.store.prune({ ...policy, keepEnded: 1 }), 1);
    await t.assertUnknown('other');
  },

  'a purge removes the calls of the owner': async (t) => {
    await createCaller(t.store, 'one', 'a', 'b');
    await t.create('bob', BOB);
    await t.append('bob', calling(newCall('c')));

    await t.store.purge(ALICE, 10);

    deepEqual(await callIds(t.store), ['c']);
    equal(await t.store.countCalls(ALICE), 0);
    equal(await t.store.countCalls(BOB), 1);
  },

  'a purge of a task makes the call due that created it': async (t) => {
    await t.create('parent', BOB);
    await t.append('parent', calling(newCall('a', { dueAt: START + HOUR })));
    await t.create('child', { callId: 'a' });
    t.clock.advance(1);

    await t.store.purge(ALICE, 10);

    equal((await callOf(t.store, 'a')).dueAt, START + 1);
  },

  'a call that was given up is not open, and is removed with its task': async (t) => {
    await createCaller(t.store, 'parent', 'a', 'b');
    await t.append('parent', end());
    await t.store.heartbeat('node-a', HOUR);
    const [first, second] = await t.store.claimCalls({
      node: 'node-a',
      agents: ['translator'],
      limit: 9,
      perOwner: 9,
      held: [],
    });
    equal(
      first !== undefined && (await report(t.store, first, { failed: 'No "answer"\0', progress: { sent: 1 } }))?.failed,
      'No "answer"\0',
    );

    const call = await callOf(t.store, 'a');
    deepEqual([call.failed, call.progress, call.dueAt], ['No "answer"\0', { sent: 1 }, undefined]);
    equal((await t.recordOf('parent')).openCalls, 1);
    equal(await t.store.countCalls(ALICE), 1);
    equal(first !== undefined && (await report(t.store, first, { dueAt: START })), undefined);

    if (second !== undefined) await report(t.store, second, { failed: 'Again' });
    equal((await t.recordOf('parent')).openCalls, undefined);
    equal(await t.store.nextCall(['translator']), undefined);
    equal(await t.store.prune(EVERYTHING), 1);
    deepEqual(await callIds(t.store), []);
  },

  'a call that was given up no longer matters to the writes of its task and of the one it created': async (t) => {
    await createCaller(t.store, 'parent', 'a');
    await t.create('child', { callId: 'a' });
    await report(t.store, await claimOne(t.store), { failed: 'No answer' });

    equal((await t.store.append({ taskId: 'parent', guard: { call: 'a' }, endsCall: 'a' })).kind, 'rejected');
    await t.append('parent', { callsDue: true, endsCall: 'a' });
    await t.append('child', end());
    equal((await callOf(t.store, 'a')).dueAt, undefined);
    equal(await t.store.prune(EVERYTHING), 1);
    await t.assertUnknown('child');
  },

  'calls are listed by task, agent, id and failure, page by page': async (t) => {
    await createCaller(t.store, 'one', 'c', 'B', 'a');
    await t.create('two', { agent: 'painter' });
    await t.append('two', calling(newCall('d')));
    await t.store.heartbeat('node-a', HOUR);
    const due = await t.store.claimCalls({ node: 'node-a', agents: ['translator'], limit: 1, perOwner: 1, held: [] });
    for (const call of due) await report(t.store, call, { failed: 'No answer' });

    deepEqual(await callIds(t.store), ['B', 'a', 'c', 'd']);
    deepEqual(await callIds(t.store, { limit: 2 }), ['B', 'a']);
    deepEqual(await callIds(t.store, { after: 'a', limit: 2 }), ['c', 'd']);
    deepEqual(await callIds(t.store, { taskId: 'one', after: 'B' }), ['a', 'c']);
    deepEqual(await callIds(t.store, { taskId: 'one', id: 'd' }), []);
    deepEqual(await callIds(t.store, { id: 'd' }), ['d']);
    deepEqual(await callIds(t.store, { agents: ['painter', 'other'] }), ['d']);
    deepEqual(await callIds(t.store, { agents: [] }), []);
    deepEqual(await callIds(t.store, { hasFailed: true }), ['c']);
    deepEqual(await callIds(t.store, { hasFailed: false, agents: ['translator'] }), ['B', 'a']);
  },
};
