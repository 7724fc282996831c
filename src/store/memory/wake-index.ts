import type { TaskRecord } from '../store.ts';
import { SortedList } from './sorted-list.ts';

/** What the index needs of a row. */
export interface Waking {
  readonly record: TaskRecord;
  /** Decides between rows of the same time; each has its own. */
  readonly order: number;
}

export interface WakeQuery {
  readonly agents: readonly string[];
  /** Those whom such a node has are left out. */
  readonly isAlive: (node: string | undefined) => boolean;
  /** The latest time of waking up. */
  readonly until: number;
  readonly limit: number;
}

/**
 * The tasks that somebody should run, now or later, by who has them and in the order of their times. So those of a
 * living node are never looked at, however many it runs.
 */
export class WakeIndex<R extends Waking> {
  readonly #byHolder = new Map<string | undefined, SortedList<R, R>>();

  add(row: R): void {
    const { node, wakeAt } = row.record;
    if (wakeAt === undefined) return;
    let rows = this.#byHolder.get(node);
    if (rows === undefined) this.#byHolder.set(node, (rows = new SortedList(byWakeTime)));
    rows.add(row);
  }

  /** To be called while the row has the record with which it was added. */
  remove(row: R): void {
    const { node, wakeAt } = row.record;
    if (wakeAt === undefined) return;
    const rows = this.#byHolder.get(node);
    rows?.remove(row);
    if (rows?.length === 0) this.#byHolder.delete(node);
  }

  /** The longest due come first. */
  find(query: WakeQuery): readonly R[] {
    const idle = [...this.#byHolder].filter(([node]) => !query.isAlive(node));
    const found = idle.flatMap(([, rows]) => firstOf(rows, query));
    return found.sort(byWakeTime).slice(0, Math.max(0, query.limit));
  }
}

/** As many as the query may give, of one holder. */
function firstOf<R extends Waking>(rows: Iterable<R>, { agents, until, limit }: WakeQuery): readonly R[] {
  const found: R[] = [];
  for (const row of rows) {
    if (found.length >= limit || wakeTime(row) > until) break;
    if (agents.includes(row.record.agent)) found.push(row);
  }
  return found;
}

function byWakeTime(a: Waking, b: Waking): number {
  return wakeTime(a) - wakeTime(b) || a.order - b.order;
}

function wakeTime({ record }: Waking): number {
  return record.wakeAt ?? 0;
}
