import { expect, test } from 'vitest';
import { silentLog } from '../../observe/log.ts';
import { memoryStore } from '../../store/memory/store.ts';
import type { Store } from '../../store/store.ts';
import { TimerHeap } from '../../support/time/timer-heap.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { LeaseReleases } from './lease-releases.ts';

interface Given {
  readonly releases: LeaseReleases;
  /** The tasks that were tried, in order. */
  readonly tried: string[];
  readonly warnings: string[];
  /** Lets time go by, and what is due be done. */
  pass(ms: number): Promise<void>;
}

function leaseReleases(isFailing: (taskId: string) => boolean): Given {
  const clock = fakeClock();
  const tried: string[] = [];
  const warnings: string[] = [];
  const append: Store['append'] = async ({ taskId }) => {
    tried.push(taskId);
    if (isFailing(taskId)) throw new Error('The disk is on fire');
    return { kind: 'rejected' };
  };
  const store = Object.assign(memoryStore({ clock }), { append });
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
  const engine = { store, clock, timers: new TimerHeap(clock), node: 'n', log, faultPoint: () => {} };
  const releases = new LeaseReleases(engine, () => {});
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await releases.settled();
  };
  return { releases, tried, warnings, pass };
}

const leased = (id: string, fence = 1) => ({ id, fence, attempts: 1 });

test('a failure is followed by a pause, which grows, and during which nothing is tried', async () => {
  const { releases, tried, pass } = leaseReleases(() => true);
  releases.add(leased('a'), 'release');
  await releases.settled();
  releases.add(leased('b'), 'release');
  expect(tried).toEqual(['a']);
  await pass(500);
  expect(tried).toEqual(['a', 'a', 'b']);
  await pass(999);
  expect(tried).toHaveLength(3);
  await pass(1);
  expect(tried).toHaveLength(5);
});

test('a lease that cannot be released does not delay the others', async () => {
  const { releases, tried, pass } = leaseReleases((taskId) => taskId.startsWith('bad'));
  for (let i = 0; i < 100; i++) releases.add(leased(`bad ${i}`), 'release');
  releases.add(leased('good'), 'release');
  await releases.settled();
  await pass(500);
  await pass(1000);
  expect(tried).toContain('good');
});

test('all leases are released once when the store is available again', async () => {
  let isDown = true;
  const { releases, tried, pass } = leaseReleases(() => isDown);
  for (let i = 0; i < 1000; i++) releases.addUnsure(leased(String(i)));
  for (let i = 0; i < 1000; i++) releases.add(leased(String(i)), 'revoke');
  await releases.settled();
  isDown = false;
  tried.length = 0;
  await pass(500);
  expect(new Set(tried).size).toBe(1000);
  expect(tried).toHaveLength(1000);
});

test('tasks that may not exist are dropped when too many wait, and leave room for those that do', async () => {
  let isDown = true;
  const { releases, tried, warnings, pass } = leaseReleases(() => isDown);
  for (let i = 0; i < 10_500; i++) releases.addUnsure(leased(`unsure ${i}`));
  releases.add(leased('sure'), 'revoke');
  await releases.settled();
  isDown = false;
  tried.length = 0;
  await pass(500);
  expect(tried).toHaveLength(10_001);
  expect(tried).toContain('sure');
  expect(warnings).toHaveLength(1);
});

test('at the end nothing is tried again', async () => {
  const { releases, tried, pass } = leaseReleases(() => true);
  releases.add(leased('early'), 'release');
  await releases.settled();
  releases.stopTrying();
  releases.add(leased('late'), 'release');
  await pass(60_000);
  expect(tried).toEqual(['early', 'late']);
});
