import { deepEqual, equal } from 'node:assert/strict';

import type { ClaimRequest, NewTask } from '../../../store/store.ts';
import { ALICE, newTask, START, times, TTL } from '../samples.ts';
import type { Behaviours, Subject } from '../subject.ts';

/** How a claim distributes tasks among owners if more tasks are due than it may return. */
export const fairClaims: Behaviours = {
  'owners get tasks round robin if a claim cannot return all that are due': async (t) => {
    await waiting(t, { alice: 5, carol: 1, bob: 2 });

    deepEqual(await claimed(t, { limit: 1 }), ['alice-0']);
    deepEqual(await claimed(t, { limit: 1 }), ['bob-0']);
    deepEqual(await claimed(t, { limit: 1 }), ['carol-0']);
    deepEqual(await claimed(t, { limit: 1 }), ['alice-1']);
    deepEqual(await claimed(t, { limit: 1 }), ['bob-1']);
    for (const i of [2, 3, 4]) deepEqual(await claimed(t, { limit: 1 }), [`alice-${i}`]);
    deepEqual(await claimed(t, { limit: 1 }), []);
  },

  'one claim goes round all owners as often as its limit allows': async (t) => {
    await waiting(t, { alice: 9, bob: 2, carol: 1 });

    deepEqual(await claimedByOwner(t, 6), { alice: 3, bob: 2, carol: 1 });
  },

  'a claim continues after the owner that got the last task': async (t) => {
    await waiting(t, { alice: 9, bob: 9, carol: 9 });

    deepEqual(await claimedByOwner(t, 2), { alice: 1, bob: 1 });
    deepEqual(await claimedByOwner(t, 2), { alice: 1, carol: 1 });
    deepEqual(await claimedByOwner(t, 4), { alice: 1, bob: 2, carol: 1 });
    deepEqual(await claimedByOwner(t, 1), { carol: 1 });
  },

  'all nodes share one rotation': async (t) => {
    await waiting(t, { alice: 9, bob: 9, carol: 9 });

    deepEqual(await claimed(t, { node: 'node-a', limit: 1 }), ['alice-0']);
    deepEqual(await claimed(t, { node: 'node-b', limit: 1 }), ['bob-0']);
    deepEqual(await claimed(t, { node: 'node-a', limit: 1 }), ['carol-0']);
    deepEqual(await claimed(t, { node: 'node-b', limit: 1 }), ['alice-1']);
  },

  'an owner with one task is next, however many tasks of another owner have waited longer': async (t) => {
    await waiting(t, { alice: 200 });
    deepEqual(await claimed(t, { limit: 1 }), ['alice-0']);
    await t.create(taskOf('bob', 0, { wakeAt: START }));

    deepEqual(await claimed(t, { limit: 1 }), ['bob-0']);
    deepEqual(await claimed(t, { limit: 1 }), ['alice-1']);
  },

  'each of many owners gets one task per round': async (t) => {
    const owners = times(50).map((i) => `owner-${i}`);
    for (const owner of owners) await t.create(taskOf(owner, 0));
    await waiting(t, { alice: 60 });

    const given = [];
    for (let i = 0; i < 17; i++) given.push(...(await claimed(t, { limit: 3 })));

    deepEqual(given.sort(), ['alice-0', ...owners.map((owner) => `${owner}-0`)].sort());
  },

  'a claim that returns all due tasks does not move the rotation': async (t) => {
    await waiting(t, { alice: 2, bob: 2 });
    deepEqual(await claimed(t, { limit: 1 }), ['alice-0']);
    deepEqual(await claimedByOwner(t, 3), { alice: 1, bob: 2 });
    await waiting(t, { alice: 2, bob: 2, carol: 2 }, 10);

    deepEqual(await claimed(t, { limit: 1 }), ['bob-10']);
  },

  'a claim with shares that returns all due tasks does not move the rotation': async (t) => {
    await waiting(t, { alice: 1, bob: 1, carol: 1 });
    deepEqual(await claimed(t, { limit: 1 }), ['alice-0']);
    const shares = { running: new Map(), openSlots: 0 };
    deepEqual(await claimed(t, { limit: 9, shares }), ['bob-0', 'carol-0']);
    await waiting(t, { alice: 2, bob: 2, carol: 2 }, 10);

    deepEqual(await claimed(t, { limit: 1 }), ['bob-10']);
  },

  'all tenants of an owner share one turn in the rotation': async (t) => {
    await t.create(taskOf('alice', 0));
    await t.create(taskOf('alice', 1, { tenant: 'globex' }));
    await t.create(taskOf('bob', 0));
    await t.create(taskOf('bob', 1));

    deepEqual(await claimedByOwner(t, 1), { alice: 1 });
    deepEqual(await claimed(t, { limit: 1 }), ['bob-0']);
    deepEqual(await claimed(t, { limit: 1 }), ['alice-1']);
  },

  'tasks of one owner with different fairness keys have separate turns in the rotation': async (t) => {
    for (const i of times(3)) await t.create(taskOf('alice', i, { fairnessKey: 'address-1' }));
    await t.create(taskOf('alice', 3, { fairnessKey: 'address-2' }));
    await t.create(taskOf('alice', 4));

    for (const id of ['alice-0', 'alice-3', 'alice-4', 'alice-1', 'alice-2'])
      deepEqual(await claimed(t, { limit: 1 }), [id]);
  },

  'a fairness key is stored with its task and does not affect its visibility': async (t) => {
    const created = await t.create('one', { fairnessKey: 'address-1' });
    equal(created.fairnessKey, 'address-1');
    await t.store.heartbeat('node-a', TTL);
    await t.store.claim({ node: 'node-a', agents: AGENTS, limit: 1 });
    await t.append('one', { release: true, wakeAt: START }, { lease: { node: 'node-a', fence: 1 } });

    equal((await t.recordOf('one')).fairnessKey, 'address-1');
    equal((await t.store.claim({ node: 'node-a', agents: AGENTS, limit: 1 }))[0]?.fairnessKey, 'address-1');
    deepEqual(await t.listed(), { ids: ['one'], total: 1 });
    equal(await t.store.read({ ...ALICE, owner: 'address-1' }, 'one'), undefined);
  },

  "a fairness key equal to the name of another owner shares that owner's turn": async (t) => {
    await t.create(taskOf('alice', 0));
    await t.create(taskOf('bob', 0, { fairnessKey: 'alice' }));
    await t.create(taskOf('carol', 0));

    for (const id of ['alice-0', 'carol-0', 'bob-0']) deepEqual(await claimed(t, { limit: 1 }), [id]);
  },

  'tasks that slept, were released or lost their node have the same turns as new ones': async (t) => {
    await waiting(t, { alice: 9 });
    await t.store.heartbeat('node-z', 1000);
    await t.create(taskOf('bob', 0, { node: 'node-z' }));
    await t.create(taskOf('carol', 0, { wakeAt: START + 1000 }));
    await t.create(taskOf('dave', 0, { node: 'node-z' }));
    await t.append('dave-0', { release: true, wakeAt: START + 500 }, { lease: { node: 'node-z', fence: 1 } });
    deepEqual(await claimed(t, { limit: 1 }), ['alice-0']);
    t.clock.advance(1000);

    for (const id of ['bob-0', 'carol-0', 'dave-0', 'alice-1']) deepEqual(await claimed(t, { limit: 1 }), [id]);
  },

  'a task that was postponed or has ended leaves the rotation': async (t) => {
    await waiting(t, { alice: 4, bob: 2, carol: 1 });
    deepEqual(await claimed(t, { limit: 1 }), ['alice-0']);
    await t.append('bob-0', { wakeAt: START + 1000 });
    await t.append('bob-1', { wakeAt: null });
    await t.append('carol-0', { status: { state: 'TASK_STATE_CANCELED' }, endedAt: START });

    deepEqual(await claimed(t, { limit: 1 }), ['alice-1']);
    t.clock.advance(1000);
    deepEqual(await claimed(t, { limit: 1 }), ['bob-0']);
  },

  'each agent has a rotation of its own': async (t) => {
    for (const agent of ['painter', 'translator']) {
      for (const owner of ['alice', 'bob']) {
        for (const i of times(3)) await t.create(taskOf(owner, i, { agent, id: `${agent} ${owner}-${i}` }));
      }
    }

    const one = async (agent: string): Promise<readonly string[]> => claimed(t, { agents: [agent], limit: 1 });
    deepEqual(await one('painter'), ['painter alice-0']);
    deepEqual(await one('painter'), ['painter bob-0']);
    deepEqual(await one('translator'), ['translator alice-0']);
    deepEqual(await one('painter'), ['painter alice-1']);
    deepEqual(await one('translator'), ['translator bob-0']);
  },

  'a claim for several agents starts with the agent whose next task has been due longest': async (t) => {
    const both = { agents: ['painter', 'translator'], limit: 2 };
    for (const i of times(3)) await t.create(taskOf('alice', i, { agent: 'painter', id: `painted-${i}` }));
    await t.create(taskOf('bob', 0, { wakeAt: START - 2000 }));
    await t.create(taskOf('carol', 0));

    deepEqual(await claimed(t, both), ['bob-0', 'painted-0']);
    deepEqual(await claimed(t, both), ['carol-0', 'painted-1']);
  },

  'without open slots, only owners without a running task get a task, one each': async (t) => {
    await waiting(t, { alice: 20, bob: 3, carol: 1 });
    const shares = { running: new Map([['alice', 9]]), openSlots: 0 };

    deepEqual(await claimed(t, { limit: 5, shares }), ['bob-0', 'carol-0']);
    shares.running.set('bob', 1).set('carol', 1);
    deepEqual(await claimed(t, { limit: 5, shares }), []);
    deepEqual(await claimed(t, { limit: 1 }), ['alice-0']);
  },

  'shares also apply to a claim that could return all due tasks': async (t) => {
    await waiting(t, { alice: 2, bob: 2, carol: 1 });
    const shares = { running: new Map([['alice', 9]]), openSlots: 0 };

    deepEqual(await claimed(t, { limit: 9, shares }), ['bob-0', 'carol-0']);
    deepEqual(await claimed(t, { limit: 1 }), ['alice-0']);
    deepEqual(await claimed(t, { limit: 9, shares: { ...shares, running: new Map() } }), ['alice-1', 'bob-1']);
  },

  'open slots go round all owners, other slots to owners without a running task': async (t) => {
    await waiting(t, { alice: 20, bob: 20, carol: 20, dave: 20 });
    const running = new Map([
      ['alice', 9],
      ['bob', 1],
    ]);

    deepEqual(await claimedByOwner(t, 3, { running, openSlots: 1 }), { alice: 1, carol: 1, dave: 1 });
    deepEqual(await claimedByOwner(t, 5, { running, openSlots: 2 }), { alice: 1, bob: 1, carol: 1, dave: 1 });
  },

  'an owner gets no more tasks than its limit of running tasks': async (t) => {
    await waiting(t, { alice: 20, bob: 20, carol: 2 });
    const running = new Map([
      ['alice', 3],
      ['bob', 1],
    ]);
    const shares = { running, openSlots: 100, perKey: 3 };

    deepEqual(await claimedByOwner(t, 10, shares), { bob: 2, carol: 2 });
  },

  'a claim for one task ignores the rotation': async (t) => {
    await waiting(t, { alice: 3, bob: 3 });
    deepEqual(await claimed(t, { limit: 1 }), ['alice-0']);
    deepEqual(await claimed(t, { limit: 1, taskId: 'alice-2' }), ['alice-2']);

    deepEqual(await claimed(t, { limit: 1 }), ['bob-0']);
    deepEqual(await claimed(t, { limit: 1 }), ['alice-1']);
  },

  'the next wake-up after a given time can be requested': async (t) => {
    await t.store.heartbeat('node-z', 1000);
    await waiting(t, { alice: 3 });
    await t.create(taskOf('bob', 0, { wakeAt: START + 500, node: 'node-z' }));
    await t.create(taskOf('carol', 0, { wakeAt: START + 700 }));
    // Makes some tasks due.
    deepEqual(await claimed(t, { limit: 1 }), ['alice-0']);

    equal(await t.store.nextWake(AGENTS), START - 999);
    equal(await t.store.nextWake(AGENTS, START - 999), START - 998);
    equal(await t.store.nextWake(AGENTS, START), START + 700);
    equal(await t.store.nextWake(AGENTS, START + 700), undefined);
    t.clock.advance(1000);
    equal(await t.store.nextWake(AGENTS, START), START + 500);
  },
};

/** For durable stores. */
export const durableFairClaims: Behaviours = {
  'owners get tasks round robin when the store is opened again': async (t) => {
    await waiting(t, { alice: 9 });
    await t.create(taskOf('bob', 0, { fairnessKey: 'address-1' }));
    await t.create(taskOf('carol', 0, { wakeAt: START + 1000 }));
    await t.store.heartbeat('node-z', 1000);
    await t.create(taskOf('dave', 0, { node: 'node-z' }));
    await t.append('dave-0', { release: true, wakeAt: START }, { lease: { node: 'node-z', fence: 1 } });

    await t.reopen();
    t.clock.advance(1000);

    const given = [];
    for (let i = 0; i < 4; i++) given.push(...(await claimed(t, { limit: 1 })));
    deepEqual(given.sort(), ['alice-0', 'bob-0', 'carol-0', 'dave-0']);
  },
};

const AGENTS = ['translator'];

function taskOf(owner: string, number: number, changes: Partial<NewTask> = {}): NewTask {
  return newTask(`${owner}-${number}`, { owner, wakeAt: START - 1000 + number, ...changes });
}

/** Creates the given number of tasks for each owner. The task with the lowest number has been due longest. */
async function waiting(t: Subject, counts: Readonly<Record<string, number>>, from = 0): Promise<void> {
  for (const [owner, count] of Object.entries(counts)) {
    await Promise.all(times(count).map((i) => t.create(taskOf(owner, from + i))));
  }
}

/** The ids of the tasks that a living node claims. */
function claimed(t: Subject, { node = 'node-a', ...request }: Partial<ClaimRequest>): Promise<readonly string[]> {
  return t.claimIds(node, request);
}

async function claimedByOwner(
  t: Subject,
  limit: number,
  shares?: ClaimRequest['shares'],
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const id of await claimed(t, { limit, ...(shares !== undefined && { shares }) })) {
    const owner = id.slice(0, id.lastIndexOf('-'));
    counts[owner] = (counts[owner] ?? 0) + 1;
  }
  return counts;
}
