import type { DeadLetterQuery, DeadLetterRecord, NewDeadLetter, PushConfigName } from '../store.ts';
import { type LetterRow, toDeadLetter } from '../push-rows.ts';
import type { Database } from './database.ts';
import { type Queryable, rowsOf } from './statements.ts';
import { sqlLimit } from './read/reads.ts';

/** Undeliverable notifications. */

export async function insertDeadLetter(
  client: Queryable,
  schema: string,
  { taskId, configId }: PushConfigName,
  { id, event, attempts, time, reason }: NewDeadLetter,
): Promise<void> {
  const { number, kind, body } = event;
  await rowsOf(client, `DELETE FROM ${schema}.dead_letter WHERE id = $1`, [id]);
  await rowsOf(
    client,
    `INSERT INTO ${schema}.dead_letter (id, task_id, config_id, number, kind, attempts, time, reason, body)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [id, taskId, configId, number, kind, attempts, time, JSON.stringify(reason), body],
  );
}

export async function readDeadLetters(
  database: Database,
  { agents, id, of, after, limit }: DeadLetterQuery,
): Promise<readonly DeadLetterRecord[]> {
  const { schema } = database;
  const rows = await database.rows(
    `SELECT d.id, d.number, d.kind, d.body, d.reason, d.attempts, d.time, t.id, t.tenant, t.owner, c.id, c.receiver,
       c.disabled, c.dialect, c.created_at, c.config
     FROM ${schema}.dead_letter d JOIN ${schema}.task t ON t.id = d.task_id
       JOIN ${schema}.push_config c ON c.task_id = d.task_id AND c.id = d.config_id
     WHERE t.agent = ANY($1::text[]) AND ($2::text IS NULL OR d.id = $2)
       AND ($3::text IS NULL OR (d.task_id = $3 AND d.config_id = $4))
       AND d.seq > coalesce((SELECT seq FROM ${schema}.dead_letter WHERE id = $5), 0)
     ORDER BY d.seq LIMIT $6`,
    [agents, id ?? null, of?.taskId ?? null, of?.configId ?? null, after ?? null, sqlLimit(limit)],
  );
  return rows.map((row) => toDeadLetter(row as unknown as LetterRow));
}

/** Returns whether it existed. */
export async function dropDeadLetter(database: Database, id: string): Promise<boolean> {
  return (await database.rows(`DELETE FROM ${database.schema}.dead_letter WHERE id = $1 RETURNING 1`, [id])).length > 0;
}

/** Deletes all but the latest `count`. */
export async function keepDeadLetters(database: Database, count: number): Promise<void> {
  const { schema } = database;
  await database.rows(
    `DELETE FROM ${schema}.dead_letter
     WHERE seq <= (SELECT seq FROM ${schema}.dead_letter ORDER BY seq DESC LIMIT 1 OFFSET $1)`,
    [count],
  );
}
