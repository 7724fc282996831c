import { isQueued, statusTime } from '../guard.ts';
import type { TaskRecord } from '../store.ts';
import { json, RECORD_COLUMN_COUNT, recordColumns, stateNumber, toRecord } from '../task-row.ts';
import type { Connection } from './database/connection.ts';
import type { Row, SqlValue } from './database/driver.ts';

/** A row of the table of tasks, with members that only the store uses. */
export interface FoundTask {
  readonly pk: number;
  readonly record: TaskRecord;
  /** The number of the last message of the history. */
  readonly lastMessage: number;
  /** The first message and the final artifacts, serialized, if they are in the row and were requested. */
  readonly message?: string | null;
  readonly artifacts?: string | null;
  /** The approximate size in memory, in characters. Absent for a task without a row. */
  readonly size?: number;
}

/** The row contains these numbers only after the end of the task. Until then a chunk or a step does not update the row. */
export const LAST_EVENT = 'ifnull(last_event, (SELECT ifnull(max(number), 0) FROM event WHERE task_pk = task.pk))';
const LAST_JOURNAL = 'ifnull(last_journal, (SELECT ifnull(max(number), 0) FROM journal WHERE task_pk = task.pk))';

/** The columns of the record. */
export const RECORD_COLUMNS = recordColumns('pk', LAST_EVENT, LAST_JOURNAL);

/** With the parts that may be in the row. */
export const TASK_COLUMNS = `${RECORD_COLUMNS}, message, artifacts`;

/** The last columns of a record are texts, as are the parts after them. */
const TEXTS = 3;

const FIND = `SELECT ${TASK_COLUMNS} FROM task WHERE id = ?`;

const INSERT = `INSERT INTO task (pk, last_message, id, tenant, owner, context_id, agent, alias, state, status_time, visible,
    canceling, has_events, last_event, last_journal, fence, attempts, node, wake_at, question, created_at, ended_at,
    status, metadata, origin, message, artifacts, pushed, fairness_key, queued, history_bytes, call_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Longer parts have their own tables, because a row is rewritten whenever its status changes. */
const MAX_IN_ROW = 1024;

/** Whether a serialized part of a task is stored in its row. */
export function fitsInRow(text: string): boolean {
  return text.length <= MAX_IN_ROW;
}

export function findTask(connection: Connection, id: string): FoundTask | undefined {
  const row = connection.get(FIND, id);
  const found = row && toFound(row);
  // SQLite compares an id only up to its first NUL.
  return found?.record.id === id ? found : undefined;
}

/** Reads a row of `TASK_COLUMNS`, or of `RECORD_COLUMNS`. */
export function toFound(row: Row): FoundTask {
  const [pk, lastMessage] = row as readonly [number, number];
  const message = (row[RECORD_COLUMN_COUNT] ?? null) as string | null;
  const artifacts = (row[RECORD_COLUMN_COUNT + 1] ?? null) as string | null;
  let size = 0;
  for (let column = RECORD_COLUMN_COUNT - TEXTS; column < row.length; column++)
    size += lengthOf(row[column] as string | null);
  return { pk, record: toRecord(row), lastMessage, message, artifacts, size };
}

/** Inserts a new task. Returns the number of characters of its JSON. */
export function insertTask(connection: Connection, task: FoundTask, alias: string | undefined, now: number): number {
  const { pk, record, lastMessage, message = null, artifacts = null } = task;
  const hasEnded = record.endedAt !== undefined;
  const status = JSON.stringify(record.status);
  const metadata = json(record.metadata);
  const origin = JSON.stringify(record.origin);
  connection.run(
    INSERT,
    pk,
    lastMessage,
    record.id,
    record.tenant,
    record.owner,
    record.contextId,
    record.agent,
    alias ?? null,
    stateNumber(record.status.state),
    statusTime(record),
    Number(record.visible),
    Number(record.canceling),
    hasEnded ? record.lastEvent : null,
    hasEnded ? record.lastJournal : null,
    record.fence,
    record.attempts,
    record.node ?? null,
    record.wakeAt ?? null,
    json(record.question),
    record.createdAt,
    record.endedAt ?? null,
    status,
    metadata,
    origin,
    message,
    artifacts,
    Number(record.pushed === true),
    record.fairnessKey ?? null,
    Number(isQueued(record, now)),
    record.historyBytes ?? null,
    record.callId ?? null,
  );
  return status.length + origin.length + lengthOf(metadata) + lengthOf(message) + lengthOf(artifacts);
}

/**
 * Writes only the changed columns, because SQLite updates the index of every column that is set, changed or not. Returns the
 * number of characters written.
 */
export function updateTask(connection: Connection, stored: FoundTask, task: FoundTask, now: number): number {
  const { pk, record: before } = stored;
  const { record: after } = task;
  const values: SqlValue[] = [];
  let columns = '';
  let length = 0;
  const set = (column: string, value: SqlValue): void => {
    columns += columns === '' ? `${column} = ?` : `, ${column} = ?`;
    values.push(value);
    if (typeof value === 'string') length += value.length;
  };
  if (task.lastMessage !== stored.lastMessage) set('last_message', task.lastMessage);
  if (after.historyBytes !== before.historyBytes) set('history_bytes', after.historyBytes ?? null);
  if (after.status !== before.status) {
    set('state', stateNumber(after.status.state));
    set('status_time', statusTime(after));
    set('status', JSON.stringify(after.status));
  }
  if (after.metadata !== before.metadata) set('metadata', json(after.metadata));
  if (after.visible !== before.visible) set('visible', Number(after.visible));
  if (after.canceling !== before.canceling) set('canceling', Number(after.canceling));
  if (after.fence !== before.fence) set('fence', after.fence);
  if (after.attempts !== before.attempts) set('attempts', after.attempts);
  if (after.suspectMs !== before.suspectMs) set('suspect_ms', after.suspectMs ?? null);
  if (after.claimedJournal !== before.claimedJournal) set('claimed_journal', after.claimedJournal ?? null);
  if (after.crashes !== before.crashes) set('crashes', after.crashes ?? null);
  if (after.node !== before.node) set('node', after.node ?? null);
  if (after.wakeAt !== before.wakeAt) set('wake_at', after.wakeAt ?? null);
  // A task without `wakeAt` is in no index.
  if (after.wakeAt !== undefined && (after.node !== before.node || after.wakeAt !== before.wakeAt))
    set('queued', Number(isQueued(after, now)));
  if (after.openCalls !== before.openCalls) set('open_calls', after.openCalls ?? null);
  if (after.question !== before.question) set('question', json(after.question));
  if (after.pushed !== before.pushed) set('pushed', Number(after.pushed === true));
  if (after.endedAt !== undefined) {
    set('ended_at', after.endedAt);
    set('last_event', after.lastEvent);
    set('last_journal', after.lastJournal);
    if (typeof task.artifacts === 'string') set('artifacts', task.artifacts);
  }
  if (columns !== '') connection.run(`UPDATE task SET ${columns} WHERE pk = ?`, ...values, pk);
  return length;
}

function lengthOf(text: string | null): number {
  return text === null ? 0 : text.length;
}
