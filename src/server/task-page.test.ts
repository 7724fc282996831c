import { expect, test } from 'vitest';
import type { Task } from '../model/task.ts';
import type { TaskQuery } from '../store/store.ts';
import { type PageOfTasks, readPage } from './task-page.ts';

const MIB = 2 ** 20;

/** Tasks with a status of these lengths, the latest first. */
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
): Promise<{ readonly ids: string; readonly page: PageOfTasks; readonly queries: readonly TaskQuery[] }> {
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
  ['no tasks', times(0, 1), 5, '', undefined],
  ['fewer than fit', times(3, 1), 5, '0 1 2', undefined],
  ['as many as fit', times(5, 1), 5, '0 1 2 3 4', undefined],
  ['one more', times(6, 1), 5, '0 1 2 3 4', 'task-4'],
  ['one that is too large by itself', [9 * MIB], 5, '0', undefined],
  ['several that are', times(3, 9 * MIB), 5, '0', 'task-0'],
  ['one of them after small ones', [1, 1, 9 * MIB, 1], 5, '0 1', 'task-1'],
  ['some that fit together', times(6, 3 * MIB), 100, '0 1', 'task-1'],
  ['a large one beyond the page', [1, 1, 9 * MIB], 2, '0 1', 'task-1'],
] as const)('%s', async (_, lengths, limit, ids, next) => {
  const { page, ...rest } = await pageOf(lengths, { limit });

  expect(rest.ids).toBe(ids);
  expect(page.next?.id).toBe(next);
  expect(page.total).toBe(lengths.length);
});

test('a page is read at once, within its bytes', async () => {
  const { queries } = await pageOf(times(200, 100), { limit: 100, history: 3 });

  expect(queries).toEqual([{ limit: 101, history: 3, historyBytes: 8 * MIB, pageBytes: 8 * MIB }]);
});

test('a page that the store has ended for its bytes is followed by another', async () => {
  const page = await readPage(async () => ({ tasks: tasksOf([1, 1]), total: 7, isCut: true }), { limit: 5 });

  expect([page.tasks.length, page.next?.id, page.total]).toEqual([2, 'task-1', 7]);
});

test('page after page gives all of them, each once', async () => {
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
