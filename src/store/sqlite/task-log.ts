import { JOURNAL_COLUMNS, type JournalRow, toJournalRecord } from '../journal-row.ts';
import type { JournalRecord, ReadParts, StoredTask } from '../store.ts';
import type { Writable } from '../../support/writable.ts';
import type { SqliteContext } from './context.ts';
import type { Connection } from './database/connection.ts';
import { readArtifactEvents } from './task-events.ts';
import { readHistory } from './task-history.ts';
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
  if (parts.artifacts === true) read.artifacts = readArtifacts(connection, task.pk, record.lastEvent, task.artifacts);
  return read;
}

/** @param inRow The artifacts in the row of the task, if they are there. */
export function readArtifacts(
  connection: Connection,
  pk: number,
  lastEvent: number,
  inRow: string | null = null,
): NonNullable<StoredTask['artifacts']> {
  if (inRow !== null) return { snapshot: inRow, tail: [] };
  const saved = connection.get('SELECT up_to, snapshot FROM artifact WHERE task_pk = ?', pk) as SnapshotRow | undefined;
  const upTo = saved?.[0] ?? 0;
  const tail = upTo < lastEvent ? readArtifactEvents(connection, pk, upTo) : [];
  return saved === undefined ? { tail } : { snapshot: saved[1], tail };
}
