import type { Message } from '../../model/message.ts';
import { JOURNAL_COLUMNS, type JournalRow, toJournalRecord } from '../journal-row.ts';
import type { JournalRecord, ReadParts, StoredTask } from '../store.ts';
import type { Writable } from '../../support/writable.ts';
import type { SqliteContext } from './context.ts';
import { type Connection, sqlLimit } from './database/connection.ts';
import { readArtifactEvents } from './task-events.ts';
import type { FoundTask } from './task-row.ts';

/** The large parts of tasks: journal, history and artifacts. */

const PK_OF = '(SELECT pk FROM task WHERE id = ?)';

type SnapshotRow = readonly [upTo: number, snapshot: string];

export function readJournal({ connection }: SqliteContext, taskId: string, after = 0): JournalRecord[] {
  const sql = `SELECT ${JOURNAL_COLUMNS} FROM journal WHERE task_pk = ${PK_OF} AND number > ? ORDER BY number`;
  return (connection.all(sql, taskId, after) as JournalRow[]).map(toJournalRecord);
}

/** Reads the requested parts of a task. */
export function readParts(connection: Connection, task: FoundTask, parts: ReadParts): StoredTask {
  const { record, lastMessage } = task;
  const last = Math.min(parts.history ?? Infinity, lastMessage);
  const history = readHistory(connection, task, last, parts.historyBytes);
  const read: Writable<StoredTask> = { record, history };
  if (history.length < last && parts.historyBytes !== undefined) read.omitted = last - history.length;
  if (parts.artifacts === true) read.artifacts = readArtifacts(connection, task);
  return read;
}

function readArtifacts(connection: Connection, task: FoundTask): NonNullable<StoredTask['artifacts']> {
  const { pk, record, artifacts: inRow = null } = task;
  if (inRow !== null) return { snapshot: inRow, tail: [] };
  const saved = connection.get('SELECT up_to, snapshot FROM artifact WHERE task_pk = ?', pk) as SnapshotRow | undefined;
  const upTo = saved?.[0] ?? 0;
  const tail = upTo < record.lastEvent ? readArtifactEvents(connection, pk, upTo) : [];
  return saved === undefined ? { tail } : { snapshot: saved[1], tail };
}

function readHistory(connection: Connection, task: FoundTask, last: number, maxBytes: number | undefined): Message[] {
  if (last === 0) return [];
  const { pk, lastMessage, message: inRow = null, record } = task;
  // Nearly every history fits as a whole.
  const isBounded = maxBytes !== undefined && (record.historyBytes ?? Infinity) > maxBytes;
  if (isBounded) return readWithin(connection, task, last, maxBytes);
  const later = inRow !== null && lastMessage === 1 ? [] : readMessages(connection, pk, last);
  if (inRow !== null && later.length < last) later.unshift(JSON.parse(inRow) as Message);
  return later;
}

function readMessages(connection: Connection, pk: number, last: number): Message[] {
  const sql = 'SELECT body FROM message WHERE task_pk = ? ORDER BY number DESC LIMIT ?';
  const rows = connection.all(sql, pk, sqlLimit(last)) as (readonly [body: string])[];
  return rows.toReversed().map(([body]) => JSON.parse(body) as Message);
}

/** Reads messages one by one from the last, up to `maxBytes`. Omitted messages are not loaded. */
function readWithin(connection: Connection, task: FoundTask, last: number, maxBytes: number): Message[] {
  const { pk, lastMessage, message: inRow = null } = task;
  const messages: Message[] = [];
  let bytes = 0;
  for (let number = lastMessage; number > lastMessage - last; number--) {
    const body = number === 1 && inRow !== null ? inRow : bodyOf(connection, pk, number);
    bytes += body.length;
    if (bytes > maxBytes) break;
    messages.push(JSON.parse(body) as Message);
  }
  return messages.toReversed();
}

function bodyOf(connection: Connection, pk: number, number: number): string {
  const row = connection.get('SELECT body FROM message WHERE task_pk = ? AND number = ?', pk, number);
  return (row as readonly [body: string] | undefined)?.[0] ?? 'null';
}
