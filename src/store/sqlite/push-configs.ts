import type { TaskPushNotificationConfig } from '../../model/push.ts';
import type { PushConfigQuery, PushConfigRecord } from '../store.ts';
import { type Connection, getNumber, sqlLimit } from './database/connection.ts';
import type { FoundTask } from './task-row.ts';

/** The push configs of tasks. A trigger deletes them with their task. */

type PushConfigRow = readonly [id: string, dialect: string, createdAt: number, config: string];

const NUMBER_OF = 'SELECT ifnull(max(number), 0) FROM push_config WHERE task_pk = ? AND id = ?';
const COLUMNS = 'id, dialect, created_at, config';
const ONE = `SELECT ${COLUMNS} FROM push_config WHERE task_pk = ? AND number > ? AND id = ? LIMIT ?`;
const PAGE = `SELECT ${COLUMNS} FROM push_config WHERE task_pk = ? AND number > ? ORDER BY number LIMIT ?`;

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

function toRecord([id, dialect, createdAt, config]: PushConfigRow): PushConfigRecord {
  return { id, config: JSON.parse(config) as TaskPushNotificationConfig, dialect, createdAt };
}
