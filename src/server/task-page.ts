import type { Task } from '../model/task.ts';
import type { PagePosition, TaskQuery } from '../store/store.ts';
import { jsonSize } from '../support/json-size.ts';

/** A page ends before the task that would make it longer, in characters: a hundred tasks can be of any size. */
const MAX_PAGE_SIZE = 8 * 2 ** 20;

/** Read at once while nothing is known of their size. */
const FIRST_TASKS = 10;

interface Listed {
  readonly tasks: readonly Task[];
  readonly total: number;
}

export interface PageOfTasks extends Listed {
  /** Where the next page begins, if there is one. */
  readonly next: PagePosition | undefined;
}

/**
 * At most `limit` tasks, and one at least if there is any. They are read in parts, so that never much more is in memory
 * than fits on the page: a few at first, then as many as will probably fit, which is mostly all the rest.
 */
export async function readPage(
  list: (query: TaskQuery) => Promise<Listed>,
  { limit, ...query }: TaskQuery,
): Promise<PageOfTasks> {
  const tasks: Task[] = [];
  let size = 0;
  let total: number | undefined;
  for (;;) {
    // One more than wanted shows whether there is another page.
    const wanted = Math.min(limit + 1 - tasks.length, total === undefined ? FIRST_TASKS : likelyToFit(tasks, size));
    const after = endOf(tasks);
    const read = await list({ ...query, limit: wanted, ...(after !== undefined && { after }) });
    total ??= read.total;
    for (const task of read.tasks) {
      size += jsonSize(task);
      const isFull = tasks.length === limit || size > MAX_PAGE_SIZE;
      if (isFull && tasks.length > 0) return { tasks, next: endOf(tasks), total };
      tasks.push(task);
    }
    if (read.tasks.length < wanted) return { tasks, next: undefined, total };
  }
}

function endOf(tasks: readonly Task[]): PagePosition | undefined {
  const last = tasks.at(-1);
  return last && { statusTime: Date.parse(last.status.timestamp ?? ''), id: last.id };
}

/** By the size of those that are there; one at least. */
function likelyToFit({ length }: readonly Task[], size: number): number {
  return Math.max(1, Math.floor((MAX_PAGE_SIZE - size) / (size / length)));
}
