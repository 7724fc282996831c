import { jsonSize } from '../support/json/json-size.ts';
import type { StoredTask, TaskPage, TaskTexts } from './store.ts';

/** Reads the tasks at these positions until the page has `pageBytes`. Later positions are not read. */
export function boundedPage<T, Read extends StoredTask | TaskTexts = StoredTask>(
  places: readonly T[],
  total: number,
  pageBytes: number | undefined,
  read: (place: T) => Read,
): TaskPage<Read> {
  if (pageBytes === undefined) return { tasks: places.map(read), total };
  const tasks: Read[] = [];
  let bytes = 0;
  for (const place of places) {
    const task = read(place);
    bytes += sizeOf(task);
    if (bytes > pageBytes && tasks.length > 0) return { tasks, total, isCut: true };
    tasks.push(task);
  }
  return { tasks, total };
}

/** The approximate size of history and artifacts. */
function sizeOf(task: StoredTask | TaskTexts): number {
  if (!('record' in task)) return task.history.length + (task.artifacts?.length ?? 0);
  const { record, history, artifacts } = task;
  let size = artifacts?.snapshot?.length ?? 0;
  for (const { body } of artifacts?.tail ?? []) size += body.length;
  if (history.length === 0) return size;
  // `historyBytes` counts the whole history. Only if that is large, the returned part is measured.
  return (
    size + (record.historyBytes !== undefined && record.historyBytes < FEW ? record.historyBytes : jsonSize(history))
  );
}

/** The size of a history that is not worth measuring. */
const FEW = 2 ** 16;
