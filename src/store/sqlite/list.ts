import { statusTime } from '../guard.ts';
import type { Scope, TaskQuery } from '../store.ts';
import { type Connection, getNumber, sqlLimit } from './connection.ts';
import type { Row, SqlValue } from './driver.ts';
import type { Tally } from './tally.ts';
import { type FoundTask, RECORD_COLUMNS, stateNumber, TASK_COLUMNS, toFound } from './task-row.ts';

/** One range of one index, in the order of the list. */
interface Range {
  readonly index: string;
  readonly where: readonly string[];
  readonly values: readonly SqlValue[];
}

/** The tasks of a page, without their bulky parts. */
export interface FoundPage {
  readonly tasks: readonly FoundTask[];
  /** It ended for the sake of `pageBytes`. */
  readonly isCut: boolean;
}

/**
 * A page by the position where the one before it ended, so that it costs the same wherever it lies. The index is named
 * in the statement: a plan that would sort or walk is an error and not a slow list.
 */
export function listPage(connection: Connection, tally: Tally, scope: Scope, query: TaskQuery): FoundPage {
  const limit = Math.max(0, query.limit);
  const ranges = rangesOf(tally, scope, query).map((range) => readRange(connection, range, query));
  const [only] = ranges;
  if (ranges.length === 1 && only !== undefined) return only;
  // The ranges of several agents or states are merged here; each gave as many as the page can hold.
  const tasks = ranges.flatMap((range) => range.tasks).sort(byTimeAndId);
  // Behind the last task of a range that was cut, others of that range are missing.
  const ends = ranges.filter(({ isCut }) => isCut).map((range) => tasks.indexOf(range.tasks.at(-1) as FoundTask) + 1);
  const end = Math.min(limit, ...ends);
  return { tasks: tasks.slice(0, end), isCut: ends.length > 0 && end < limit };
}

/** How many tasks match, on whatever page. */
export function listTotal(connection: Connection, tally: Tally, scope: Scope, query: TaskQuery): number {
  const { contextId, agents, states, statusSince } = query;
  if (contextId === undefined && statusSince === undefined) {
    return tally.visible(scope, agents && unique(agents), states && unique(states));
  }
  return rangesOf(tally, scope, query).reduce((sum, range) => sum + countRange(connection, range), 0);
}

function rangesOf(tally: Tally, scope: Scope, query: TaskQuery): readonly Range[] {
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
  return unique(query.agents ?? tally.agents(scope)).flatMap((agent) => {
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

/** Nothing if all values will do. */
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

/** The bytes of a row, which SQLite knows without reading them. */
const ROW_BYTES = 'octet_length(status) + octet_length(origin) + ifnull(octet_length(metadata), 0)';

/** How many of the first rows have so many bytes together; one at least. */
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

/** Later first; of the same time, the greater id first. */
function byTimeAndId({ record: a }: FoundTask, { record: b }: FoundTask): number {
  return statusTime(b) - statusTime(a) || (a.id < b.id ? 1 : -1);
}
