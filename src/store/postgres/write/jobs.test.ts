import { expect, test } from 'vitest';
import { type Job, Jobs, needsOf } from './jobs.ts';

const MEBI = 2 ** 20;

function job(taskId: string, size: number): Job {
  return { taskId, size, since: 0, run: () => ({ result: undefined }), resolve: () => {}, reject: () => {} };
}

function waiting(...sizes: readonly number[]): Jobs {
  const jobs = new Jobs();
  for (const [i, size] of sizes.entries()) jobs.add(job(`t${i}`, size));
  return jobs;
}

test.each([
  ['all small jobs', [1, 2, 3], 3],
  ['as many jobs as fit', [10 * MEBI, 5 * MEBI, 5 * MEBI], 2],
  ['one job of any size', [100 * MEBI, 1], 1],
])('a transaction takes %s', (_, sizes, count) => {
  const jobs = waiting(...sizes);
  expect(jobs.take()).toHaveLength(count);
  expect(jobs.size).toBe(sizes.length - count);
});

test('a transaction takes at most 256 jobs', () => {
  const jobs = waiting(...Array.from({ length: 300 }, () => 1));
  expect(jobs.take()).toHaveLength(256);
  expect(jobs.take()).toHaveLength(44);
});

test('jobs that join a transaction get only the remaining room', () => {
  const taken = [job('a', 10 * MEBI)];
  const jobs = new Jobs();
  for (const size of [5 * MEBI, 5 * MEBI, 1]) jobs.add(job('a', size));
  // The last job would fit, but it writes to the same task as an earlier one that does not.
  expect(jobs.takeCovered(needsOf(taken), taken).map(({ size }) => size)).toEqual([5 * MEBI]);
  expect(jobs.size).toBe(2);
});
