import { isText, type ListedTasks, PAGE_BYTES, type TaskText } from '../../engine/tasks/task-page.ts';
import type { Task } from '../../model/task.ts';
import type { PagePosition, TaskQuery } from '../../store/store.ts';
import { jsonSize } from '../../support/json/json-size.ts';
import { A2AError } from '../../errors.ts';
import { digest } from '../../support/secret/digest.ts';

export interface PageOfTasks<Listed> extends Omit<ListedTasks<Listed>, 'isCut'> {
  /** Where the next page begins, if there is one. */
  readonly next: PagePosition | undefined;
}

/**
 * Reads at most `limit` tasks, and at least one if there are any. The page ends before the task that would make it larger than
 * `PAGE_BYTES`, because tasks can be large. The store loads no more than that.
 */
export async function readPage<Listed extends Task | TaskText>(
  list: (query: TaskQuery) => Promise<ListedTasks<Listed>>,
  { limit, ...query }: TaskQuery,
): Promise<PageOfTasks<Listed>> {
  // One more than requested shows whether there is another page.
  const read = await list({ ...query, limit: limit + 1, historyBytes: PAGE_BYTES, pageBytes: PAGE_BYTES });
  const { total } = read;
  const tasks: Listed[] = [];
  let size = 0;
  for (const task of read.tasks) {
    size += isText(task) ? task.text.length : jsonSize(task);
    if (tasks.length === limit || (size > PAGE_BYTES && tasks.length > 0)) return { tasks, next: endOf(tasks), total };
    tasks.push(task);
  }
  return { tasks, next: read.isCut === true ? endOf(tasks) : undefined, total };
}

function endOf(tasks: readonly (Task | TaskText)[]): PagePosition | undefined {
  const last = tasks.at(-1);
  if (last === undefined || isText(last)) return last;
  return { statusTime: Date.parse(last.status.timestamp ?? ''), id: last.id };
}

/**
 * Encodes the end of a page. `query` identifies the caller and the filters: the token is valid only for that list. It is not a secret
 * and grants no access, because a list contains only tasks of its caller.
 */
export function encodePageToken({ statusTime, id }: PagePosition, query: string): string {
  const position = `${statusTime.toString(36)}.${id}`;
  return `${digest(position + query)}.${position}`;
}

/** @throws A2AError `INVALID_PARAMS` */
export function decodePageToken(token: string, query: string): PagePosition {
  const [, check, time = '', id = ''] = /^([a-z0-9]{22})\.(-?[a-z0-9]{1,11})\.(.{1,256})$/s.exec(token) ?? [];
  const statusTime = Number.parseInt(time, 36);
  if (check === undefined || check !== digest(`${time}.${id}${query}`) || !Number.isSafeInteger(statusTime)) {
    throw new A2AError('INVALID_PARAMS', 'pageToken: expected the nextPageToken of the previous page', {
      violations: [{ field: 'pageToken', description: 'expected the nextPageToken of a list with the same filters' }],
    });
  }
  return { statusTime, id };
}
