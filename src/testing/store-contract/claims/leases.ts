import { deepEqual, equal } from 'node:assert/strict';

import type { Store } from '../../../store/store.ts';
import type { Behaviours } from '../behaviours.ts';
import { append, create, event, lease, newTask, recordOf, START, TTL } from '../samples.ts';

const A1 = { lease: { node: 'node-a', fence: 1 } };

export const leases: Behaviours = {
  'a released lease lets another node claim the task, and its run does not count as an attempt': async ({ store }) => {
    await store.heartbeat('node-a', TTL);
    const { node: _, ...rest } = await create(store, newTask('one', { node: 'node-a' }));

    const { record } = await append(store, 'one', { release: true }, A1);

    deepEqual(record, { ...rest, attempts: 0 });
    deepEqual(await recordOf(store, 'one'), record);
    const next = await lease(store, 'node-b', 'one');
    deepEqual([next.node, next.fence, next.attempts], ['node-b', 2, 1]);
  },

  'a write with a released lease is rejected': async ({ store }) => {
    await create(store, newTask('one', { node: 'node-a' }));
    await append(store, 'one', { release: true }, A1);

    equal(await isAccepted(store, 'node-a', 1), false);
  },

  'a revoked lease raises the fencing number, and its attempt counts': async ({ store }) => {
    await store.heartbeat('node-a', TTL);
    const { node: _, ...rest } = await create(store, newTask('one', { node: 'node-a' }));

    const { record } = await append(store, 'one', { revoke: true });

    deepEqual(record, { ...rest, fence: 2 });
    deepEqual(await recordOf(store, 'one'), record);
    equal(await isAccepted(store, 'node-a', 1), false);
    equal(await isAccepted(store, 'node-a', 2), false);
    await append(store, 'one', {}, { idle: true });
    const next = await lease(store, 'node-b', 'one');
    deepEqual([next.node, next.fence, next.attempts], ['node-b', 3, 2]);
  },

  'an attempt can be left uncounted, and earlier attempts still count': async ({ store, clock }) => {
    await create(store, newTask('one'));
    await lease(store, 'node-a', 'one');
    clock.advance(TTL);
    await lease(store, 'node-b', 'one');

    const { record } = await append(store, 'one', { revoke: true, uncounted: true });

    deepEqual([record.attempts, record.fence, record.node], [1, 3, undefined]);
    deepEqual(await recordOf(store, 'one'), record);
    const again = await append(store, 'one', { uncounted: true });
    deepEqual(again.record.attempts, 0);
    deepEqual((await append(store, 'one', { uncounted: true })).record.attempts, 0);
  },

  'a lease can be released and revoked in one write': async ({ store }) => {
    const { node: _, ...rest } = await create(store, newTask('one', { node: 'node-a' }));

    const { record } = await append(store, 'one', { release: true, revoke: true });

    deepEqual(record, { ...rest, fence: 2, attempts: 0 });
  },

  'revoking the lease of an idle task still raises the fencing number': async ({ store }) => {
    const before = await create(store, newTask('one'));

    deepEqual((await append(store, 'one', { revoke: true })).record, { ...before, fence: 1 });
  },

  'attempts add up until a run ends by itself': async ({ store, clock }) => {
    await create(store, newTask('one'));
    for (const attempt of [1, 2, 3]) {
      const { attempts, fence } = await lease(store, `node-${attempt}`, 'one');
      deepEqual([attempts, fence], [attempt, attempt]);
      clock.advance(TTL);
    }

    const { record } = await append(store, 'one', { release: true });

    deepEqual([record.attempts, record.fence], [0, 3]);
  },

  'a node that missed its heartbeats can write until another node has claimed its task': async ({ store, clock }) => {
    await store.heartbeat('node-a', TTL);
    await create(store, newTask('one', { node: 'node-a' }));
    clock.advance(10 * TTL);
    equal(await isAccepted(store, 'node-a', 1), true);

    await lease(store, 'node-b', 'one');

    equal(await isAccepted(store, 'node-a', 1), false);
    equal(await isAccepted(store, 'node-a', 2), false);
    equal(await isAccepted(store, 'node-b', 1), false);
    equal(await isAccepted(store, 'node-b', 2), true);
  },

  'a node that claims its own task again gets a new lease': async ({ store, clock }) => {
    await store.heartbeat('node-a', TTL);
    await create(store, newTask('one', { node: 'node-a' }));
    clock.advance(TTL);

    const [record] = await store.claim({ node: 'node-a', agents: ['translator'], limit: 1 });

    deepEqual([record?.node, record?.fence, record?.attempts], ['node-a', 2, 2]);
    equal(await isAccepted(store, 'node-a', 1), false);
    equal(await isAccepted(store, 'node-a', 2), true);
  },

  'leases are free when the heartbeat of their node has expired': async ({ store, clock }) => {
    await store.heartbeat('node-a', TTL);
    await create(store, newTask('one', { node: 'node-a' }));

    clock.advance(TTL - 1);
    deepEqual(await claimable(store), []);
    clock.advance(1);
    deepEqual(await claimable(store), ['one']);
  },

  'a heartbeat extends the leases of its own node only': async ({ store, clock }) => {
    await store.heartbeat('node-a', TTL);
    await store.heartbeat('node-b', TTL);
    await create(store, newTask('one', { node: 'node-a' }));
    await create(store, newTask('two', { node: 'node-b' }));

    clock.advance(TTL - 1);
    await store.heartbeat('node-a', TTL);
    clock.advance(TTL - 1);

    deepEqual(await claimable(store), ['two']);
  },

  'a node that resumes its heartbeats keeps the leases that no other node has claimed': async ({ store, clock }) => {
    await store.heartbeat('node-a', TTL);
    await create(store, newTask('one', { node: 'node-a' }));
    clock.advance(2 * TTL);

    await store.heartbeat('node-a', TTL);

    deepEqual(await claimable(store), []);
    equal(await isAccepted(store, 'node-a', 1), true);
  },

  'a node that retires releases all its leases at once': async ({ store }) => {
    await store.heartbeat('node-a', TTL);
    await store.heartbeat('node-b', TTL);
    await create(store, newTask('one', { node: 'node-a' }));
    await create(store, newTask('two', { node: 'node-a', wakeAt: START - 1 }));
    await create(store, newTask('three', { node: 'node-b' }));
    const before = await recordOf(store, 'one');

    await store.retire('node-a');

    deepEqual(await recordOf(store, 'one'), before);
    equal(await store.nextWake(['translator']), START - 1);
    deepEqual(await claimable(store), ['two', 'one']);
  },

  'an unknown node can retire': async ({ store }) => {
    await store.retire('node-x');
  },
};

async function isAccepted(store: Store, node: string, fence: number): Promise<boolean> {
  const result = await store.append({ taskId: 'one', guard: { lease: { node, fence } }, events: [event('a')] });
  return result.kind === 'appended';
}

/** Claims the free tasks for a node, which sends a heartbeat, so that the tasks are no longer free. */
async function claimable(store: Store): Promise<readonly string[]> {
  await store.heartbeat('node-z', TTL);
  return (await store.claim({ node: 'node-z', agents: ['translator'], limit: 100 })).map(({ id }) => id);
}
