import type { NewEvent, TaskEvent } from '../store.ts';
import type { SqliteContext } from './context.ts';
import { type Connection, sqlLimit } from './database/connection.ts';

/**
 * The events of tasks. The events of one write share a row, so that a write costs one insert and one index entry, regardless of
 * the number of its chunks.
 */

const KINDS = ['task', 'status', 'artifact'] as const satisfies readonly TaskEvent['kind'][];
const DIGITS: Readonly<Record<TaskEvent['kind'], string>> = { task: '0', status: '1', artifact: '2' };

/** The limits of a row, so that reading a few events does not load many, and rows stay small. */
const MAX_IN_ROW = 64;
const MAX_LENGTH_OF_ROW = 2 ** 16;

const INSERT = 'INSERT INTO event (task_pk, number, kinds, lengths, body) VALUES (?, ?, ?, ?, ?)';
const COLUMNS = 'number, kinds, lengths, body';

type EventRow = readonly [last: number, kinds: string, lengths: string | null, body: string];

/** Stores events with the numbers after `last`. */
export function insertEvents(connection: Connection, pk: number, last: number, events: readonly NewEvent[]): void {
  for (let start = 0; start < events.length;) {
    const first = events[start] as NewEvent;
    let kinds = DIGITS[first.kind];
    let { body } = first;
    let lengths = String(body.length);
    let end = start + 1;
    for (; end < events.length && end - start < MAX_IN_ROW && body.length < MAX_LENGTH_OF_ROW; end += 1) {
      const event = events[end] as NewEvent;
      kinds += DIGITS[event.kind];
      body += event.body;
      lengths += ` ${event.body.length}`;
    }
    connection.run(INSERT, pk, last + end, kinds, end - start === 1 ? null : lengths, body);
    start = end;
  }
}

export function dropEvents(connection: Connection, pk: number): void {
  connection.run('DELETE FROM event WHERE task_pk = ?', pk);
}

export function readEvents({ connection }: SqliteContext, taskId: string, after: number, limit: number): TaskEvent[] {
  const sql = `SELECT ${COLUMNS} FROM event WHERE task_pk = (SELECT pk FROM task WHERE id = ?)
    AND number > ? AND number < ? ORDER BY number LIMIT ?`;
  // The row of the last event may contain later events, too.
  const end = Math.min(after + limit + MAX_IN_ROW, Number.MAX_SAFE_INTEGER);
  const rows = connection.all(sql, taskId, after, end, sqlLimit(limit)) as EventRow[];
  const events = rows.flatMap(toEvents);
  const next = events.findIndex(({ number }) => number > after);
  return next < 0 ? [] : events.slice(next, next + Math.max(0, limit));
}

/** The artifact events after `after`, which is the number of the last event of a write. */
export function readArtifactEvents(connection: Connection, pk: number, after: number): TaskEvent[] {
  const sql = `SELECT ${COLUMNS} FROM event WHERE task_pk = ? AND number > ? ORDER BY number`;
  const events = (connection.all(sql, pk, after) as EventRow[]).flatMap(toEvents);
  return events.filter(({ kind, number }) => kind === 'artifact' && number > after);
}

function toEvents([last, kinds, lengths, body]: EventRow): TaskEvent[] {
  if (lengths === null) return [{ number: last, kind: kindOf(kinds), body }];
  let start = 0;
  return lengths.split(' ').map((length, i, all) => {
    const end = start + Number(length);
    const event = { number: last - all.length + 1 + i, kind: kindOf(kinds[i]), body: body.slice(start, end) };
    start = end;
    return event;
  });
}

function kindOf(digit: string | undefined): TaskEvent['kind'] {
  return KINDS[Number(digit)] ?? 'status';
}
