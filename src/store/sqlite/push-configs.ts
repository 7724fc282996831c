import type { TaskPushNotificationConfig } from '../../model/push.ts';
import type { PushConfigQuery, PushConfigRecord } from '../store.ts';
import { receiverOf } from '../push-shares.ts';
import { type Connection, getNumber, sqlLimit } from './database/connection.ts';
import type { FoundTask } from './task-row.ts';

/** The push configs of tasks. A trigger deletes them with their task. */

type PushConfigRow = readonly [id: string, dialect: string, createdAt: number, config: string];

const INSERT = `INSERT INTO push_config (task_pk, number, id, dialect, created_at, config, receiver, told)
  VALUES (?, (SELECT ifnull(max(number), 0) + 1 FROM push_config WHERE task_pk = ?), ?, ?, ?, ?, ?, ?)`;
const REPLACE = `UPDATE push_config SET dialect = ?, config = ?, receiver = ? WHERE task_pk = ? AND id = ? RETURNING 1`;
const COUNT = 'SELECT count(*) FROM push_config WHERE task_pk = ?';
const DELETE = 'DELETE FROM push_config WHERE task_pk = ? AND id = ? RETURNING 1';
const NUMBER_OF = 'SELECT ifnull(max(number), 0) FROM push_config WHERE task_pk = ? AND id = ?';
const COLUMNS = 'id, dialect, created_at, config';
const ONE = `SELECT ${COLUMNS} FROM push_config WHERE task_pk = ? AND number > ? AND id = ? LIMIT ?`;
const PAGE = `SELECT ${COLUMNS} FROM push_config WHERE task_pk = ? AND number > ? ORDER BY number LIMIT ?`;

/** @param delivered The number of the last event that it does not receive. */
export function insertPushConfig(
  connection: Connection,
  pk: number,
  record: PushConfigRecord,
  delivered: number,
): void {
  const { id, dialect, createdAt, config } = record;
  connection.run(INSERT, pk, pk, id, dialect, createdAt, JSON.stringify(config), receiverOf(record), delivered);
}

/** Replaces the content of a push config. Returns whether there is one. */
export function replacePushConfig(connection: Connection, pk: number, record: PushConfigRecord): boolean {
  const { id, dialect, config } = record;
  return connection.get(REPLACE, dialect, JSON.stringify(config), receiverOf(record), pk, id) !== undefined;
}

export function countPushConfigs(connection: Connection, pk: number): number {
  return getNumber(connection, COUNT, pk);
}

export function readPushConfigs(
  connection: Connection,
  { pk }: FoundTask,
  { id, limit, after }: PushConfigQuery,
): readonly PushConfigRecord[] {
  const start = after === undefined ? 0 : getNumber(connection, NUMBER_OF, pk, after);
  const rows =
    id === undefined
      ? connection.all(PAGE, pk, start, sqlLimit(limit))
      : connection.all(ONE, pk, start, id, sqlLimit(limit));
  return (rows as PushConfigRow[]).map(toRecord);
}

/** Returns whether it existed. */
export function removePushConfig(connection: Connection, pk: number, id: string): boolean {
  return connection.get(DELETE, pk, id) !== undefined;
}

function toRecord([id, dialect, createdAt, config]: PushConfigRow): PushConfigRecord {
  return { id, config: JSON.parse(config) as TaskPushNotificationConfig, dialect, createdAt };
}
