import { expect, test } from 'vitest';
import { SuspendedRuns } from './suspended-runs.ts';

const MIB = 2 ** 20;

interface FakeRun {
  readonly taskId: string;
  readonly outputs: { readonly heldBytes: number };
  stop(reason: string): void;
}

/** `add` returns the runs that were stopped because of it. */
function suspended(max: number): { readonly runs: SuspendedRuns<FakeRun>; add(taskId: string, mib: number): string[] } {
  const runs = new SuspendedRuns<FakeRun>(max);
  const told: string[] = [];
  const add = (taskId: string, mib: number): string[] => {
    runs.add({ taskId, outputs: { heldBytes: mib * MIB }, stop: (reason) => void told.push(`${taskId} ${reason}`) });
    return told.splice(0);
  };
  return { runs, add };
}

test('above the maximum number the oldest are removed', () => {
  const { runs, add } = suspended(2);
  expect([...add('a', 0), ...add('b', 0)]).toEqual([]);
  expect(add('c', 0)).toEqual(['a suspended']);
  expect(runs.taskIds()).toEqual(['b', 'c']);
});

test('above the maximum size as many of the oldest are removed as necessary', () => {
  const { runs, add } = suspended(1000);
  expect([...add('a', 20), ...add('b', 20), ...add('c', 20)]).toEqual([]);
  expect(add('d', 30)).toEqual(['a suspended', 'b suspended']);
  expect(runs.taskIds()).toEqual(['c', 'd']);
});

test('one that is too large by itself is not kept, and one that has left counts no more', () => {
  const { runs, add } = suspended(1000);
  expect(add('a', 65)).toEqual(['a suspended']);
  expect(add('b', 60)).toEqual([]);
  expect([runs.delete('b'), runs.delete('b')]).toEqual([true, false]);
  expect(add('c', 60)).toEqual([]);
  expect(runs.get('c')?.taskId).toBe('c');
});

test('one that comes again is counted once, as the latest', () => {
  const { runs, add } = suspended(1000);
  expect([...add('a', 30), ...add('b', 10), ...add('a', 40)]).toEqual([]);
  expect(runs.taskIds()).toEqual(['b', 'a']);
});
