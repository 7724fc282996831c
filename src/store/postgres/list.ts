import type { Scope, TaskPage, TaskQuery } from '../store.ts';
import type { Database } from './database.ts';
import { columnsWith, sqlLimit, toStored } from './reads.ts';
import { stateNumber } from './task-row.ts';

/**
 * A page by the position where the one before it ended, so that it costs the same wherever it lies. The total is counted:
 * that takes the longer the more there are, which the page does not.
 */
export async function listTasks(database: Database, scope: Scope, query: TaskQuery): Promise<TaskPage> {
  const { schema } = database;
  const matching = new Conditions();
  matching.add('t.visible');
  matching.add('t.tenant = ?', scope.tenant);
  matching.add('t.owner = ?', scope.owner);
  // Of one agent, as all lists over the network are, the index has the order; of several it would have to be sorted.
  const [agent, ...others] = query.agents ?? [];
  if (agent !== undefined && others.length === 0) matching.add('t.agent = ?', agent);
  else if (query.agents !== undefined) matching.add('t.agent = ANY(?::text[])', query.agents);
  if (query.contextId !== undefined) matching.add('t.context_id = ?', query.contextId);
  if (query.states !== undefined) matching.add('t.state = ANY(?::smallint[])', query.states.map(stateNumber));
  if (query.statusSince !== undefined) matching.add('t.status_time >= ?', query.statusSince);
  const total = database.read(`SELECT count(*) FROM ${schema}.task t WHERE ${matching.sql}`, [...matching.values]);
  const page = matching.copy();
  if (query.after !== undefined) page.add('(t.status_time, t.id) < (?, ?)', query.after.statusTime, query.after.id);
  const tasks = database.read(
    `SELECT ${columnsWith(schema, query)} FROM ${schema}.task t WHERE ${page.sql}
      ORDER BY t.status_time DESC, t.id DESC LIMIT $${page.values.length + 1}`,
    [...page.values, sqlLimit(query.limit)],
  );
  const [counted, rows] = await Promise.all([total, tasks]);
  return { tasks: rows.map((row) => toStored(row, query)), total: Number(counted[0]?.[0]) };
}

/** Conditions that all must hold; each question mark becomes the number of its value. */
class Conditions {
  readonly values: unknown[] = [];
  readonly #all: string[] = [];

  add(condition: string, ...values: readonly unknown[]): void {
    const numbered = condition.replaceAll('?', () => `$${this.values.push(values[this.#taken++])}`);
    this.#taken = 0;
    this.#all.push(numbered);
  }

  #taken = 0;

  get sql(): string {
    return this.#all.join(' AND ');
  }

  copy(): Conditions {
    const copy = new Conditions();
    copy.values.push(...this.values);
    copy.#all.push(...this.#all);
    return copy;
  }
}
