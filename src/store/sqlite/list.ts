import { statusTime } from '../guard.ts';
import { boundedPage } from '../page.ts';
import type { PagePosition, ReadParts, Scope, StoredTask, TaskPage, TaskQuery, TaskTexts } from '../store.ts';
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

/** How the rows of a page are read. */
export interface PageRows<T> {
  readonly columns: string;
  /**
   * The same columns, with 0 in place of a text that is longer than a parameter. There are two
   * parameters.
   */
  readonly bounded?: { readonly columns: string; readonly isWhole: (row: Row) => boolean };
  readonly read: (row: Row) => T;
  readonly positionOf: (task: T) => PagePosition;
}

/** The tasks of a page, without the parts that are not in their rows. */
interface FoundPage<T> {
  readonly tasks: readonly T[];
  /** The page ended early because of `pageBytes`. */
  readonly isCut: boolean;
}

const positionOf = ({ record }: FoundTask): PagePosition => ({ statusTime: statusTime(record), id: record.id });
const ONLY_RECORDS: PageRows<FoundTask> = { columns: RECORD_COLUMNS, read: toFound, positionOf };
const WITH_PARTS: PageRows<FoundTask> = { columns: TASK_COLUMNS, read: toFound, positionOf };

/** Rows with the records of tasks, and the parts in them if the query needs any. */
export function recordRows(query: TaskQuery): PageRows<FoundTask> {
  return needsParts(query) ? WITH_PARTS : ONLY_RECORDS;
}

export function needsParts({ history, artifacts }: ReadParts): boolean {
  return history !== 0 || artifacts === true;
}

/** @param read Reads the requested parts of a task. */
export function readPage<T, Read extends StoredTask | TaskTexts>(
  connection: Connection,
  counts: TaskCounts,
  scope: Scope,
  query: TaskQuery,
  rows: PageRows<T>,
  read: (task: T) => Read,
): TaskPage<Read> {
  const { tasks, isCut } = findPage(connection, counts, scope, query, rows);
  const page = boundedPage(tasks, countAll(connection, counts, scope, query), query.pageBytes, read);
  return isCut ? { ...page, isCut } : page;
}

/**
 * Finds the page after a position, so that every page costs the same. The statement names its index: a plan that would sort or
 * scan is an error and not a slow list.
 */
function findPage<T>(
  connection: Connection,
  counts: TaskCounts,
  scope: Scope,
  query: TaskQuery,
  rows: PageRows<T>,
): FoundPage<T> {
  const limit = Math.max(0, query.limit);
  const ranges = rangesOf(counts, scope, query).map((range) => readRange(connection, range, query, rows));
  const [only] = ranges;
  if (ranges.length === 1 && only !== undefined) return only;
  // Merges the ranges of several agents or states. Each range has up to a full page.
  const byPosition = (a: T, b: T): number => byTimeAndId(rows.positionOf(a), rows.positionOf(b));
  const tasks = ranges.flatMap((range) => range.tasks).sort(byPosition);
  // After the last task of a range that was cut, further tasks of that range are missing.
  const ends = ranges.filter(({ isCut }) => isCut).map((range) => tasks.indexOf(range.tasks.at(-1) as T) + 1);
  const end = Math.min(limit, ...ends);
  return { tasks: tasks.slice(0, end), isCut: ends.length > 0 && end < limit };
}

/** The number of matching tasks on all pages. */
function countAll(connection: Connection, counts: TaskCounts, scope: Scope, query: TaskQuery): number {
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

function readRange<T>(
  connection: Connection,
  range: Range,
  { after, limit, pageBytes }: TaskQuery,
  { columns, bounded, read }: PageRows<T>,
): FoundPage<T> {
  const { index, where, values } = range;
  const all = after === undefined ? where : [...where, '(status_time, id) < (?, ?)'];
  const from = `FROM task INDEXED BY ${index} WHERE ${all.join(' AND ')} ORDER BY status_time DESC, id DESC LIMIT ?`;
  const position = after === undefined ? [] : [after.statusTime, after.id];
  const rowsOf = (names: string, most: number, ...bounds: readonly number[]): Row[] =>
    connection.all(`SELECT ${names} ${from}`, ...bounds, ...values, ...position, sqlLimit(most));
  if (pageBytes === undefined) return { tasks: rowsOf(columns, limit).map(read), isCut: false };
  if (bounded !== undefined) {
    // A page of texts that all have at most their share is not too long, so nearly every page is read by one statement.
    const share = Math.trunc(pageBytes / limit / 2);
    const rows = rowsOf(bounded.columns, limit, share, share);
    if (rows.every(bounded.isWhole)) return { tasks: rows.map(read), isCut: false };
  }
  const sizes = rowsOf(ROW_BYTES, limit).map(([bytes]) => Number(bytes));
  const count = countWithin(sizes, pageBytes);
  return { tasks: rowsOf(columns, count).map(read), isCut: count < sizes.length };
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
function byTimeAndId(a: PagePosition, b: PagePosition): number {
  return b.statusTime - a.statusTime || (a.id < b.id ? 1 : -1);
}
