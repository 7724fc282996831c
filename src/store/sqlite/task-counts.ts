import { TASK_STATES, type TaskState } from '../../model/state.ts';
import type { Scope, TaskRecord } from '../store.ts';
import { type Connection, getNumber } from './database/connection.ts';

/** The maximum number of owners with cached counts. Beyond it, the least recently used counts are dropped. */
const MAX_OWNERS = 1000;

type Counts = Map<TaskState, number>;

/** The counts of one owner, by agent. */
type OwnerCounts = Map<string, Counts>;

/**
 * Caches the number of tasks, because counting 100,000 index entries takes 3 ms and every list returns its total. Tasks are
 * counted once, then the counts follow the commits. No other process writes to the file.
 */
export class TaskCounts {
  readonly #connection: Connection;
  readonly #owners = new Map<string, OwnerCounts>();
  #ended: number | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The number of visible tasks of the owner, filtered by agents and states if given. */
  visible(scope: Scope, agents?: readonly string[], states: readonly TaskState[] = TASK_STATES): number {
    const owner = this.#countsOf(scope);
    let sum = 0;
    for (const agent of agents ?? owner.keys()) {
      const counts = owner.get(agent);
      if (counts !== undefined) for (const state of states) sum += counts.get(state) ?? 0;
    }
    return sum;
  }

  /** The agents of the visible tasks of the owner, and possibly some that no longer have any. */
  agents(scope: Scope): readonly string[] {
    return [...this.#countsOf(scope).keys()];
  }

  /** The number of ended tasks of all owners. */
  ended(): number {
    const sql = 'SELECT count(*) FROM task INDEXED BY task_ended WHERE has_events IN (0, 1) AND ended_at IS NOT NULL';
    this.#ended ??= getNumber(this.#connection, sql);
    return this.#ended;
  }

  /** Applies a committed change of one task. */
  apply(before: TaskRecord | undefined, after: TaskRecord | undefined): void {
    if (before !== undefined && after !== undefined && countsAlike(before, after)) return;
    this.#add(before, -1);
    this.#add(after, 1);
  }

  #add(task: TaskRecord | undefined, by: 1 | -1): void {
    if (task === undefined) return;
    if (this.#ended !== undefined && task.endedAt !== undefined) this.#ended += by;
    const owner = task.visible && this.#owners.size > 0 ? this.#owners.get(ownerKey(task)) : undefined;
    if (owner === undefined) return;
    const { agent, status } = task;
    const counts = owner.get(agent) ?? new Map<TaskState, number>();
    owner.set(agent, counts.set(status.state, (counts.get(status.state) ?? 0) + by));
  }

  #countsOf(scope: Scope): OwnerCounts {
    const key = ownerKey(scope);
    const counts = this.#owners.get(key) ?? this.#count(scope);
    // Moved to the end, so that the first entry of the map is the least recently used one.
    this.#owners.delete(key);
    this.#owners.set(key, counts);
    const [oldest] = this.#owners.keys();
    if (this.#owners.size > MAX_OWNERS && oldest !== undefined) this.#owners.delete(oldest);
    return counts;
  }

  #count({ tenant, owner }: Scope): OwnerCounts {
    const sql = `SELECT agent, state, count(*) FROM task INDEXED BY task_list_state
      WHERE visible = 1 AND tenant = ? AND owner = ? GROUP BY agent, state`;
    const rows = this.#connection.all(sql, tenant, owner) as (readonly [agent: string, state: number, count: number])[];
    const counted: OwnerCounts = new Map();
    for (const [agent, state, count] of rows) {
      const counts = counted.get(agent) ?? new Map<TaskState, number>();
      counted.set(agent, counts.set(TASK_STATES[state] ?? 'TASK_STATE_UNSPECIFIED', count));
    }
    return counted;
  }
}

/** Whether the counts are unaffected, as for most writes, which only add events. */
function countsAlike(before: TaskRecord, after: TaskRecord): boolean {
  return before.status === after.status && before.visible === after.visible && before.endedAt === after.endedAt;
}

function ownerKey({ tenant, owner }: Scope): string {
  return JSON.stringify([tenant, owner]);
}
