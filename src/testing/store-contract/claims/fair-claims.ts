import { deepEqual, equal } from 'node:assert/strict';

import type { ClaimRequest, NewTask, Store } from '../../../store/store.ts';
import type { Behaviours } from '../behaviours.ts';
import { ALICE, append, create, listed, newTask, recordOf, START, times, TTL } from '../samples.ts';

/** How a claim distributes tasks among owners if more tasks are due than it may return. */
export const fairClaims: Behaviours = {
  'owners get tasks round robin if a claim cannot return all that are due': async ({ store }) => {
    await waiting(store, { alice: 5, carol: 1, bob: 2 });

    deepEqual(await claimed(store, { limit: 1 }), ['alice-0']);
    deepEqual(await claimed(store, { limit: 1 }), ['bob-0']);
    deepEqual(await claimed(store, { limit: 1 }), ['carol-0']);
    deepEqual(await claimed(store, { limit: 1 }), ['alice-1']);
    deepEqual(await claimed(store, { limit: 1 }), ['bob-1']);
    for (const i of [2, 3, 4]) deepEqual(await claimed(store, { limit: 1 }), [`alice-${i}`]);
    deepEqual(await claimed(store, { limit: 1 }), []);
  },

  'one claim goes round all owners as often as its limit allows': async ({ store }) => {
    await waiting(store, { alice: 9, bob: 2, carol: 1 });

    deepEqual(await claimedByOwner(store, 6), { alice: 3, bob: 2, carol: 1 });
  },

  'a claim continues after the owner that got the last task': async ({ store }) => {
    await waiting(store, { alice: 9, bob: 9, carol: 9 });

    deepEqual(await claimedByOwner(store, 2), { alice: 1, bob: 1 });
    deepEqual(await claimedByOwner(store, 2), { alice: 1, carol: 1 });
    deepEqual(await claimedByOwner(store, 4), { alice: 1, bob: 2, carol: 1 });
    deepEqual(await claimedByOwner(store, 1), { carol: 1 });
  },

  'all nodes share one rotation': async ({ store }) => {
    await waiting(store, { alice: 9, bob: 9, carol: 9 });

    deepEqual(await claimed(store, { node: 'node-a', limit: 1 }), ['alice-0']);
    deepEqual(await claimed(store, { node: 'node-b', limit: 1 }), ['bob-0']);
    deepEqual(await claimed(store, { node: 'node-a', limit: 1 }), ['carol-0']);
    deepEqual(await claimed(store, { node: 'node-b', limit: 1 }), ['alice-1']);
  },

  'an owner with one task is next, however many tasks of another owner have waited longer': async ({ store }) => {
    await waiting(store, { alice: 200 });
    deepEqual(await claimed(store, { limit: 1 }), ['alice-0']);
    await create(store, taskOf('bob', 0, { wakeAt: START }));

    deepEqual(await claimed(store, { limit: 1 }), ['bob-0']);
    deepEqual(await claimed(store, { limit: 1 }), ['alice-1']);
  },

  'each of many owners gets one task per round': async ({ store }) => {
    const owners = times(50).map((i) => `owner-${i}`);
    for (const owner of owners) await create(store, taskOf(owner, 0));
    await waiting(store, { alice: 60 });

    const given = [];
    for (let i = 0; i < 17; i++) given.push(...(await claimed(store, { limit: 3 })));

    deepEqual(given.sort(), ['alice-0', ...owners.map((owner) => `${owner}-0`)].sort());
  },

  'a claim that returns all due tasks does not move the rotation': async ({ store }) => {
    await waiting(store, { alice: 2, bob: 2 });
    deepEqual(await claimed(store, { limit: 1 }), ['alice-0']);
    deepEqual(await claimedByOwner(store, 3), { alice: 1, bob: 2 });
    await waiting(store, { alice: 2, bob: 2, carol: 2 }, 10);

    deepEqual(await claimed(store, { limit: 1 }), ['bob-10']);
  },

  'a claim with shares that returns all due tasks does not move the rotation': async ({ store }) => {
    await waiting(store, { alice: 1, bob: 1, carol: 1 });
    deepEqual(await claimed(store, { limit: 1 }), ['alice-0']);
    const shares = { running: new Map(), openSlots: 0 };
    deepEqual(await claimed(store, { limit: 9, shares }), ['bob-0', 'carol-0']);
    await waiting(store, { alice: 2, bob: 2, carol: 2 }, 10);

    deepEqual(await claimed(store, { limit: 1 }), ['bob-10']);
  },

  'all tenants of an owner share one turn in the rotation': async ({ store }) => {
    await create(store, taskOf('alice', 0));
    await create(store, taskOf('alice', 1, { tenant: 'globex' }));
    await create(store, taskOf('bob', 0));
    await create(store, taskOf('bob', 1));

    deepEqual(await claimedByOwner(store, 1), { alice: 1 });
    deepEqual(await claimed(store, { limit: 1 }), ['bob-0']);
    deepEqual(await claimed(store, { limit: 1 }), ['alice-1']);
  },

  'tasks of one owner with different fairness keys have separate turns in the rotation': async ({ store }) => {
    for (const i of times(3)) await create(store, taskOf('alice', i, { fairnessKey: 'address-1' }));
    await create(store, taskOf('alice', 3, { fairnessKey: 'address-2' }));
    await create(store, taskOf('alice', 4));

    for (const id of ['alice-0', 'alice-3', 'alice-4', 'alice-1', 'alice-2'])
      deepEqual(await claimed(store, { limit: 1 }), [id]);
  },

  'a fairness key is stored with its task and does not affect its visibility': async ({ store }) => {
    const created = await create(store, newTask('one', { fairnessKey: 'address-1' }));
    equal(created.fairnessKey, 'address-1');
    await store.heartbeat('node-a', TTL);
    await store.claim({ node: 'node-a', agents: AGENTS, limit: 1 });
    await append(store, 'one', { release: true, wakeAt: START }, { lease: { node: 'node-a', fence: 1 } });

    equal((await recordOf(store, 'one')).fairnessKey, 'address-1');
    equal((await store.claim({ node: 'node-a', agents: AGENTS, limit: 1 }))[0]?.fairnessKey, 'address-1');
    deepEqual(await listed(store), { ids: ['one'], total: 1 });
    equal(await store.read({ ...ALICE, owner: 'address-1' }, 'one'), undefined);
  },

  "a fairness key equal to the name of another owner shares that owner's turn": async ({ store }) => {
    await create(store, taskOf('alice', 0));
    await create(store, taskOf('bob', 0, { fairnessKey: 'alice' }));
    await create(store, taskOf('carol', 0));

    for (const id of ['alice-0', 'carol-0', 'bob-0']) deepEqual(await claimed(store, { limit: 1 }), [id]);
  },

  'tasks that slept, were released or lost their node have the same turns as new ones': async ({ store, clock }) => {
    await waiting(store, { alice: 9 });
    await store.heartbeat('node-z', 1000);
    await create(store, taskOf('bob', 0, { node: 'node-z' }));
    await create(store, taskOf('carol', 0, { wakeAt: START + 1000 }));
    await create(store, taskOf('dave', 0, { node: 'node-z' }));
    await append(store, 'dave-0', { release: true, wakeAt: START + 500 }, { lease: { node: 'node-z', fence: 1 } });
    deepEqual(await claimed(store, { limit: 1 }), ['alice-0']);
    clock.advance(1000);

    for (const id of ['bob-0', 'carol-0', 'dave-0', 'alice-1']) deepEqual(await claimed(store, { limit: 1 }), [id]);
  },

  'a task that was postponed or has ended leaves the rotation': async ({ store, clock }) => {
    await waiting(store, { alice: 4, bob: 2, carol: 1 });
    deepEqual(await claimed(store, { limit: 1 }), ['alice-0']);
    await append(store, 'bob-0', { wakeAt: START + 1000 });
    await append(store, 'bob-1', { wakeAt: null });
    await append(store, 'carol-0', { status: { state: 'TASK_STATE_CANCELED' }, endedAt: START });

    deepEqual(await claimed(store, { limit: 1 }), ['alice-1']);
    clock.advance(1000);
    deepEqual(await claimed(store, { limit: 1 }), ['bob-0']);
  },

  'each agent has a rotation of its own': async ({ store }) => {
    for (const agent of ['painter', 'translator']) {
      for (const owner of ['alice', 'bob']) {
        for (const i of times(3)) await create(store, taskOf(owner, i, { agent, id: `${agent} ${owner}-${i}` }));
      }
    }

    const one = async (agent: string): Promise<readonly string[]> => claimed(store, { agents: [agent], limit: 1 });
    deepEqual(await one('painter'), ['painter alice-0']);
    deepEqual(await one('painter'), ['painter bob-0']);
    deepEqual(await one('translator'), ['translator alice-0']);
    deepEqual(await one('painter'), ['painter alice-1']);
    deepEqual(await one('translator'), ['translator bob-0']);
  },

  'a claim for several agents starts with the agent whose next task has been due longest': async ({ store }) => {
    const both = { agents: ['painter', 'translator'], limit: 2 };
    for (const i of times(3)) await create(store, taskOf('alice', i, { agent: 'painter', id: `painted-${i}` }));
    await create(store, taskOf('bob', 0, { wakeAt: START - 2000 }));
    await create(store, taskOf('carol', 0));

    deepEqual(await claimed(store, both), ['bob-0', 'painted-0']);
    deepEqual(await claimed(store, both), ['carol-0', 'painted-1']);
  },

  'without open slots, only owners without a running task get a task, one each': async ({ store }) => {
    await waiting(store, { alice: 20, bob: 3, carol: 1 });
    const shares = { running: new Map([['alice', 9]]), openSlots: 0 };

    deepEqual(await claimed(store, { limit: 5, shares }), ['bob-0', 'carol-0']);
    shares.running.set('bob', 1).set('carol', 1);
    deepEqual(await claimed(store, { limit: 5, shares }), []);
    deepEqual(await claimed(store, { limit: 1 }), ['alice-0']);
  },

  'shares also apply to a claim that could return all due tasks': async ({ store }) => {
    await waiting(store, { alice: 2, bob: 2, carol: 1 });
    const shares = { running: new Map([['alice', 9]]), openSlots: 0 };

    deepEqual(await claimed(store, { limit: 9, shares }), ['bob-0', 'carol-0']);
    deepEqual(await claimed(store, { limit: 1 }), ['alice-0']);
    deepEqual(await claimed(store, { limit: 9, shares: { ...shares, running: new Map() } }), ['alice-1', 'bob-1']);
  },

  'open slots go round all owners, other slots to owners without a running task': async ({ store }) => {
    await waiting(store, { alice: 20, bob: 20, carol: 20, dave: 20 });
    const running = new Map([
      ['alice', 9],
      ['bob', 1],
    ]);

    deepEqual(await claimedByOwner(store, 3, { running, openSlots: 1 }), { alice: 1, carol: 1, dave: 1 });
    deepEqual(await claimedByOwner(store, 5, { running, openSlots: 2 }), { alice: 1, bob: 1, carol: 1, dave: 1 });
  },

  'an owner gets no more tasks than its limit of running tasks': async ({ store }) => {
    await waiting(store, { alice: 20, bob: 20, carol: 2 });
    const running = new Map([
      ['alice', 3],
      ['bob', 1],
    ]);
    const shares = { running, openSlots: 100, perKey: 3 };

    deepEqual(await claimedByOwner(store, 10, shares), { bob: 2, carol: 2 });
  },

  'a claim for one task ignores the rotation': async ({ store }) => {
    await waiting(store, { alice: 3, bob: 3 });
    deepEqual(await claimed(store, { limit: 1 }), ['alice-0']);
    deepEqual(await claimed(store, { limit: 1, taskId: 'alice-2' }), ['alice-2']);

    deepEqual(await claimed(store, { limit: 1 }), ['bob-0']);
    deepEqual(await claimed(store, { limit: 1 }), ['alice-1']);
  },

  'the next wake-up after a given time can be requested': async ({ store, clock }) => {
    await store.heartbeat('node-z', 1000);
    await waiting(store, { alice: 3 });
    await create(store, taskOf('bob', 0, { wakeAt: START + 500, node: 'node-z' }));
    await create(store, taskOf('carol', 0, { wakeAt: START + 700 }));
    // Makes some tasks due.
    deepEqual(await claimed(store, { limit: 1 }), ['alice-0']);

    equal(await store.nextWake(AGENTS), START - 999);
    equal(await store.nextWake(AGENTS, START - 999), START - 998);
    equal(await store.nextWake(AGENTS, START), START + 700);
    equal(await store.nextWake(AGENTS, START + 700), undefined);
    clock.advance(1000);
    equal(await store.nextWake(AGENTS, START), START + 500);
  },
};

/** For durable stores. */
export const durableFairClaims: Behaviours = {
  'owners get tasks round robin when the store is opened again': async (subject) => {
    await waiting(subject.store, { alice: 9 });
    await create(subject.store, taskOf('bob', 0, { fairnessKey: 'address-1' }));
    await create(subject.store, taskOf('carol', 0, { wakeAt: START + 1000 }));
    await subject.store.heartbeat('node-z', 1000);
    await create(subject.store, taskOf('dave', 0, { node: 'node-z' }));
    await append(subject.store, 'dave-0', { release: true, wakeAt: START }, { lease: { node: 'node-z', fence: 1 } });

    const store = await subject.reopen();
    subject.clock.advance(1000);

    const given = [];
    for (let i = 0; i < 4; i++) given.push(...(await claimed(store, { limit: 1 })));
    deepEqual(given.sort(), ['alice-0', 'bob-0', 'carol-0', 'dave-0']);
  },
};

const AGENTS = ['translator'];

function taskOf(owner: string, number: number, changes: Partial<NewTask> = {}): NewTask {
  return newTask(`${owner}-${number}`, { owner, wakeAt: START - 1000 + number, ...changes });
}

/** Creates the given number of tasks for each owner. The task with the lowest number has been due longest. */
async function waiting(store: Store, counts: Readonly<Record<string, number>>, from = 0): Promise<void> {
  for (const [owner, count] of Object.entries(counts)) {
    await Promise.all(times(count).map((i) => create(store, taskOf(owner, from + i))));
  }
}

/** The ids of the tasks that a living node claims. */
async function claimed(store: Store, request: Partial<ClaimRequest>): Promise<readonly string[]> {
  const { node = 'node-a', agents = AGENTS, limit = 1 } = request;
  await store.heartbeat(node, TTL);
  return (await store.claim({ ...request, node, agents, limit })).map(({ id }) => id);
}

async function claimedByOwner(
  store: Store,
  limit: number,
  shares?: ClaimRequest['shares'],
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const id of await claimed(store, { limit, ...(shares !== undefined && { shares }) })) {
    const owner = id.slice(0, id.lastIndexOf('-'));
    counts[owner] = (counts[owner] ?? 0) + 1;
  }
  return counts;
}
