import { TASK_STATES, type TaskState } from '../../model/state.ts';
import type { Scope, TaskRecord } from '../store.ts';
import { type Connection, getNumber } from './connection.ts';

/** Owners whose counts are kept; beyond it those who have not asked for the longest time are counted anew. */
const MAX_OWNERS = 1000;

type Counts = Map<TaskState, number>;

/** Of each agent that the owner has tasks of. */
type OwnerCounts = Map<string, Counts>;

/**
 * How many tasks there are, without counting them: 100,000 index entries take 3 ms, a list that ends with its total
 * would be as slow as that. Counted once, then kept up with the commits; nobody else writes to the file.
 */
export class Tally {
  readonly #connection: Connection;
  readonly #owners = new Map<string, OwnerCounts>();
  #ended: number | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The owner's visible tasks, of these agents or of any, in these states or in any. */
  visible(scope: Scope, agents?: readonly string[], states: readonly TaskState[] = TASK_STATES): number {
    const owner = this.#countsOf(scope);
    let sum = 0;
    for (const agent of agents ?? owner.keys()) {
      const counts = owner.get(agent);
      if (counts !== undefined) for (const state of states) sum += counts.get(state) ?? 0;
    }
    return sum;
  }

  /** The agents of the owner's visible tasks, and maybe some that have none any more. */
  agents(scope: Scope): readonly string[] {
    return [...this.#countsOf(scope).keys()];
  }

  /** Ended tasks of all owners. */
  ended(): number {
    const sql = 'SELECT count(*) FROM task INDEXED BY task_ended WHERE has_events IN (0, 1) AND ended_at IS NOT NULL';
    this.#ended ??= getNumber(this.#connection, sql);
    return this.#ended;
  }

  /** A committed change of one task: how it was, how it is. */
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
    // Set again, so that the first in the map is the one that has not asked for the longest time.
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

/** As most writes leave it: they only bring events. */
function countsAlike(before: TaskRecord, after: TaskRecord): boolean {
  return before.status === after.status && before.visible === after.visible && before.endedAt === after.endedAt;
}

function ownerKey({ tenant, owner }: Scope): string {
  return JSON.stringify([tenant, owner]);
}
