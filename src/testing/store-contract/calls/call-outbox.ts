import { deepEqual, equal, fail } from 'node:assert/strict';

import type { Behaviours } from '../behaviours.ts';
import { ALICE, append, create, end, HOUR, newTask, recordOf, START, times, TTL } from '../samples.ts';
import { calling, callIds, callOf, claimCalls, claimed, claimOne, createCaller, newCall, report } from './samples.ts';

/** Which calls are due, and which node works on them. */
export const callOutbox: Behaviours = {
  'a call is due at its time, and a claim returns it with its lease': async ({ store, clock }) => {
    await create(store, newTask('one'));
    const call = newCall('a', { dueAt: START + 5 });
    await append(store, 'one', calling(call));
    deepEqual(await claimed(store), []);
    equal(await store.nextCall(['translator']), START + 5);
    equal(await store.nextCall(['painter']), undefined);
    clock.advance(5);

    const { id, request } = call;
    const content = { ...ALICE, id, taskId: 'one', agent: 'translator', request, progress: {}, createdAt: START };
    deepEqual(await claimCalls(store), [{ ...content, fence: 1 }]);
    deepEqual(await callOf(store, 'a'), content);
    equal(await store.nextCall(['translator']), undefined);
  },

  'a claim returns the calls of the given agents, the longest due first': async ({ store, clock }) => {
    await create(store, newTask('one'));
    await create(store, newTask('two', { agent: 'painter' }));
    await create(store, newTask('three', { agent: 'other' }));
    await append(store, 'one', calling(newCall('a', { dueAt: START + 3 }), newCall('b', { dueAt: START + 1 })));
    await append(store, 'two', calling(newCall('c', { dueAt: START + 2 }), newCall('d', { dueAt: START + 9 })));
    await append(store, 'three', calling(newCall('e')));
    clock.advance(5);
    const agents = ['painter', 'translator', 'painter'];

    equal(await store.nextCall(agents), START + 1);
    deepEqual(await claimed(store, { agents, limit: 2 }), ['b', 'c']);
    equal(await store.nextCall(agents), START + 3);
    deepEqual(await claimed(store, { agents, node: 'node-b' }), ['a']);
    equal(await store.nextCall(agents), START + 9);
  },

  'a claim without limit or agents returns nothing': async ({ store }) => {
    await createCaller(store, 'one', 'a');
    deepEqual(await claimed(store, { limit: 0 }), []);
    deepEqual(await claimed(store, { agents: [] }), []);
    equal(await store.nextCall([]), undefined);
  },

  'a call claimed by a node is not given to others until the node is dead': async ({ store, clock }) => {
    await createCaller(store, 'one', 'a');
    deepEqual(await claimed(store), ['a']);
    deepEqual(await claimed(store, { node: 'node-b' }), []);
    equal(await store.nextCall(['translator']), undefined);

    clock.advance(TTL + 1);

    // It is due at once, although nothing new has happened.
    equal(await store.nextCall(['translator']), clock.now());
    equal(await store.nextCall(['painter']), undefined);
    equal((await claimOne(store, 'node-b')).fence, 2);
  },

  'the next call is the longest due one, also if a dead node holds another': async ({ store, clock }) => {
    await createCaller(store, 'one', 'a');
    await claimCalls(store);
    await append(store, 'one', calling(newCall('b')));
    clock.advance(TTL + 1);
    equal(await store.nextCall(['translator']), START);
  },

  'a node that retires releases its calls': async ({ store }) => {
    await createCaller(store, 'one', 'a');
    await claimCalls(store);
    await store.retire('node-a');
    equal(await store.nextCall(['translator']), START);
    deepEqual(await claimed(store, { node: 'node-b' }), ['a']);
  },

  'a claim returns calls that the node holds unless it lists them as known': async ({ store }) => {
    await createCaller(store, 'one', 'a', 'b');
    const [first = fail()] = await claimCalls(store);

    const again = await claimCalls(store, { held: [first] });

    deepEqual(
      again.map(({ id, fence }) => [id, fence]),
      [['b', 2]],
    );
  },

  'concurrent claims give each call to one node': async ({ store }) => {
    await createCaller(store, 'one', ...times(20).map((i) => `call ${i}`));
    await store.heartbeat('node-a', TTL);
    await store.heartbeat('node-b', TTL);
    const request = { agents: ['translator'], limit: 20, perOwner: 20, held: [] };

    const claims = await Promise.all(['node-a', 'node-b'].map((node) => store.claimCalls({ node, ...request })));
    const rest = await store.claimCalls({ node: 'node-c', ...request });

    const ids = [...claims, rest].flat().map(({ id }) => id);
    deepEqual([ids.length, new Set(ids).size], [20, 20]);
  },

  'no owner gets more than its share of the calls of a node': async ({ store }) => {
    await createCaller(store, 'one', ...times(10).map((i) => `alice ${i}`));
    for (const [tenant, owner] of [
      ['acme', 'bob'],
      ['globex', 'alice'],
    ] as const) {
      await create(store, newTask(owner + tenant, { tenant, owner }));
      await append(store, owner + tenant, calling(newCall(`${owner} of ${tenant}`, { dueAt: START })));
    }

    const first = await claimCalls(store, { limit: 4, perOwner: 2 });
    deepEqual(
      first.map(({ id }) => id),
      ['alice 0', 'alice 1', 'bob of acme', 'alice of globex'],
    );
    deepEqual(await claimed(store, { limit: 9, perOwner: 2, held: first }), []);
    deepEqual(await claimed(store, { limit: 9, perOwner: 3, held: first }), ['alice 2']);
    deepEqual(await claimed(store, { limit: 9, perOwner: 3, node: 'node-b' }), ['alice 3', 'alice 4', 'alice 5']);
  },

  'the report of a node that has lost its lease on a call changes nothing': async ({ store, clock }) => {
    await createCaller(store, 'one', 'a');
    const late = await claimOne(store);
    clock.advance(TTL + 1);
    const current = await claimOne(store, 'node-b');

    for (const change of [{ progress: { late: 1 }, dueAt: START }, { remove: true }, { failed: 'late' }] as const) {
      equal(await report(store, late, change), undefined);
      equal(await report(store, current, change), undefined);
      equal(await report(store, late, { ...change, node: 'node-b' }), undefined);
    }

    equal((await recordOf(store, 'one')).openCalls, 1);
    const noted = await report(store, current, { node: 'node-b', dueAt: START });
    deepEqual(noted, await callOf(store, 'a'));
    deepEqual([noted?.progress, noted?.dueAt, noted?.failed], [{}, START, undefined]);
  },

  'a report without a time stores the progress and keeps the lease': async ({ store }) => {
    await createCaller(store, 'one', 'a');
    const call = await claimOne(store);

    const noted = await report(store, call, { progress: { taskId: 'child', text: '"\0' } });

    deepEqual(noted, await callOf(store, 'a'));
    deepEqual(noted?.progress, { taskId: 'child', text: '"\0' });
    deepEqual(await claimed(store, { node: 'node-b' }), []);
    await report(store, call, { dueAt: START });
    const next = await claimOne(store, 'node-b');
    deepEqual([next.progress, next.fence], [{ taskId: 'child', text: '"\0' }, 2]);
  },

  'a released call is due at the given time, or only by another write': async ({ store, clock }) => {
    await createCaller(store, 'one', 'a');
    equal((await report(store, await claimOne(store), { dueAt: START + 5 }))?.dueAt, START + 5);
    equal(await store.nextCall(['translator']), START + 5);
    clock.advance(5);

    const released = await report(store, await claimOne(store, 'node-a'), { dueAt: null });

    equal(released?.dueAt, undefined);
    clock.advance(HOUR);
    equal(await store.nextCall(['translator']), undefined);
    deepEqual(await claimed(store), []);
    await append(store, 'one', { callsDue: true });
    equal(await store.nextCall(['translator']), clock.now());
    deepEqual(await claimed(store), ['a']);
  },

  'a held call that becomes due stays with its node, and keeps the earlier time when it is released': async ({
    store,
    clock,
  }) => {
    await create(store, newTask('one'));
    await append(store, 'one', calling(newCall('a')));
    await create(store, newTask('child', { callId: 'a' }));
    const call = await claimOne(store);
    clock.advance(1);
    await append(store, 'child', end());

    equal(await store.nextCall(['translator']), undefined);
    deepEqual(await claimed(store, { node: 'node-b' }), []);
    equal((await report(store, call, { progress: { seen: 1 } }))?.dueAt, START + 1);

    const released = await report(store, call, { dueAt: null });
    equal(released?.dueAt, START + 1);
    const again = await claimOne(store);
    equal((await report(store, again, { dueAt: START + HOUR }))?.dueAt, START + HOUR);
  },

  'a held call that becomes due earlier than its release keeps the earlier of both times': async ({ store, clock }) => {
    await createCaller(store, 'one', 'a');
    const call = await claimOne(store);
    clock.advance(5);
    await append(store, 'one', { canceling: true });

    equal((await report(store, call, { dueAt: START + HOUR }))?.dueAt, START + 5);
    equal(await store.nextCall(['translator']), START + 5);
  },

  'a report can remove a call': async ({ store }) => {
    await createCaller(store, 'one', 'a', 'b');
    await append(store, 'one', end());
    const [call = fail()] = await claimCalls(store);

    equal((await report(store, call, { remove: true }))?.id, 'a');

    deepEqual(await callIds(store), ['b']);
    equal((await recordOf(store, 'one')).openCalls, 1);
    equal(await store.countCalls(ALICE), 1);
    equal(await report(store, call, { remove: true }), undefined);
  },

  'a call that was removed while a node held it is not found by its report': async ({ store }) => {
    await createCaller(store, 'one', 'a');
    const call = await claimOne(store);
    await append(store, 'one', { endsCall: 'a' }, { call: 'a' });
    equal(await report(store, call, { dueAt: START }), undefined);
    equal(await store.nextCall(['translator']), undefined);
  },
};

/** Only for durable stores. */
export const durableCalls: Behaviours = {
  'calls and their tasks are there when the store is opened again': async ({ store, clock, reopen }) => {
    await createCaller(store, 'one', 'a', 'b', 'c');
    await create(store, newTask('child', { callId: 'a' }));
    const [first = fail(), second = fail()] = await claimCalls(store, { limit: 2 });
    await report(store, first, { progress: { taskId: 'child' } });
    await report(store, second, { failed: 'No answer' });
    const calls = await store.listCalls({ limit: 9 });

    const again = await reopen();

    deepEqual(await again.listCalls({ limit: 9 }), calls);
    deepEqual([(await recordOf(again, 'one')).openCalls, (await recordOf(again, 'child')).callId], [2, 'a']);
    equal(await again.countCalls(ALICE), 2);
    clock.advance(TTL + 1);
    const claims = await claimCalls(again, { node: 'node-b' });
    deepEqual(
      claims.map(({ id, fence, progress }) => [id, fence, progress]),
      [
        ['c', 1, {}],
        ['a', 2, { taskId: 'child' }],
      ],
    );
  },
};
