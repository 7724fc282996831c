import { PAGE_BYTES } from '../engine/task-page.ts';
import type { Task } from '../model/task.ts';
import type { PagePosition, TaskQuery } from '../store/store.ts';
import { jsonSize } from '../support/json-size.ts';

interface Listed {
  readonly tasks: readonly Task[];
  readonly total: number;
  /** The list ended because it has as many bytes as a page may have. */
  readonly isCut?: true;
}

export interface PageOfTasks extends Omit<Listed, 'isCut'> {
  /** Where the next page begins, if there is one. */
  readonly next: PagePosition | undefined;
}

/**
 * At most `limit` tasks, and one at least if there is any. The page ends before the task that would make it longer than
 * `PAGE_BYTES`: a hundred tasks can be of any size. The store is asked to load no more than that.
 */
export async function readPage(
  list: (query: TaskQuery) => Promise<Listed>,
  { limit, ...query }: TaskQuery,
): Promise<PageOfTasks> {
  // One more than wanted shows whether there is another page.
  const read = await list({ ...query, limit: limit + 1, historyBytes: PAGE_BYTES, pageBytes: PAGE_BYTES });
  const { total } = read;
  const tasks: Task[] = [];
  let size = 0;
  for (const task of read.tasks) {
    size += jsonSize(task);
    if (tasks.length === limit || (size > PAGE_BYTES && tasks.length > 0)) return { tasks, next: endOf(tasks), total };
    tasks.push(task);
  }
  return { tasks, next: read.isCut === true ? endOf(tasks) : undefined, total };
}

function endOf(tasks: readonly Task[]): PagePosition | undefined {
  const last = tasks.at(-1);
  return last && { statusTime: Date.parse(last.status.timestamp ?? ''), id: last.id };
}
