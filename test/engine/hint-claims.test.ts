import { expect, test } from 'vitest';
import { memoryStore } from '../../src/store/memory/store.ts';
import type { WatchListener } from '../../src/store/store.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { turns } from './cluster.ts';
import { runnable, startHarness, withMethods } from './harness.ts';

test.for<[string, boolean | undefined, number]>([
  ['reports the task as claimable causes a claim', true, 1],
  ['does not report whether the task is claimable causes a claim', undefined, 1],
  ['reports the task as not claimable causes no claim', false, 0],
])('a hint that %s', async ([, isClaimable, claims]) => {
  const clock = fakeClock();
  const memory = memoryStore({ clock });
  let claimed = 0;
  let listener: WatchListener = () => {};
  const store = withMethods(memory, {
    claim: (request) => {
      claimed++;
      return memory.claim(request);
    },
    watch: (given) => {
      listener = given;
      return memory.watch(given);
    },
  });
  await startHarness({ store, clock, agents: [runnable(async () => 'done')] }, clock);
  await turns();
  const before = claimed;
  listener('a task of another node', 'another node', isClaimable);
  await turns();

  expect(claimed - before).toBe(claims);
});
