import type { DeadLetterQuery, DeadLetterRecord, NewDeadLetter } from '../store.ts';
import { type LetterRow, toDeadLetter } from '../push-rows.ts';
import type { SqliteContext } from './context.ts';
import { type Connection, getNumber, sqlLimit } from './database/connection.ts';

/** Undeliverable notifications. A trigger deletes them with their push config. */

const INSERT = `INSERT OR REPLACE INTO dead_letter (id, task_pk, config_id, number, kind, attempts, time, reason, body)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const SELECT = `SELECT d.id, d.number, d.kind, d.body, d.reason, d.attempts, d.time, t.id, t.tenant, t.owner, c.id,
    c.receiver, c.disabled, c.dialect, c.created_at, c.config
  FROM dead_letter d CROSS JOIN task t ON t.pk = d.task_pk
    CROSS JOIN push_config c ON c.task_pk = d.task_pk AND c.id = d.config_id`;
const OF_AGENTS = 't.agent IN (SELECT value FROM json_each(?))';
const PAGE = `${SELECT} WHERE d.pk > ? AND ${OF_AGENTS} ORDER BY d.pk LIMIT ?`;
const ONE = `${SELECT} WHERE d.pk > ? AND ${OF_AGENTS} AND d.id = ? LIMIT ?`;
const OF_CONFIG = `${SELECT} WHERE d.task_pk = (SELECT pk FROM task WHERE id = ?) AND d.config_id = ? AND d.pk > ?
  AND ${OF_AGENTS} ORDER BY d.pk LIMIT ?`;

const PLACE = 'SELECT ifnull(max(pk), 0) FROM dead_letter WHERE id = ?';
const DELETE = 'DELETE FROM dead_letter WHERE id = ? RETURNING 1';
/** Reads as many rows as are kept, which are few. */
const KEEP = `DELETE FROM dead_letter
  WHERE pk <= (SELECT pk FROM dead_letter WHERE pk > 0 ORDER BY pk DESC LIMIT 1 OFFSET ?)`;

export function insertDeadLetter(
  connection: Connection,
  pk: number,
  configId: string,
  { id, event, attempts, time, reason }: NewDeadLetter,
): void {
  const { number, kind, body } = event;
  connection.run(INSERT, id, pk, configId, number, kind, attempts, time, JSON.stringify(reason), body);
}

export function readDeadLetters({ connection }: SqliteContext, query: DeadLetterQuery): readonly DeadLetterRecord[] {
  const { id, of, after } = query;
  const agents = JSON.stringify(query.agents);
  const limit = sqlLimit(query.limit);
  const start = after === undefined ? 0 : getNumber(connection, PLACE, after);
  const rows =
    id !== undefined
      ? connection.all(ONE, start, agents, id, limit)
      : of !== undefined
        ? connection.all(OF_CONFIG, of.taskId, of.configId, start, agents, limit)
        : connection.all(PAGE, start, agents, limit);
  return (rows as unknown as LetterRow[]).map(toDeadLetter);
}

/** Returns whether it existed. */
export function dropDeadLetter({ connection }: SqliteContext, id: string): boolean {
  return connection.get(DELETE, id) !== undefined;
}

/** Deletes all but the latest `count`. */
export function keepDeadLetters({ connection }: SqliteContext, count: number): void {
  connection.run(KEEP, count);
}
