import { deepEqual, equal, fail } from 'node:assert/strict';

import type { Behaviours } from '../subject.ts';
import { ALICE, end, HOUR, START, times, TTL } from '../samples.ts';
import { calling, callIds, callOf, claimCalls, claimed, claimOne, createCaller, newCall, report } from './samples.ts';

/** Which calls are due, and which node works on them. */
export const callOutbox: Behaviours = {
  'a call is due at its time, and a claim returns it with its lease': async (t) => {
    await t.create('one');
    const call = newCall('a', { dueAt: START + 5 });
    await t.append('one', calling(call));
    deepEqual(await claimed(t.store), []);
    equal(await t.store.nextCall(['translator']), START + 5);
    equal(await t.store.nextCall(['painter']), undefined);
    t.clock.advance(5);

    const { id, request } = call;
    const content = { ...ALICE, id, taskId: 'one', agent: 'translator', request, progress: {}, createdAt: START };
    deepEqual(await claimCalls(t.store), [{ ...content, fence: 1 }]);
    deepEqual(await callOf(t.store, 'a'), content);
    equal(await t.store.nextCall(['translator']), undefined);
  },

  'a claim returns the calls of the given agents, the longest due first': async (t) => {
    await t.create('one');
    await t.create('two', { agent: 'painter' });
    await t.create('three', { agent: 'other' });
    await t.append('one', calling(newCall('a', { dueAt: START + 3 }), newCall('b', { dueAt: START + 1 })));
    await t.append('two', calling(newCall('c', { dueAt: START + 2 }), newCall('d', { dueAt: START + 9 })));
    await t.append('three', calling(newCall('e')));
    t.clock.advance(5);
    const agents = ['painter', 'translator', 'painter'];

    equal(await t.store.nextCall(agents), START + 1);
    deepEqual(await claimed(t.store, { agents, limit: 2 }), ['b', 'c']);
    equal(await t.store.nextCall(agents), START + 3);
    deepEqual(await claimed(t.store, { agents, node: 'node-b' }), ['a']);
    equal(await t.store.nextCall(agents), START + 9);
  },

  'a claim without limit or agents returns nothing': async (t) => {
    await createCaller(t.store, 'one', 'a');
    deepEqual(await claimed(t.store, { limit: 0 }), []);
    deepEqual(await claimed(t.store, { agents: [] }), []);
    equal(await t.store.nextCall([]), undefined);
  },

  'a call claimed by a node is not given to others until the node is dead': async (t) => {
    await createCaller(t.store, 'one', 'a');
    deepEqual(await claimed(t.store), ['a']);
    deepEqual(await claimed(t.store, { node: 'node-b' }), []);
    equal(await t.store.nextCall(['translator']), undefined);

    t.clock.advance(TTL + 1);

    // It is due at once, although nothing new has happened.
    equal(await t.store.nextCall(['translator']), t.clock.now());
    equal(await t.store.nextCall(['painter']), undefined);
    equal((await claimOne(t.store, 'node-b')).fence, 2);
  },

  'the next call is the longest due one, also if a dead node holds another': async (t) => {
    await createCaller(t.store, 'one', 'a');
    await claimCalls(t.store);
    await t.append('one', calling(newCall('b')));
    t.clock.advance(TTL + 1);
    equal(await t.store.nextCall(['translator']), START);
  },

  'a node that retires releases its calls': async (t) => {
    await createCaller(t.store, 'one', 'a');
    await claimCalls(t.store);
    await t.store.retire('node-a');
    equal(await t.store.nextCall(['translator']), START);
    deepEqual(await claimed(t.store, { node: 'node-b' }), ['a']);
  },

  'a claim returns calls that the node holds unless it lists them as known': async (t) => {
    await createCaller(t.store, 'one', 'a', 'b');
    const [first = fail()] = await claimCalls(t.store);

    const again = await claimCalls(t.store, { held: [first] });

    deepEqual(
      again.map(({ id, fence }) => [id, fence]),
      [['b', 2]],
    );
  },

  'concurrent claims give each call to one node': async (t) => {
    await createCaller(t.store, 'one', ...times(20).map((i) => `call ${i}`));
    await t.store.heartbeat('node-a', TTL);
    await t.store.heartbeat('node-b', TTL);
    const request = { agents: ['translator'], limit: 20, perOwner: 20, held: [] };

    const claims = await Promise.all(['node-a', 'node-b'].map((node) => t.store.claimCalls({ node, ...request })));
    const rest = await t.store.claimCalls({ node: 'node-c', ...request });

    const ids = [...claims, rest].flat().map(({ id }) => id);
    deepEqual([ids.length, new Set(ids).size], [20, 20]);
  },

  'no owner gets more than its share of the calls of a node': async (t) => {
    await createCaller(t.store, 'one', ...times(10).map((i) => `alice ${i}`));
    for (const [tenant, owner] of [
      ['acme', 'bob'],
      ['globex', 'alice'],
    ] as const) {
      await t.create(owner + tenant, { tenant, owner });
      await t.append(owner + tenant, calling(newCall(`${owner} of ${tenant}`, { dueAt: START })));
    }

    const first = await claimCalls(t.store, { limit: 4, perOwner: 2 });
    deepEqual(
      first.map(({ id }) => id),
      ['alice 0', 'alice 1', 'bob of acme', 'alice of globex'],
    );
    deepEqual(await claimed(t.store, { limit: 9, perOwner: 2, held: first }), []);
    deepEqual(await claimed(t.store, { limit: 9, perOwner: 3, held: first }), ['alice 2']);
    deepEqual(await claimed(t.store, { limit: 9, perOwner: 3, node: 'node-b' }), ['alice 3', 'alice 4', 'alice 5']);
  },

  'the report of a node that has lost its lease on a call changes nothing': async (t) => {
    await createCaller(t.store, 'one', 'a');
    const late = await claimOne(t.store);
    t.clock.advance(TTL + 1);
    const current = await claimOne(t.store, 'node-b');

    for (const change of [{ progress: { late: 1 }, dueAt: START }, { remove: true }, { failed: 'late' }] as const) {
      equal(await report(t.store, late, change), undefined);
      equal(await report(t.store, current, change), undefined);
      equal(await report(t.store, late, { ...change, node: 'node-b' }), undefined);
    }

    equal((await t.recordOf('one')).openCalls, 1);
    const noted = await report(t.store, current, { node: 'node-b', dueAt: START });
    deepEqual(noted, await callOf(t.store, 'a'));
    deepEqual([noted?.progress, noted?.dueAt, noted?.failed], [{}, START, undefined]);
  },

  'a report without a time stores the progress and keeps the lease': async (t) => {
    await createCaller(t.store, 'one', 'a');
    const call = await claimOne(t.store);

    const noted = await report(t.store, call, { progress: { taskId: 'child', text: '"\0' } });

    deepEqual(noted, await callOf(t.store, 'a'));
    deepEqual(noted?.progress, { taskId: 'child', text: '"\0' });
    deepEqual(await claimed(t.store, { node: 'node-b' }), []);
    await report(t.store, call, { dueAt: START });
    const next = await claimOne(t.store, 'node-b');
    deepEqual([next.progress, next.fence], [{ taskId: 'child', text: '"\0' }, 2]);
  },

  'a released call is due at the given time, or only by another write': async (t) => {
    await createCaller(t.store, 'one', 'a');
    equal((await report(t.store, await claimOne(t.store), { dueAt: START + 5 }))?.dueAt, START + 5);
    equal(await t.store.nextCall(['translator']), START + 5);
    t.clock.advance(5);

    const released = await report(t.store, await claimOne(t.store, 'node-a'), { dueAt: null });

    equal(released?.dueAt, undefined);
    t.clock.advance(HOUR);
    equal(await t.store.nextCall(['translator']), undefined);
    deepEqual(await claimed(t.store), []);
    await t.append('one', { callsDue: true });
    equal(await t.store.nextCall(['translator']), t.clock.now());
    deepEqual(await claimed(t.store), ['a']);
  },

  'a write can make one call of its task due': async (t) => {
    await createCaller(t.store, 'one', 'a', 'b');
    for (const call of await claimCalls(t.store)) await report(t.store, call, { dueAt: null });

    equal((await t.append('one', { callDue: 'b' }, { call: 'b' })).callsDue, true);

    deepEqual(await claimed(t.store), ['b']);
  },

  'a held call that becomes due stays with its node, and keeps the earlier time when it is released': async (t) => {
    await t.create('one');
    await t.append('one', calling(newCall('a')));
    await t.create('child', { callId: 'a' });
    const call = await claimOne(t.store);
    t.clock.advance(1);
    await t.append('child', end());

    equal(await t.store.nextCall(['translator']), undefined);
    deepEqual(await claimed(t.store, { node: 'node-b' }), []);
    equal((await report(t.store, call, { progress: { seen: 1 } }))?.dueAt, START + 1);

    const released = await report(t.store, call, { dueAt: null });
    equal(released?.dueAt, START + 1);
    const again = await claimOne(t.store);
    equal((await report(t.store, again, { dueAt: START + HOUR }))?.dueAt, START + HOUR);
  },

  'a held call that becomes due earlier than its release keeps the earlier of both times': async (t) => {
    await createCaller(t.store, 'one', 'a');
    const call = await claimOne(t.store);
    t.clock.advance(5);
    await t.append('one', { canceling: true });

    equal((await report(t.store, call, { dueAt: START + HOUR }))?.dueAt, START + 5);
    equal(await t.store.nextCall(['translator']), START + 5);
  },

  'a report can remove a call': async (t) => {
    await createCaller(t.store, 'one', 'a', 'b');
    await t.append('one', end());
    const [call = fail()] = await claimCalls(t.store);

    equal((await report(t.store, call, { remove: true }))?.id, 'a');

    deepEqual(await callIds(t.store), ['b']);
    equal((await t.recordOf('one')).openCalls, 1);
    equal(await t.store.countCalls(ALICE), 1);
    equal(await report(t.store, call, { remove: true }), undefined);
  },

  'a call that was removed while a node held it is not found by its report': async (t) => {
    await createCaller(t.store, 'one', 'a');
    const call = await claimOne(t.store);
    await t.append('one', { endsCall: 'a' }, { call: 'a' });
    equal(await report(t.store, call, { dueAt: START }), undefined);
    equal(await t.store.nextCall(['translator']), undefined);
  },
};

/** Only for durable stores. */
export const durableCalls: Behaviours = {
  'calls and their tasks are there when the store is opened again': async (t) => {
    await createCaller(t.store, 'one', 'a', 'b', 'c');
    await t.create('child', { callId: 'a' });
    const [first = fail(), second = fail()] = await claimCalls(t.store, { limit: 2 });
    await report(t.store, first, { progress: { taskId: 'child' } });
    await report(t.store, second, { failed: 'No answer' });
    const calls = await t.store.listCalls({ limit: 9 });

    await t.reopen();

    deepEqual(await t.store.listCalls({ limit: 9 }), calls);
    deepEqual([(await t.recordOf('one')).openCalls, (await t.recordOf('child')).callId], [2, 'a']);
    equal(await t.store.countCalls(ALICE), 2);
    t.clock.advance(TTL + 1);
    const claims = await claimCalls(t.store, { node: 'node-b' });
    deepEqual(
      claims.map(({ id, fence, progress }) => [id, fence, progress]),
      [
        ['c', 1, {}],
        ['a', 2, { taskId: 'child' }],
      ],
    );
  },
};
