import type { TaskPushNotificationConfig } from '../../model/push.ts';
import type { PushConfigPut, PushConfigQuery, PushConfigRecord, Scope } from '../store.ts';
import type { Database } from './database.ts';
import { type Queryable, type Row, rowsOf } from './statements.ts';
import { receiverOf } from '../push-shares.ts';
import { beginAnew, lastEventOf } from './outbox.ts';
import { sqlLimit } from './read/reads.ts';

/** The push configs of tasks. */

const COLUMNS = 'id, dialect, created_at, config';
const ASKED = { isAsked: true } as const;

export function putPushConfig(
  database: Database,
  scope: Scope,
  taskId: string,
  record: PushConfigRecord,
  max: number,
): Promise<PushConfigPut | undefined> {
  const { schema } = database;
  return database.transaction(async (client) => {
    const task = await shownTask(client, schema, scope, taskId, 'FOR UPDATE');
    if (task === undefined) return undefined;
    const lastEvent = await lastEventOf(client, schema, taskId, task.lastEvent);
    const { id, dialect, createdAt, config } = record;
    const [replaced] = await rowsOf(
      client,
      `UPDATE ${schema}.push_config SET dialect = $3, config = $4, receiver = $5 WHERE task_id = $1 AND id = $2
       RETURNING ${COLUMNS}`,
      [taskId, id, dialect, JSON.stringify(config), receiverOf(record)],
    );
    if (replaced !== undefined) {
      await beginAnew(client, database, { taskId, configId: id, lastEvent });
      return stored(replaced);
    }
    const [added] = await rowsOf(
      client,
      `INSERT INTO ${schema}.push_config (task_id, id, number, dialect, created_at, config, receiver, told)
       SELECT $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5, $7, $8 FROM ${schema}.push_config WHERE task_id = $1
       HAVING count(*) < $6 RETURNING ${COLUMNS}`,
      [taskId, id, dialect, createdAt, JSON.stringify(config), sqlLimit(max) ?? 2 ** 31, receiverOf(record), lastEvent],
    );
    if (added === undefined) return { kind: 'full' };
    await rowsOf(client, `UPDATE ${schema}.task SET pushed = true WHERE id = $1 AND NOT pushed`, [taskId]);
    return stored(added);
  }, ASKED);
}

export function readPushConfigs(
  database: Database,
  scope: Scope,
  taskId: string,
  { id, limit, after }: PushConfigQuery,
): Promise<readonly PushConfigRecord[] | undefined> {
  const { schema } = database;
  return database.transaction(async (client) => {
    if ((await shownTask(client, schema, scope, taskId)) === undefined) return undefined;
    const rows = await rowsOf(
      client,
      `SELECT ${COLUMNS} FROM ${schema}.push_config
       WHERE task_id = $1 AND ($2::text IS NULL OR id = $2) AND number > coalesce(
         (SELECT number FROM ${schema}.push_config WHERE task_id = $1 AND id = $3), 0)
       ORDER BY number LIMIT $4`,
      [taskId, id ?? null, after ?? null, sqlLimit(limit)],
    );
    return rows.map(toRecord);
  });
}

/** Returns whether it existed. */
export function deletePushConfig(
  database: Database,
  scope: Scope,
  taskId: string,
  id: string,
): Promise<boolean | undefined> {
  const { schema } = database;
  return database.transaction(async (client) => {
    if ((await shownTask(client, schema, scope, taskId, 'FOR UPDATE')) === undefined) return undefined;
    const text = `DELETE FROM ${schema}.push_config WHERE task_id = $1 AND id = $2 RETURNING 1`;
    if ((await rowsOf(client, text, [taskId, id])).length === 0) return false;
    await rowsOf(client, `DELETE FROM ${schema}.dead_letter WHERE task_id = $1 AND config_id = $2`, [taskId, id]);
    await rowsOf(
      client,
      `UPDATE ${schema}.task SET pushed = false
       WHERE id = $1 AND NOT EXISTS (SELECT FROM ${schema}.push_config WHERE task_id = $1)`,
      [taskId],
    );
    return true;
  }, ASKED);
}

/** The row of the task, if it is visible and belongs to this owner. */
async function shownTask(
  client: Queryable,
  schema: string,
  { tenant, owner }: Scope,
  taskId: string,
  lock = '',
): Promise<{ readonly lastEvent: number } | undefined> {
  const text = `SELECT last_event FROM ${schema}.task WHERE id = $1 AND tenant = $2 AND owner = $3 AND visible ${lock}`;
  const [row] = await rowsOf(client, text, [taskId, tenant, owner]);
  return row && { lastEvent: Number(row[0]) };
}

function toRecord(row: Row): PushConfigRecord {
  const [id, dialect, createdAt, config] = row as readonly [string, string, number, string];
  return { id, config: JSON.parse(config) as TaskPushNotificationConfig, dialect, createdAt };
}

function stored(row: Row): PushConfigPut {
  return { kind: 'stored', record: toRecord(row) };
}
