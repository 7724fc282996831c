import { expect, test } from 'vitest';
import type { Task } from '../../model/task.ts';
import type { TaskQuery } from '../../store/store.ts';
import { type PageOfTasks, readPage } from './task-page.ts';

const MIB = 2 ** 20;

/** Tasks with status texts of these lengths, the latest first. */
function tasksOf(lengths: readonly number[]): readonly Task[] {
  return lengths.map((length, i) => ({
    id: `task-${i}`,
    status: {
      state: 'TASK_STATE_WORKING',
      timestamp: new Date(1_000_000 - i).toISOString(),
      message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'x'.repeat(length) }] },
    },
  }));
}

async function pageOf(
  lengths: readonly number[],
  query: TaskQuery,
): Promise<{ readonly ids: string; readonly page: PageOfTasks<Task>; readonly queries: readonly TaskQuery[] }> {
  const all = tasksOf(lengths);
  const queries: TaskQuery[] = [];
  const page = await readPage(async (asked) => {
    queries.push(asked);
    const { limit, after } = asked;
    const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after.id) + 1;
    return { tasks: all.slice(start, start + limit), total: all.length };
  }, query);
  return { ids: page.tasks.map(({ id }) => id.slice(5)).join(' '), page, queries };
}

function times(count: number, length: number): readonly number[] {
  return Array.from({ length: count }, () => length);
}

test.each([
  ['is empty without tasks', times(0, 1), 5, '', undefined],
  ['has all tasks if they are fewer than the limit', times(3, 1), 5, '0 1 2', undefined],
  ['has all tasks if they are as many as the limit', times(5, 1), 5, '0 1 2 3 4', undefined],
  ['has a next page if there is one task more', times(6, 1), 5, '0 1 2 3 4', 'task-4'],
  ['has one task that exceeds 8 MiB by itself', [9 * MIB], 5, '0', undefined],
  ['ends after the first of several tasks above 8 MiB', times(3, 9 * MIB), 5, '0', 'task-0'],
  ['ends before a task above 8 MiB', [1, 1, 9 * MIB, 1], 5, '0 1', 'task-1'],
  ['has as many tasks as fit into 8 MiB', times(6, 3 * MIB), 100, '0 1', 'task-1'],
  ['ignores the size of tasks beyond the limit', [1, 1, 9 * MIB], 2, '0 1', 'task-1'],
] as const)('a page %s', async (_, lengths, limit, ids, next) => {
  const { page, ...rest } = await pageOf(lengths, { limit });

  expect(rest.ids).toBe(ids);
  expect(page.next?.id).toBe(next);
  expect(page.total).toBe(lengths.length);
});

test('a page is read with one query, limited to 8 MiB', async () => {
  const { queries } = await pageOf(times(200, 100), { limit: 100, history: 3 });

  expect(queries).toEqual([{ limit: 101, history: 3, historyBytes: 8 * MIB, pageBytes: 8 * MIB }]);
});

test('a page that the store has cut has a next page', async () => {
  const page = await readPage(async () => ({ tasks: tasksOf([1, 1]), total: 7, isCut: true }), { limit: 5 });

  expect([page.tasks.length, page.next?.id, page.total]).toEqual([2, 'task-1', 7]);
});

test('all pages together have each task once', async () => {
  const lengths = Array.from({ length: 60 }, (_, i) => (i % 7 === 0 ? 3 * MIB : 1000));
  const seen: string[] = [];
  let after: TaskQuery['after'];
  do {
    const { page } = await pageOf(lengths, { limit: 20, ...(after !== undefined && { after }) });
    seen.push(...page.tasks.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);

  expect(seen).toEqual(lengths.map((_, i) => `task-${i}`));
});
