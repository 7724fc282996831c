/** Several agents on one node: one claim covers them, and they share the slots of the node. */
import { expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/handler.ts';
import type { ClaimRequest } from '../../src/store/store.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { deferred } from '../../src/support/deferred.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { runnable, startHarness, until, userMessage } from './harness.ts';

const IDS = ['mail', 'crm', 'calendar'];

function submission(owner: string, agent: string) {
  const caller = { id: owner, isVerified: true };
  return { tenant: '', owner, agent, caller, message: userMessage('go'), returnImmediately: true };
}

test('one claim covers all agents that have room', async () => {
  const clock = fakeClock();
  const store = memoryStore({ clock });
  const claims: ClaimRequest[] = [];
  const claim = store.claim.bind(store);
  store.claim = (request) => {
    claims.push(request);
    return claim(request);
  };
  const tiny = runnable(async () => 'done', { concurrency: 2 }, 'tiny');
  const agents = [...IDS.map((id) => runnable(async () => 'done', {}, id)), tiny];

  await startHarness({ store, clock, agents }, clock);

  await until(() => claims.length === 2);
  expect(claims.map(({ agents: ids }) => ids)).toEqual([IDS, ['tiny']]);
  expect(claims[0]).toMatchObject({ limit: 64 });
});

test('the agents of a node run no more tasks at a time than the node allows', async () => {
  const clock = fakeClock();
  const gates: (() => void)[] = [];
  const run = async ({ caller }: TaskContext): Promise<string> => {
    const gate = deferred<void>();
    gates.push(gate.resolve);
    await gate.promise;
    return caller.id;
  };
  const agents = IDS.map((id) => runnable(run, {}, id));
  const node = await startHarness({ store: memoryStore({ clock }), clock, agents, concurrency: 2 }, clock);
  const owners = ['ann', 'bob', 'carl', 'dave', 'eve', 'fay'];

  const sent = owners.map((owner, i) => node.engine.send(submission(owner, IDS[i % IDS.length] ?? '')));
  await Promise.all(sent);
  let most = 0;
  for (let ended = 0; ended < owners.length; ended++) {
    await until(() => gates.length > ended);
    most = Math.max(most, node.engine.runningTasks().length);
    gates[ended]?.();
  }

  expect(most).toBe(2);
  await until(() => node.engine.runningTasks().length === 0);
  expect(gates).toHaveLength(owners.length);
});
