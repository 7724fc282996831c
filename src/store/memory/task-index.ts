import type { TaskState } from '../../model/state.ts';
import { statusTime } from '../guard.ts';
import type { PagePosition, Scope, TaskQuery, TaskRecord } from '../store.ts';
import { SortedList } from './sorted-list.ts';

/** The part of a row that the index uses. */
export interface Indexed {
  record: TaskRecord;
}

/** Contains the state for filters, because reading it from 100,000 rows takes many times as long. */
interface Entry<R> extends PagePosition {
  readonly state: TaskState;
  readonly row: R;
}

type TaskList<R> = SortedList<PagePosition, Entry<R>>;

interface AgentLists<R> {
  readonly all: TaskList<R>;
  readonly byContext: Map<string, TaskList<R>>;
}

type OwnerLists<R> = Map<string, AgentLists<R>>;

/**
 * The visible tasks by owner, agent and context, sorted by the time of their status. Every change keeps the order, so that the cost
 * of a page depends only on its length. The total is the length of a list; only filters by state or time iterate over the tasks.
 */
export class TaskIndex<R extends Indexed> {
  readonly #byOwner = new Map<string, OwnerLists<R>>();

  add(row: R): void {
    const { record } = row;
    if (!record.visible) return;
    const entry = { statusTime: statusTime(record), id: record.id, state: record.status.state, row };
    const owner = getOrSet(this.#byOwner, ownerKey(record), newOwner<R>);
    const lists = getOrSet(owner, record.agent, newLists<R>);
    lists.all.add(entry);
    getOrSet(lists.byContext, record.contextId, newList<R>).add(entry);
  }

  remove({ record }: R): void {
    const owner = record.visible ? this.#byOwner.get(ownerKey(record)) : undefined;
    const lists = owner?.get(record.agent);
    if (owner === undefined || lists === undefined) return;
    const context = lists.byContext.get(record.contextId);
    const place = { statusTime: statusTime(record), id: record.id };
    lists.all.remove(place);
    context?.remove(place);
    if (context?.length === 0) lists.byContext.delete(record.contextId);
    if (lists.all.length === 0) owner.delete(record.agent);
    if (owner.size === 0) this.#byOwner.delete(ownerKey(record));
  }

  /** Sets the new record of a row and its position. */
  update(row: R, record: TaskRecord): void {
    const stays = row.record.visible === record.visible && row.record.status === record.status;
    if (!stays) this.remove(row);
    row.record = record;
    if (!stays) this.add(row);
  }

  /** The latest first. */
  page(scope: Scope, query: TaskQuery): { readonly rows: readonly R[]; readonly total: number } {
    const { states, statusSince, after, limit } = query;
    const isFiltered = states !== undefined || statusSince !== undefined;
    const isListed = isFiltered ? (entry: Entry<R>): boolean => matches(entry, query) : undefined;
    const lists = this.#lists(scope, query);
    let total = 0;
    for (const list of lists) total += isListed === undefined ? list.length : list.count(isListed);
    const pages = lists.map((list) => list.backwards(limit, after, isListed));
    const entries = pages.length > 1 ? merged(pages, limit) : (pages[0] ?? []);
    return { rows: entries.map(({ row }) => row), total };
  }

  #lists(scope: Scope, { agents, contextId }: TaskQuery): readonly TaskList<R>[] {
    const owner = this.#byOwner.get(ownerKey(scope));
    const lists: TaskList<R>[] = [];
    if (owner === undefined) return lists;
    for (const agent of agents === undefined ? owner.keys() : new Set(agents)) {
      const found = owner.get(agent);
      const list = contextId === undefined ? found?.all : found?.byContext.get(contextId);
      if (list !== undefined) lists.push(list);
    }
    return lists;
  }
}

/** Merges pages, each of which has up to `limit` entries. */
function merged<R>(pages: readonly (readonly Entry<R>[])[], limit: number): readonly Entry<R>[] {
  const entries = pages.flat().sort((a, b) => byTimeAndId(b, a));
  return entries.slice(0, Math.max(0, limit));
}

function matches(entry: Entry<Indexed>, { states, statusSince }: TaskQuery): boolean {
  return (states?.includes(entry.state) ?? true) && (statusSince === undefined || entry.statusTime >= statusSince);
}

function newOwner<R>(): OwnerLists<R> {
  return new Map();
}

function newLists<R>(): AgentLists<R> {
  return { all: newList(), byContext: new Map() };
}

function newList<R>(): TaskList<R> {
  return new SortedList(byTimeAndId);
}

/** Earliest first; with the same time, the smaller id first. */
function byTimeAndId(a: PagePosition, b: PagePosition): number {
  if (a.statusTime !== b.statusTime) return a.statusTime - b.statusTime;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}

function getOrSet<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

function ownerKey({ tenant, owner }: Scope): string {
  return `${tenant.length} ${tenant}${owner}`;
}
