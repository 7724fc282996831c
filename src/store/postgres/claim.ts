import type { ClaimRequest, TaskRecord } from '../store.ts';
import type { Database } from './database.ts';
import { sqlLimit } from './reads.ts';
import { run, type Statement } from './statements.ts';
import { lastNumbers, TASK_COLUMNS, toFound, withNumbers } from './task-row.ts';

/**
 * Gives due tasks to a node, the longest due first. Tasks that others are about to claim or to write to are passed over:
 * whoever has them says so when he is done.
 */
export async function claimTasks(database: Database, request: ClaimRequest): Promise<readonly TaskRecord[]> {
  const { schema, now } = database;
  const { node, agents, limit, taskId } = request;
  // Two statements, each with a plan of its own: one goes by time, the other by id.
  const isWanted = taskId === undefined ? '' : 't.id = $4 AND ';
  const claim: Statement = {
    // A list and no join: for a join the planner might read all tasks that there are.
    text: `UPDATE ${schema}.task t SET node = $1, fence = t.fence + 1, attempts = t.attempts + 1
     WHERE t.id = ANY(ARRAY(
       SELECT t.id FROM ${schema}.task t
       WHERE ${isWanted}t.wake_at <= ${now} AND t.agent = ANY($2::text[]) AND ${isFree(schema, now)}
       ORDER BY t.wake_at, t.seq LIMIT $3 FOR UPDATE OF t SKIP LOCKED)) RETURNING ${TASK_COLUMNS}`,
    values: [node, agents, sqlLimit(limit), ...(taskId === undefined ? [] : [taskId])],
  };
  // As one: a claim whose node does not hear of it would be its own for as long as that node lives.
  const claimed = await database.transaction(async (client) => {
    const found = (await run(client, claim)).rows.map(toFound);
    if (found.length === 0) return [];
    const ids = found.map(({ record }) => record.id);
    return [...withNumbers(found, (await run(client, lastNumbers(schema, ids))).rows)];
  });
  claimed.sort((a, b) => (a.record.wakeAt ?? 0) - (b.record.wakeAt ?? 0) || a.seq - b.seq);
  return claimed.map(({ record }) => record);
}

/** When the next task of these agents is due that no living node holds. */
export async function nextWake(database: Database, agents: readonly string[]): Promise<number | undefined> {
  const { schema, now } = database;
  const [row] = await database.rows(
    `SELECT t.wake_at FROM ${schema}.task t
     WHERE t.wake_at IS NOT NULL AND t.agent = ANY($1::text[]) AND ${isFree(schema, now)} ORDER BY t.wake_at LIMIT 1`,
    [agents],
  );
  return row && Number(row[0]);
}

export async function heartbeat(database: Database, node: string, ttlMs: number): Promise<void> {
  const { schema, now } = database;
  await database.rows(
    `INSERT INTO ${schema}.node (id, lives_until) VALUES ($1, ${now} + $2::bigint)
     ON CONFLICT (id) DO UPDATE SET lives_until = excluded.lives_until`,
    [node, Math.trunc(ttlMs)],
  );
}

/** A node without a row does not live. */
export async function retire(database: Database, node: string): Promise<void> {
  await database.rows(`DELETE FROM ${database.schema}.node WHERE id = $1`, [node]);
}

function isFree(schema: string, now: string): string {
  return `(t.node IS NULL OR NOT EXISTS (SELECT FROM ${schema}.node n WHERE n.id = t.node AND n.lives_until > ${now}))`;
}
