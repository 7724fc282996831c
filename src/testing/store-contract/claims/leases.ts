import { deepEqual, equal } from 'node:assert/strict';

import type { Behaviours, Subject } from '../subject.ts';
import { event, START, TTL } from '../samples.ts';

const A1 = { lease: { node: 'node-a', fence: 1 } };

export const leases: Behaviours = {
  'a released lease lets another node claim the task, and its run does not count as an attempt': async (t) => {
    await t.store.heartbeat('node-a', TTL);
    const { node: _, ...rest } = await t.create('one', { node: 'node-a' });

    const { record } = await t.append('one', { release: true }, A1);

    deepEqual(record, { ...rest, attempts: 0 });
    deepEqual(await t.recordOf('one'), record);
    const next = await t.lease('node-b', 'one');
    deepEqual([next.node, next.fence, next.attempts], ['node-b', 2, 1]);
  },

  'a write with a released lease is rejected': async (t) => {
    await t.create('one', { node: 'node-a' });
    await t.append('one', { release: true }, A1);

    equal(await isAccepted(t, 'node-a', 1), false);
  },

  'a revoked lease raises the fencing number, and its attempt counts': async (t) => {
    await t.store.heartbeat('node-a', TTL);
    const { node: _, ...rest } = await t.create('one', { node: 'node-a' });

    const { record } = await t.append('one', { revoke: true });

    deepEqual(record, { ...rest, fence: 2 });
    deepEqual(await t.recordOf('one'), record);
    equal(await isAccepted(t, 'node-a', 1), false);
    equal(await isAccepted(t, 'node-a', 2), false);
    await t.append('one', {}, { idle: true });
    const next = await t.lease('node-b', 'one');
    deepEqual([next.node, next.fence, next.attempts], ['node-b', 3, 2]);
  },

  'an attempt can be left uncounted, and earlier attempts still count': async (t) => {
    await t.create('one');
    await t.lease('node-a', 'one');
    t.clock.advance(TTL);
    await t.lease('node-b', 'one');

    const { record } = await t.append('one', { revoke: true, uncounted: true });

    deepEqual([record.attempts, record.fence, record.node], [1, 3, undefined]);
    deepEqual(await t.recordOf('one'), record);
    const again = await t.append('one', { uncounted: true });
    deepEqual(again.record.attempts, 0);
    deepEqual((await t.append('one', { uncounted: true })).record.attempts, 0);
  },

  'a lease can be released and revoked in one write': async (t) => {
    const { node: _, ...rest } = await t.create('one', { node: 'node-a' });

    const { record } = await t.append('one', { release: true, revoke: true });

    deepEqual(record, { ...rest, fence: 2, attempts: 0 });
  },

  'revoking the lease of an idle task still raises the fencing number': async (t) => {
    const before = await t.create('one');

    deepEqual((await t.append('one', { revoke: true })).record, { ...before, fence: 1 });
  },

  'attempts add up until a run ends by itself': async (t) => {
    await t.create('one');
    for (const attempt of [1, 2, 3]) {
      const { attempts, fence } = await t.lease(`node-${attempt}`, 'one');
      deepEqual([attempts, fence], [attempt, attempt]);
      t.clock.advance(TTL);
    }

    const { record } = await t.append('one', { release: true });

    deepEqual([record.attempts, record.fence], [0, 3]);
  },

  'a node that missed its heartbeats can write until another node has claimed its task': async (t) => {
    await t.store.heartbeat('node-a', TTL);
    await t.create('one', { node: 'node-a' });
    t.clock.advance(10 * TTL);
    equal(await isAccepted(t, 'node-a', 1), true);

    await t.lease('node-b', 'one');

    equal(await isAccepted(t, 'node-a', 1), false);
    equal(await isAccepted(t, 'node-a', 2), false);
    equal(await isAccepted(t, 'node-b', 1), false);
    equal(await isAccepted(t, 'node-b', 2), true);
  },

  'a node that claims its own task again gets a new lease': async (t) => {
    await t.store.heartbeat('node-a', TTL);
    await t.create('one', { node: 'node-a' });
    t.clock.advance(TTL);

    const [record] = await t.store.claim({ node: 'node-a', agents: ['translator'], limit: 1 });

    deepEqual([record?.node, record?.fence, record?.attempts], ['node-a', 2, 2]);
    equal(await isAccepted(t, 'node-a', 1), false);
    equal(await isAccepted(t, 'node-a', 2), true);
  },

  'leases are free when the heartbeat of their node has expired': async (t) => {
    await t.store.heartbeat('node-a', TTL);
    await t.create('one', { node: 'node-a' });

    t.clock.advance(TTL - 1);
    deepEqual(await t.claimIds('node-z'), []);
    t.clock.advance(1);
    deepEqual(await t.claimIds('node-z'), ['one']);
  },

  'a heartbeat extends the leases of its own node only': async (t) => {
    await t.store.heartbeat('node-a', TTL);
    await t.store.heartbeat('node-b', TTL);
    await t.create('one', { node: 'node-a' });
    await t.create('two', { node: 'node-b' });

    t.clock.advance(TTL - 1);
    await t.store.heartbeat('node-a', TTL);
    t.clock.advance(TTL - 1);

    deepEqual(await t.claimIds('node-z'), ['two']);
  },

  'a node that resumes its heartbeats keeps the leases that no other node has claimed': async (t) => {
    await t.store.heartbeat('node-a', TTL);
    await t.create('one', { node: 'node-a' });
    t.clock.advance(2 * TTL);

    await t.store.heartbeat('node-a', TTL);

    deepEqual(await t.claimIds('node-z'), []);
    equal(await isAccepted(t, 'node-a', 1), true);
  },

  'a node that retires releases all its leases at once': async (t) => {
    await t.store.heartbeat('node-a', TTL);
    await t.store.heartbeat('node-b', TTL);
    await t.create('one', { node: 'node-a' });
    await t.create('two', { node: 'node-a', wakeAt: START - 1 });
    await t.create('three', { node: 'node-b' });
    const before = await t.recordOf('one');

    await t.store.retire('node-a');

    deepEqual(await t.recordOf('one'), before);
    equal(await t.store.nextWake(['translator']), START - 1);
    deepEqual(await t.claimIds('node-z'), ['two', 'one']);
  },

  'an unknown node can retire': async (t) => {
    await t.store.retire('node-x');
  },
};

async function isAccepted(t: Subject, node: string, fence: number): Promise<boolean> {
  const result = await t.store.append({ taskId: 'one', guard: { lease: { node, fence } }, events: [event('a')] });
  return result.kind === 'appended';
}
