import { deepEqual, equal } from 'node:assert/strict';

import type { Store } from '../../../store/store.ts';
import type { Behaviours } from '../behaviours.ts';
import {
  append,
  create,
  end,
  everythingOf,
  newTask,
  provisionalTask,
  recordOf,
  START,
  status,
  times,
  TTL,
} from '../samples.ts';

const AGENTS = ['translator'];

export const claiming: Behaviours = {
  'a claim takes the lease of a due task and changes nothing else': async ({ store }) => {
    const before = await create(store, newTask('one'));
    const everything = await everythingOf(store, 'one');

    const claimed = await claim(store, 'node-a');

    const record = { ...before, node: 'node-a', fence: 1, attempts: 1 };
    deepEqual(claimed, [record]);
    deepEqual(await everythingOf(store, 'one'), { ...everything, task: { ...everything.task, record } });
  },

  'a task is due from its wake-up on': async ({ store, clock }) => {
    await create(store, newTask('one', { wakeAt: START + 1000 }));

    clock.advance(999);
    deepEqual(await claim(store, 'node-a'), []);
    clock.advance(1);
    deepEqual(await claimIds(store, 'node-a'), ['one']);
  },

  'a task whose wake-up was put off is due later': async ({ store, clock }) => {
    await create(store, newTask('one'));
    await append(store, 'one', { wakeAt: START + 1000 });

    deepEqual(await claim(store, 'node-a'), []);
    clock.advance(1000);
    deepEqual(await claimIds(store, 'node-a'), ['one']);
  },

  'a task that waits for its caller is not due until a wake-up is set again': async ({ store, clock }) => {
    await create(store, newTask('one'));
    await append(store, 'one', { status: status('TASK_STATE_INPUT_REQUIRED'), wakeAt: null, question: 'q-1' });
    clock.advance(10 * TTL);
    deepEqual(await claim(store, 'node-a'), []);

    await append(store, 'one', { wakeAt: START });

    deepEqual(await claimIds(store, 'node-a'), ['one']);
  },

  'a provisional task can be claimed like any other': async ({ store }) => {
    await create(store, provisionalTask('one'));

    deepEqual(await claimIds(store, 'node-a'), ['one']);
    equal((await recordOf(store, 'one')).visible, false);
  },

  'tasks of all owners are claimed': async ({ store }) => {
    await create(store, newTask('one'));
    await create(store, newTask('two', { owner: 'bob', wakeAt: START - 1 }));
    await create(store, newTask('three', { tenant: 'globex', wakeAt: START - 2 }));

    deepEqual(await claimIds(store, 'node-a'), ['three', 'two', 'one']);
  },

  'a claim returns only tasks of the agents that it names': async ({ store }) => {
    await create(store, newTask('one'));
    await create(store, newTask('two', { agent: 'painter', wakeAt: START - 2 }));
    await create(store, newTask('three', { agent: 'poet', wakeAt: START - 1 }));

    deepEqual(await claimIds(store, 'node-a', 10, []), []);
    deepEqual(await claimIds(store, 'node-a', 10, ['sculptor']), []);
    deepEqual(await claimIds(store, 'node-a', 10, ['translator', 'painter']), ['two', 'one']);
    deepEqual(await claimIds(store, 'node-a', 1, ['translator', 'poet']), ['three']);
  },

  'a claim for one task returns it if it is due and free': async ({ store, clock }) => {
    await store.heartbeat('node-b', TTL);
    await create(store, newTask('one'));
    await create(store, newTask('longer', { wakeAt: START - 1 }));
    await create(store, newTask('later', { wakeAt: START + 1 }));
    await create(store, newTask('held', { node: 'node-b' }));
    await create(store, newTask('painted', { agent: 'painter' }));
    const claimOne = async (taskId: string, limit = 1): Promise<readonly string[]> =>
      (await store.claim({ node: 'node-a', agents: AGENTS, limit, taskId })).map(({ id, fence }) => `${id} ${fence}`);

    for (const taskId of ['later', 'held', 'painted', 'nothing', 'o\0ne', '']) deepEqual(await claimOne(taskId), []);
    deepEqual(await claimOne('one', 0), []);
    await store.heartbeat('node-a', TTL);
    deepEqual(await claimOne('one', 10), ['one 1']);
    deepEqual(await claimOne('one'), []);
    clock.advance(TTL);
    deepEqual(await claimOne('held'), ['held 2']);
    deepEqual(await claimIds(store, 'node-c'), ['longer', 'one', 'held', 'later']);
  },

  'a claim returns at most as many tasks as its limit, the longest due first': async ({ store }) => {
    for (const [i, wait] of [3, 1, 4, 0, 5, 2].entries()) {
      await create(store, newTask(`task-${i}`, { wakeAt: START - wait }));
    }

    deepEqual(await claimIds(store, 'node-a', 2), ['task-4', 'task-2']);
    deepEqual(await claimIds(store, 'node-a', 3), ['task-0', 'task-5', 'task-1']);
    deepEqual(await claimIds(store, 'node-a', 3), ['task-3']);
    deepEqual(await claimIds(store, 'node-a', 3), []);
  },

  'a changed wake-up changes the order of claims': async ({ store }) => {
    await create(store, newTask('one', { wakeAt: START - 2 }));
    await create(store, newTask('two', { wakeAt: START - 1 }));
    await append(store, 'two', { wakeAt: START - 3 });

    deepEqual(await claimIds(store, 'node-a'), ['two', 'one']);
  },

  'tasks that are not due do not count against the limit of a claim': async ({ store }) => {
    await store.heartbeat('node-b', TTL);
    await create(store, newTask('held', { wakeAt: START - 9, node: 'node-b' }));
    await create(store, newTask('painted', { wakeAt: START - 8, agent: 'painter' }));
    await create(store, newTask('ended', { wakeAt: START - 7 }));
    await append(store, 'ended', end());
    await create(store, newTask('one'));

    deepEqual(await claimIds(store, 'node-a', 1), ['one']);
  },

  'concurrent claims never return the same task twice': async ({ store }) => {
    const nodes = times(5).map((i) => `node-${i}`);
    for (const node of nodes) await store.heartbeat(node, TTL);
    const ids = times(60).map((i) => `task-${i}`);
    await Promise.all(ids.map((id) => create(store, newTask(id))));

    const claims = await Promise.all(
      times(25).map((i) => store.claim({ node: nodes[i % 5] ?? '', agents: AGENTS, limit: 3 })),
    );

    const claimed = claims.flat();
    deepEqual(claimed.map(({ id }) => id).sort(), [...ids].sort());
    for (const record of claimed) deepEqual(await recordOf(store, record.id), record);
    for (const [i, records] of claims.entries()) {
      for (const { node, fence } of records) deepEqual([node, fence], [nodes[i % 5], 1]);
    }
  },

  'concurrent claims and writes agree on the holder of a task': async ({ store }) => {
    await store.heartbeat('node-a', TTL);
    await create(store, newTask('one'));

    const [claimed, write] = await Promise.all([
      store.claim({ node: 'node-a', agents: AGENTS, limit: 1 }),
      store.append({ taskId: 'one', guard: { idle: true }, wakeAt: null }),
    ]);

    // The later of the two has seen the result of the earlier one.
    deepEqual([claimed.length, write.kind], write.kind === 'appended' ? [0, 'appended'] : [1, 'rejected']);
  },

  'there is no next wake-up if no task waits': async ({ store }) => {
    equal(await store.nextWake(AGENTS), undefined);
    await create(store, newTask('paused'));
    await append(store, 'paused', { wakeAt: null });
    await create(store, newTask('ended'));
    await append(store, 'ended', end());
    equal(await store.nextWake(AGENTS), undefined);
  },

  'the next wake-up is the earliest one of the tasks that no living node holds': async ({ store, clock }) => {
    await store.heartbeat('node-a', TTL);
    await create(store, newTask('held', { wakeAt: START - 5, node: 'node-a' }));
    equal(await store.nextWake(AGENTS), undefined);
    await create(store, newTask('late', { wakeAt: START + 2000 }));
    await create(store, newTask('soon', { wakeAt: START + 1000 }));
    equal(await store.nextWake(AGENTS), START + 1000);

    await append(store, 'soon', { wakeAt: START + 3000 });
    equal(await store.nextWake(AGENTS), START + 2000);
    await append(store, 'late', { wakeAt: null });
    equal(await store.nextWake(AGENTS), START + 3000);
    clock.advance(TTL);
    equal(await store.nextWake(AGENTS), START - 5);
  },

  'the next wake-up can be requested for some agents only': async ({ store }) => {
    await create(store, newTask('one', { agent: 'painter', wakeAt: START - 5 }));
    await create(store, newTask('two', { wakeAt: START + 5 }));
    equal(await store.nextWake(['translator']), START + 5);
    equal(await store.nextWake(['translator', 'painter']), START - 5);
    equal(await store.nextWake(['poet']), undefined);
  },
};

async function claim(store: Store, node: string): ReturnType<Store['claim']> {
  await store.heartbeat(node, TTL);
  return store.claim({ node, agents: AGENTS, limit: 10 });
}

async function claimIds(
  store: Store,
  node: string,
  limit = 10,
  agents: readonly string[] = AGENTS,
): Promise<readonly string[]> {
  await store.heartbeat(node, TTL);
  return (await store.claim({ node, agents, limit })).map(({ id }) => id);
}
