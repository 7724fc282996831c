import { jsonSize } from '../support/json-size.ts';
import type { StoredTask, TaskPage } from './store.ts';

/** A page of the tasks at these places, which ends when it has enough bytes. Places behind its end are not read. */
export function boundedPage<T>(
  places: readonly T[],
  total: number,
  pageBytes: number | undefined,
  read: (place: T) => StoredTask,
): TaskPage {
  if (pageBytes === undefined) return { tasks: places.map(read), total };
  const tasks: StoredTask[] = [];
  let bytes = 0;
  for (const place of places) {
    const task = read(place);
    bytes += sizeOf(task);
    if (bytes > pageBytes && tasks.length > 0) return { tasks, total, isCut: true };
    tasks.push(task);
  }
  return { tasks, total };
}

/** About how many bytes the bulky parts of a task have. */
function sizeOf({ record, history, artifacts }: StoredTask): number {
  let size = artifacts?.snapshot?.length ?? 0;
  for (const { body } of artifacts?.tail ?? []) size += body.length;
  if (history.length === 0) return size;
  // The whole history has been counted; it is measured only if that is much, because it may be a part of it.
  return (
    size + (record.historyBytes !== undefined && record.historyBytes < FEW ? record.historyBytes : jsonSize(history))
  );
}

/** Bytes of a history that are not worth measuring. */
const FEW = 2 ** 16;
