import type { TaskPushNotificationConfig } from '../../model/push.ts';
import type { PushConfigPut, PushConfigQuery, PushConfigRecord, Scope } from '../store.ts';
import { withPushed } from '../guard.ts';
import { receiverOf } from '../receiver.ts';
import { type Connection, getNumber, sqlLimit } from './database/connection.ts';
import { beginAnew } from './outbox.ts';
import type { FoundTask } from './task-row.ts';
import type { WriteContext } from './writes.ts';

/** The push configs of tasks. A trigger deletes them with their task. */

type PushConfigRow = readonly [id: string, dialect: string, createdAt: number, config: string];

const INSERT = `INSERT INTO push_config (task_pk, number, id, dialect, created_at, config, receiver, told)
  VALUES (?, (SELECT ifnull(max(number), 0) + 1 FROM push_config WHERE task_pk = ?), ?, ?, ?, ?, ?, ?)`;
const REPLACE = `UPDATE push_config SET dialect = ?, config = ?, receiver = ? WHERE task_pk = ? AND id = ?
  RETURNING created_at`;
const COUNT = 'SELECT count(*) FROM push_config WHERE task_pk = ?';
const DELETE = 'DELETE FROM push_config WHERE task_pk = ? AND id = ? RETURNING 1';
const NUMBER_OF = 'SELECT ifnull(max(number), 0) FROM push_config WHERE task_pk = ? AND id = ?';
const COLUMNS = 'id, dialect, created_at, config';
const ONE = `SELECT ${COLUMNS} FROM push_config WHERE task_pk = ? AND number > ? AND id = ? LIMIT ?`;
const PAGE = `SELECT ${COLUMNS} FROM push_config WHERE task_pk = ? AND number > ? ORDER BY number LIMIT ?`;

/** The task, if it is visible and belongs to this owner. */
export function shownTo({ tenant, owner }: Scope, task: FoundTask | undefined): FoundTask | undefined {
  const record = task?.record;
  return record?.tenant === tenant && record.owner === owner && record.visible ? task : undefined;
}

/** @param told The number of the last event before the push config. */
export function insertPushConfig(connection: Connection, pk: number, record: PushConfigRecord, told: number): void {
  connection.run(INSERT, pk, pk, ...toRow(record), receiverOf(record), told);
}

export function putPushConfig(
  desk: WriteContext,
  task: FoundTask,
  record: PushConfigRecord,
  max: number,
): PushConfigPut {
  const put = storePushConfig(desk, task, record, max);
  if (put.kind === 'stored' && task.record.pushed !== true) desk.tasks.update(task, withPushed(task.record, true));
  return put;
}

/** Stores a push config without setting `pushed`, for a caller that updates the task itself. */
export function storePushConfig(
  desk: WriteContext,
  task: FoundTask,
  record: PushConfigRecord,
  max: number,
): PushConfigPut {
  const { connection, tasks } = desk;
  const [id, dialect, createdAt, config] = toRow(record);
  const replaced = connection.get(REPLACE, dialect, config, receiverOf(record), task.pk, id);
  if (replaced !== undefined) {
    beginAnew(desk, task, id);
    return stored([id, dialect, Number(replaced[0]), config]);
  }
  if (getNumber(connection, COUNT, task.pk) >= max) return { kind: 'full' };
  // The trigger that deletes it with its task needs the row of the task.
  tasks.save();
  insertPushConfig(connection, task.pk, record, task.record.lastEvent);
  return stored([id, dialect, createdAt, config]);
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
export function deletePushConfig({ connection, tasks }: WriteContext, task: FoundTask, id: string): boolean {
  const isDeleted = connection.get(DELETE, task.pk, id) !== undefined;
  if (isDeleted && getNumber(connection, COUNT, task.pk) === 0) tasks.update(task, withPushed(task.record, false));
  return isDeleted;
}

function toRecord([id, dialect, createdAt, config]: PushConfigRow): PushConfigRecord {
  return { id, config: JSON.parse(config) as TaskPushNotificationConfig, dialect, createdAt };
}

function toRow({ id, config, dialect, createdAt }: PushConfigRecord): PushConfigRow {
  return [id, dialect, createdAt, JSON.stringify(config)];
}

/** Returns a copy, as a later read would. */
function stored(row: PushConfigRow): PushConfigPut {
  return { kind: 'stored', record: toRecord(row) };
}
