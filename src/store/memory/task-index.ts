import { statusTime } from '../guard.ts';
import type { PagePosition, Scope, TaskQuery, TaskRecord } from '../store.ts';

/** What the index needs of a row. */
export interface Indexed {
  record: TaskRecord;
}

/**
 * The visible tasks of each owner, the latest status first. Kept in order at every change, so that a page costs what is
 * on it, wherever it lies. Without a filter the total is the length; a filter walks the owner's tasks.
 */
export class TaskIndex<R extends Indexed> {
  readonly #byOwner = new Map<string, R[]>();

  add(row: R): void {
    if (!row.record.visible) return;
    const rows = this.#rowsOf(row.record);
    rows.splice(positionOf(rows, place(row.record)), 0, row);
  }

  remove(row: R): void {
    const rows = this.#rowsOf(row.record);
    const position = positionOf(rows, place(row.record));
    if (rows[position] === row) rows.splice(position, 1);
    if (rows.length === 0) this.#byOwner.delete(ownerKey(row.record));
  }

  /** Gives the row its new record, and the place that goes with it. */
  update(row: R, record: TaskRecord): void {
    const stays = row.record.visible === record.visible && row.record.status === record.status;
    if (!stays) this.remove(row);
    row.record = record;
    if (!stays) this.add(row);
  }

  page(scope: Scope, query: TaskQuery): { readonly rows: readonly R[]; readonly total: number } {
    const all = this.#byOwner.get(ownerKey(scope)) ?? [];
    const { contextId, states, statusSince, after, limit } = query;
    const isFiltered = contextId !== undefined || states !== undefined || statusSince !== undefined;
    const matching = isFiltered ? all.filter(({ record }) => matches(record, query)) : all;
    const start = after === undefined ? 0 : positionAfter(matching, after);
    return { rows: matching.slice(start, start + limit), total: matching.length };
  }

  #rowsOf(scope: Scope): R[] {
    const key = ownerKey(scope);
    let rows = this.#byOwner.get(key);
    if (rows === undefined) this.#byOwner.set(key, (rows = []));
    return rows;
  }
}

function matches(record: TaskRecord, { contextId, states, statusSince }: TaskQuery): boolean {
  if (contextId !== undefined && record.contextId !== contextId) return false;
  if (states !== undefined && !states.includes(record.status.state)) return false;
  return statusSince === undefined || statusTime(record) >= statusSince;
}

function place(record: TaskRecord): PagePosition {
  return { statusTime: statusTime(record), id: record.id };
}

/** Where a task of that place stands, or would stand. */
function positionOf(rows: readonly Indexed[], target: PagePosition): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle];
    if (row !== undefined && comesBefore(place(row.record), target)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function positionAfter(rows: readonly Indexed[], after: PagePosition): number {
  const position = positionOf(rows, after);
  const row = rows[position];
  return row !== undefined && !comesBefore(after, place(row.record)) ? position + 1 : position;
}

/** Later first; of the same time, the greater id first. */
function comesBefore(a: PagePosition, b: PagePosition): boolean {
  return a.statusTime === b.statusTime ? a.id > b.id : a.statusTime > b.statusTime;
}

function ownerKey({ tenant, owner }: Scope): string {
  return JSON.stringify([tenant, owner]);
}
