import type { JsonValue } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { JournalEntry, JournalRecord, NewEvent, ReadParts, StoredTask, TaskEvent } from '../store.ts';
import { type Connection, sqlLimit } from './connection.ts';
import type { FoundTask } from './task-row.ts';

/** The bulky parts of tasks: events, journal, history and artifacts. */

const KINDS = ['task', 'status', 'artifact'] as const satisfies readonly TaskEvent['kind'][];
const ARTIFACT = KINDS.indexOf('artifact');
const INSERT_EVENT = 'INSERT INTO event (task_pk, number, kind, body) VALUES (?, ?, ?, ?)';
const PK_OF = '(SELECT pk FROM task WHERE id = ?)';

type EventRow = readonly [number: number, kind: number, body: string];
type JournalRow = readonly [number: number, kind: string, key: string, body: string];
type SnapshotRow = readonly [upTo: number, snapshot: string];

/** Stores events with the numbers after `last`. */
export function insertEvents(connection: Connection, pk: number, last: number, events: readonly NewEvent[]): void {
  for (const [i, { kind, body }] of events.entries()) {
    connection.run(INSERT_EVENT, pk, last + 1 + i, KINDS.indexOf(kind), body);
  }
}

export function insertJournal(
  connection: Connection,
  pk: number,
  last: number,
  entries: readonly JournalEntry[],
): void {
  for (const [i, { kind, key, body }] of entries.entries()) {
    connection.run('INSERT INTO journal VALUES (?, ?, ?, ?, ?)', pk, last + 1 + i, kind, key, JSON.stringify(body));
  }
}

export function insertMessages(connection: Connection, pk: number, last: number, messages: readonly Message[]): void {
  for (const [i, message] of messages.entries()) {
    connection.run('INSERT INTO message VALUES (?, ?, ?)', pk, last + 1 + i, JSON.stringify(message));
  }
}

export function saveSnapshot(connection: Connection, pk: number, upTo: number, snapshot: string): void {
  connection.run('INSERT OR REPLACE INTO artifact VALUES (?, ?, ?)', pk, upTo, snapshot);
}

export function dropJournal(connection: Connection, pk: number): void {
  connection.run('DELETE FROM journal WHERE task_pk = ?', pk);
}

export function dropEvents(connection: Connection, pk: number): void {
  connection.run('DELETE FROM event WHERE task_pk = ?', pk);
}

/** Everything that belongs to a task, but not the task. */
export function dropLog(connection: Connection, pk: number): void {
  dropEvents(connection, pk);
  dropJournal(connection, pk);
  connection.run('DELETE FROM message WHERE task_pk = ?', pk);
  connection.run('DELETE FROM artifact WHERE task_pk = ?', pk);
}

export function readEvents(connection: Connection, taskId: string, after: number, limit: number): TaskEvent[] {
  const sql = `SELECT number, kind, body FROM event WHERE task_pk = ${PK_OF} AND number > ? ORDER BY number LIMIT ?`;
  return (connection.all(sql, taskId, after, sqlLimit(limit)) as EventRow[]).map(toEvent);
}

export function readJournal(connection: Connection, taskId: string, after: number): JournalRecord[] {
  const sql = `SELECT number, kind, key, body FROM journal WHERE task_pk = ${PK_OF} AND number > ? ORDER BY number`;
  const rows = connection.all(sql, taskId, after) as JournalRow[];
  return rows.map(([number, kind, key, body]) => ({ number, kind, key, body: JSON.parse(body) as JsonValue }));
}

/** The task with the parts that are asked for. */
export function readParts(connection: Connection, { pk, record }: FoundTask, parts: ReadParts): StoredTask {
  const task = { record, history: readHistory(connection, pk, parts.history ?? Infinity) };
  if (parts.artifacts !== true) return task;
  const saved = connection.get('SELECT up_to, snapshot FROM artifact WHERE task_pk = ?', pk) as SnapshotRow | undefined;
  const upTo = saved?.[0] ?? 0;
  const tail = upTo < record.lastEvent ? readTail(connection, pk, upTo) : [];
  return { ...task, artifacts: saved === undefined ? { tail } : { snapshot: saved[1], tail } };
}

function readTail(connection: Connection, pk: number, after: number): TaskEvent[] {
  const sql = `SELECT number, kind, body FROM event WHERE task_pk = ? AND number > ? AND kind = ${ARTIFACT} ORDER BY number`;
  return (connection.all(sql, pk, after) as EventRow[]).map(toEvent);
}

function readHistory(connection: Connection, pk: number, last: number): Message[] {
  if (last === 0) return [];
  const sql = 'SELECT body FROM message WHERE task_pk = ? ORDER BY number DESC LIMIT ?';
  const rows = connection.all(sql, pk, sqlLimit(last)) as (readonly [body: string])[];
  return rows.toReversed().map(([body]) => JSON.parse(body) as Message);
}

function toEvent([number, kind, body]: EventRow): TaskEvent {
  return { number, kind: KINDS[kind] ?? 'status', body };
}
