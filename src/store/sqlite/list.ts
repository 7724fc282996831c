import { statusTime } from '../guard.ts';
import type { Scope, TaskQuery } from '../store.ts';
import { type Connection, getNumber, sqlLimit } from './database/connection.ts';
import type { Row, SqlValue } from './database/driver.ts';
import type { TaskCounts } from './task-counts.ts';
import { stateNumber } from '../task-row.ts';
import { type FoundTask, RECORD_COLUMNS, TASK_COLUMNS, toFound } from './task-row.ts';

/** One range of one index, in list order. */
interface Range {
  readonly index: string;
  readonly where: readonly string[];
  readonly values: readonly SqlValue[];
}

/** The tasks of a page, without history and artifacts. */
export interface FoundPage {
  readonly tasks: readonly FoundTask[];
  /** The page ended early because of `pageBytes`. */
  readonly isCut: boolean;
}

/**
 * Reads the page after a position, so that every page costs the same. The statement names its index: a plan that would sort or
 * scan is an error and not a slow list.
 */
export function listPage(connection: Connection, counts: TaskCounts, scope: Scope, query: TaskQuery): FoundPage {
  const limit = Math.max(0, query.limit);
  const ranges = rangesOf(counts, scope, query).map((range) => readRange(connection, range, query));
  const [only] = ranges;
  if (ranges.length === 1 && only !== undefined) return only;
  // Merges the ranges of several agents or states. Each range has up to a full page.
  const tasks = ranges.flatMap((range) => range.tasks).sort(byTimeAndId);
  // After the last task of a range that was cut, further tasks of that range are missing.
  const ends = ranges.filter(({ isCut }) => isCut).map((range) => tasks.indexOf(range.tasks.at(-1) as FoundTask) + 1);
  const end = Math.min(limit, ...ends);
  return { tasks: tasks.slice(0, end), isCut: ends.length > 0 && end < limit };
}

/** The number of matching tasks on all pages. */
export function listTotal(connection: Connection, counts: TaskCounts, scope: Scope, query: TaskQuery): number {
  const { contextId, agents, states, statusSince } = query;
  if (contextId === undefined && statusSince === undefined) {
    return counts.visible(scope, agents && unique(agents), states && unique(states));
  }
  return rangesOf(counts, scope, query).reduce((sum, range) => sum + countRange(connection, range), 0);
}

function rangesOf(counts: TaskCounts, scope: Scope, query: TaskQuery): readonly Range[] {
  const { contextId, states, statusSince } = query;
  const where = ['visible = 1', 'tenant = ?', 'owner = ?'];
  const values: SqlValue[] = [scope.tenant, scope.owner];
  const since = statusSince === undefined ? [] : ['status_time >= ?'];
  const sinceValues = statusSince === undefined ? [] : [statusSince];
  if (contextId !== undefined) {
    const filters = [oneOf('agent', query.agents), oneOf('state', states?.map(stateNumber))].flat();
    return [
      {
        index: 'task_list_context',
        where: [...where, 'context_id = ?', ...filters.map(({ condition }) => condition), ...since],
        values: [...values, contextId, ...filters.map(({ value }) => value), ...sinceValues],
      },
    ];
  }
  return unique(query.agents ?? counts.agents(scope)).flatMap((agent) => {
    const ofAgent = { where: [...where, 'agent = ?'], values: [...values, agent] };
    if (states === undefined) {
      return [{ index: 'task_list', where: [...ofAgent.where, ...since], values: [...ofAgent.values, ...sinceValues] }];
    }
    return unique(states).map((state) => ({
      index: 'task_list_state',
      where: [...ofAgent.where, 'state = ?', ...since],
      values: [...ofAgent.values, stateNumber(state), ...sinceValues],
    }));
  });
}

interface Filter {
  readonly condition: string;
  readonly value: SqlValue;
}

/** A filter for one of several values. Empty if all values match. */
function oneOf(column: string, values: readonly (string | number)[] | undefined): readonly Filter[] {
  if (values === undefined) return [];
  const [only] = values;
  if (values.length === 1 && only !== undefined) return [{ condition: `${column} = ?`, value: only }];
  return [{ condition: `${column} IN (SELECT value FROM json_each(?))`, value: JSON.stringify(values) }];
}

function readRange(connection: Connection, range: Range, query: TaskQuery): FoundPage {
  const { after, limit, history, artifacts, pageBytes } = query;
  const { index, where, values } = range;
  const all = after === undefined ? where : [...where, '(status_time, id) < (?, ?)'];
  const from = `FROM task INDEXED BY ${index} WHERE ${all.join(' AND ')} ORDER BY status_time DESC, id DESC LIMIT ?`;
  const position = after === undefined ? [] : [after.statusTime, after.id];
  const read = (columns: string, most: number): Row[] =>
    connection.all(`SELECT ${columns} ${from}`, ...values, ...position, sqlLimit(most));
  const sizes = pageBytes === undefined ? undefined : read(ROW_BYTES, limit).map(([bytes]) => Number(bytes));
  const count = sizes === undefined ? limit : countWithin(sizes, pageBytes ?? Infinity);
  const columns = history === 0 && artifacts !== true ? RECORD_COLUMNS : TASK_COLUMNS;
  return { tasks: read(columns, count).map(toFound), isCut: sizes !== undefined && count < sizes.length };
}

/** The size of a row, which SQLite knows without reading the values. */
const ROW_BYTES = 'octet_length(status) + octet_length(origin) + ifnull(octet_length(metadata), 0)';

/** How many of the first rows fit into `maxBytes` together; at least one. */
function countWithin(sizes: readonly number[], maxBytes: number): number {
  let bytes = 0;
  const first = sizes.findIndex((size, i) => (bytes += size) > maxBytes && i > 0);
  return first < 0 ? sizes.length : first;
}

function countRange(connection: Connection, { index, where, values }: Range): number {
  const sql = `SELECT count(*) FROM task INDEXED BY ${index} WHERE ${where.join(' AND ')}`;
  return getNumber(connection, sql, ...values);
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}

/** Latest first; with the same time, the greater id first. */
function byTimeAndId({ record: a }: FoundTask, { record: b }: FoundTask): number {
  return statusTime(b) - statusTime(a) || (a.id < b.id ? 1 : -1);
}
