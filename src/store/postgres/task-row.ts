import type { Writable } from '../../support/writable.ts';
import type { TaskRecord } from '../store.ts';
import { RECORD_COLUMN_COUNT, recordColumns, toRecord } from '../task-row.ts';
import type { Row, Statement } from './statements.ts';

/** A row of the table of tasks, with members that only the store uses. */
export interface FoundTask {
  readonly record: TaskRecord;
  /** The number of the last message of the history. */
  readonly lastMessage: number;
  /** The position among all created tasks. */
  readonly seq: number;
  /** The id of the transaction that wrote the row (`xmin`). Set only for locked rows. */
  readonly version: string | undefined;
  /** Whether it waits in the claim queue. Set only for rows to write. */
  readonly queued?: boolean;
}

/** The columns of the record, with the last numbers of the row, which may be outdated. */
export const TASK_COLUMNS = columnsOf('t.last_event', 't.last_journal');

/** The same columns with the current last numbers. */
export function currentColumns(schema: string): string {
  return columnsOf(currentNumber(schema, 'event'), currentNumber(schema, 'journal'));
}

function columnsOf(lastEvent: string, lastJournal: string): string {
  return recordColumns('seq', lastEvent, lastJournal, 't.');
}

/**
 * The current last number. A chunk or a step adds its own row and does not update the row of its task, so the number in that row is
 * outdated until the row changes for another reason. The end of a task is such a reason, so the numbers of ended tasks are final.
 */
function currentNumber(schema: string, table: 'event' | 'journal'): string {
  const column = `t.last_${table}`;
  const last = `(SELECT max(number) FROM ${schema}.${table} WHERE task_id = t.id)`;
  return `CASE WHEN t.ended_at IS NULL THEN greatest(${column}, ${last}) ELSE ${column} END`;
}

/**
 * Reads the last numbers of tasks whose rows are locked. It must be a statement after the lock: a statement that waited for a lock
 * sees the new version of the locked row, but not other rows that were inserted meanwhile.
 */
export function lastNumbers(schema: string, taskIds: readonly string[]): Statement {
  const last = (table: string): string => `(SELECT max(number) FROM ${schema}.${table} WHERE task_id = v.id)`;
  return {
    name: 'last numbers',
    text: `SELECT v.id, ${last('event')}, ${last('journal')} FROM unnest($1::text[]) AS v(id)`,
    values: [taskIds],
  };
}

/** Sets the current last numbers of rows. */
export function withNumbers(found: readonly FoundTask[], numbers: readonly Row[]): readonly FoundTask[] {
  const byId = new Map(numbers.map((row) => [row[0], row]));
  for (const { record } of found) {
    const [, lastEvent, lastJournal] = byId.get(record.id) ?? [];
    const draft = record as Writable<TaskRecord>;
    draft.lastEvent = Math.max(record.lastEvent, Number(lastEvent ?? 0));
    draft.lastJournal = Math.max(record.lastJournal, Number(lastJournal ?? 0));
  }
  return found;
}

export function toFound(row: Row): FoundTask {
  const [seq, lastMessage] = row as readonly [number, number];
  return { record: toRecord(row), lastMessage, seq, version: undefined };
}

/** Decodes a locked row, whose last column is its version. */
export function toLocked(row: Row): FoundTask {
  const [seq, lastMessage] = row as readonly [number, number];
  return { record: toRecord(row), lastMessage, seq, version: String(row[RECORD_COLUMN_COUNT]) };
}
