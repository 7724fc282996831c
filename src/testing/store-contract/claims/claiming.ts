import { deepEqual, equal } from 'node:assert/strict';

import type { Behaviours } from '../subject.ts';
import { end, START, status, times, TTL } from '../samples.ts';

const AGENTS = ['translator'];

export const claiming: Behaviours = {
  'a claim takes the lease of a due task and changes nothing else': async (t) => {
    const before = await t.create('one');
    const everything = await t.everythingOf('one');

    const claimed = await t.claim('node-a');

    const record = { ...before, node: 'node-a', fence: 1, attempts: 1 };
    deepEqual(claimed, [record]);
    deepEqual(await t.everythingOf('one'), { ...everything, task: { ...everything.task, record } });
  },

  'a task is due from its wake-up on': async (t) => {
    await t.create('one', { wakeAt: START + 1000 });

    t.clock.advance(999);
    deepEqual(await t.claim('node-a'), []);
    t.clock.advance(1);
    deepEqual(await t.claimIds('node-a'), ['one']);
  },

  'a task whose wake-up was put off is due later': async (t) => {
    await t.create('one');
    await t.append('one', { wakeAt: START + 1000 });

    deepEqual(await t.claim('node-a'), []);
    t.clock.advance(1000);
    deepEqual(await t.claimIds('node-a'), ['one']);
  },

  'a task that waits for its caller is not due until a wake-up is set again': async (t) => {
    await t.create('one');
    await t.append('one', { status: status('TASK_STATE_INPUT_REQUIRED'), wakeAt: null, question: 'q-1' });
    t.clock.advance(10 * TTL);
    deepEqual(await t.claim('node-a'), []);

    await t.append('one', { wakeAt: START });

    deepEqual(await t.claimIds('node-a'), ['one']);
  },

  'a provisional task can be claimed like any other': async (t) => {
    await t.createProvisional('one');

    deepEqual(await t.claimIds('node-a'), ['one']);
    equal((await t.recordOf('one')).visible, false);
  },

  'tasks of all owners are claimed': async (t) => {
    await t.create('one');
    await t.create('two', { owner: 'bob', wakeAt: START - 1 });
    await t.create('three', { tenant: 'globex', wakeAt: START - 2 });

    deepEqual(await t.claimIds('node-a'), ['three', 'two', 'one']);
  },

  'a claim returns only tasks of the agents that it names': async (t) => {
    await t.create('one');
    await t.create('two', { agent: 'painter', wakeAt: START - 2 });
    await t.create('three', { agent: 'poet', wakeAt: START - 1 });

    deepEqual(await t.claimIds('node-a', { agents: [] }), []);
    deepEqual(await t.claimIds('node-a', { agents: ['sculptor'] }), []);
    deepEqual(await t.claimIds('node-a', { agents: ['translator', 'painter'] }), ['two', 'one']);
    deepEqual(await t.claimIds('node-a', { limit: 1, agents: ['translator', 'poet'] }), ['three']);
  },

  'a claim for one task returns it if it is due and free': async (t) => {
    await t.store.heartbeat('node-b', TTL);
    await t.create('one');
    await t.create('longer', { wakeAt: START - 1 });
    await t.create('later', { wakeAt: START + 1 });
    await t.create('held', { node: 'node-b' });
    await t.create('painted', { agent: 'painter' });
    const claimOne = async (taskId: string, limit = 1): Promise<readonly string[]> =>
      (await t.store.claim({ node: 'node-a', agents: AGENTS, limit, taskId })).map(({ id, fence }) => `${id} ${fence}`);

    for (const taskId of ['later', 'held', 'painted', 'nothing', 'o\0ne', '']) deepEqual(await claimOne(taskId), []);
    deepEqual(await claimOne('one', 0), []);
    await t.store.heartbeat('node-a', TTL);
    deepEqual(await claimOne('one', 10), ['one 1']);
    deepEqual(await claimOne('one'), []);
    t.clock.advance(TTL);
    deepEqual(await claimOne('held'), ['held 2']);
    deepEqual(await t.claimIds('node-c'), ['longer', 'one', 'held', 'later']);
  },

  'a claim returns at most as many tasks as its limit, the longest due first': async (t) => {
    for (const [i, wait] of [3, 1, 4, 0, 5, 2].entries()) {
      await t.create(`task-${i}`, { wakeAt: START - wait });
    }

    deepEqual(await t.claimIds('node-a', { limit: 2 }), ['task-4', 'task-2']);
    deepEqual(await t.claimIds('node-a', { limit: 3 }), ['task-0', 'task-5', 'task-1']);
    deepEqual(await t.claimIds('node-a', { limit: 3 }), ['task-3']);
    deepEqual(await t.claimIds('node-a', { limit: 3 }), []);
  },

  'a changed wake-up changes the order of claims': async (t) => {
    await t.create('one', { wakeAt: START - 2 });
    await t.create('two', { wakeAt: START - 1 });
    await t.append('two', { wakeAt: START - 3 });

    deepEqual(await t.claimIds('node-a'), ['two', 'one']);
  },

  'tasks that are not due do not count against the limit of a claim': async (t) => {
    await t.store.heartbeat('node-b', TTL);
    await t.create('held', { wakeAt: START - 9, node: 'node-b' });
    await t.create('painted', { wakeAt: START - 8, agent: 'painter' });
    await t.create('ended', { wakeAt: START - 7 });
    await t.append('ended', end());
    await t.create('one');

    deepEqual(await t.claimIds('node-a', { limit: 1 }), ['one']);
  },

  'concurrent claims never return the same task twice': async (t) => {
    const nodes = times(5).map((i) => `node-${i}`);
    for (const node of nodes) await t.store.heartbeat(node, TTL);
    const ids = times(60).map((i) => `task-${i}`);
    await Promise.all(ids.map((id) => t.create(id)));

    const claims = await Promise.all(
      times(25).map((i) => t.store.claim({ node: nodes[i % 5] ?? '', agents: AGENTS, limit: 3 })),
    );

    const claimed = claims.flat();
    deepEqual(claimed.map(({ id }) => id).sort(), [...ids].sort());
    for (const record of claimed) deepEqual(await t.recordOf(record.id), record);
    for (const [i, records] of claims.entries()) {
      for (const { node, fence } of records) deepEqual([node, fence], [nodes[i % 5], 1]);
    }
  },

  'concurrent claims and writes agree on the holder of a task': async (t) => {
    await t.store.heartbeat('node-a', TTL);
    await t.create('one');

    const [claimed, write] = await Promise.all([
      t.store.claim({ node: 'node-a', agents: AGENTS, limit: 1 }),
      t.store.append({ taskId: 'one', guard: { idle: true }, wakeAt: null }),
    ]);

    // The later of the two has seen the result of the earlier one.
    deepEqual([claimed.length, write.kind], write.kind === 'appended' ? [0, 'appended'] : [1, 'rejected']);
  },

  'there is no next wake-up if no task waits': async (t) => {
    equal(await t.store.nextWake(AGENTS), undefined);
    await t.create('paused');
    await t.append('paused', { wakeAt: null });
    await t.create('ended');
    await t.append('ended', end());
    equal(await t.store.nextWake(AGENTS), undefined);
  },

  'the next wake-up is the earliest one of the tasks that no living node holds': async (t) => {
    await t.store.heartbeat('node-a', TTL);
    await t.create('held', { wakeAt: START - 5, node: 'node-a' });
    equal(await t.store.nextWake(AGENTS), undefined);
    await t.create('late', { wakeAt: START + 2000 });
    await t.create('soon', { wakeAt: START + 1000 });
    equal(await t.store.nextWake(AGENTS), START + 1000);

    await t.append('soon', { wakeAt: START + 3000 });
    equal(await t.store.nextWake(AGENTS), START + 2000);
    await t.append('late', { wakeAt: null });
    equal(await t.store.nextWake(AGENTS), START + 3000);
    t.clock.advance(TTL);
    equal(await t.store.nextWake(AGENTS), START - 5);
  },

  'the next wake-up can be requested for some agents only': async (t) => {
    await t.create('one', { agent: 'painter', wakeAt: START - 5 });
    await t.create('two', { wakeAt: START + 5 });
    equal(await t.store.nextWake(['translator']), START + 5);
    equal(await t.store.nextWake(['translator', 'painter']), START - 5);
    equal(await t.store.nextWake(['poet']), undefined);
  },
};
