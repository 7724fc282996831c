import type { Scope, TaskPage, TaskQuery } from '../../store.ts';
import type { Database } from '../database.ts';
import { columnsWith, sqlLimit, toStored } from './reads.ts';
import { stateNumber } from '../../task-row.ts';

/**
 * Reads the page after a position, so that every page costs the same. The total is counted, so its cost grows with the number of
 * tasks.
 */
export async function listTasks(database: Database, scope: Scope, query: TaskQuery): Promise<TaskPage> {
  const { schema } = database;
  const matching = new Conditions();
  matching.add('t.visible');
  matching.add('t.tenant = ?', scope.tenant);
  matching.add('t.owner = ?', scope.owner);
  // For one agent, as in all lists over the network, the index has the order. For several agents, PostgreSQL must sort.
  const [agent, ...others] = query.agents ?? [];
  if (agent !== undefined && others.length === 0) matching.add('t.agent = ?', agent);
  else if (query.agents !== undefined) matching.add('t.agent = ANY(?::text[])', query.agents);
  if (query.contextId !== undefined) matching.add('t.context_id = ?', query.contextId);
  if (query.states !== undefined) matching.add('t.state = ANY(?::smallint[])', query.states.map(stateNumber));
  if (query.statusSince !== undefined) matching.add('t.status_time >= ?', query.statusSince);
  const total = database.read(`SELECT count(*) FROM ${schema}.task t WHERE ${matching.sql}`, [...matching.values]);
  const page = matching.copy();
  if (query.after !== undefined) page.add('(t.status_time, t.id) < (?, ?)', query.after.statusTime, query.after.id);
  const found = `SELECT * FROM ${schema}.task t WHERE ${page.sql}
    ORDER BY t.status_time DESC, t.id DESC LIMIT $${page.values.length + 1}`;
  const tasks = database.read(
    `SELECT ${columnsWith(schema, query)}, t.found FROM (${withSizes(found, query)}) AS t
      WHERE t.bytes <= $${page.values.length + 2} OR t.place = 1 ORDER BY t.place`,
    [...page.values, sqlLimit(query.limit), query.pageBytes ?? Number.MAX_SAFE_INTEGER],
  );
  const [counted, rows] = await Promise.all([total, tasks]);
  const all = { tasks: rows.map((row) => toStored(row, query)), total: Number(counted[0]?.[0]) };
  return rows.length < Number(rows[0]?.at(-1) ?? 0) ? { ...all, isCut: true } : all;
}

/**
 * The rows of a page, each with its position, the approximate size of the page up to it, and the number of all rows. So the end of
 * the page is known before any large part is read.
 */
function withSizes(found: string, { history, historyBytes, artifacts }: TaskQuery): string {
  const messages = history === 0 ? '0' : `least(coalesce(t.history_bytes, 0), ${Math.trunc(historyBytes ?? MOST)})`;
  // PostgreSQL knows these sizes without reading the values.
  const made = artifacts === true ? 'coalesce(octet_length(t.artifacts), 0)' : '0';
  return `SELECT t.*, count(*) OVER () AS found, row_number() OVER page AS place, 
    sum(octet_length(t.status) + ${messages} + ${made}) OVER page AS bytes
    FROM (${found}) AS t WINDOW page AS (ORDER BY t.status_time DESC, t.id DESC ROWS UNBOUNDED PRECEDING)`;
}

const MOST = Number.MAX_SAFE_INTEGER;

/** Conditions joined by AND. Each question mark becomes the number of its parameter. */
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
