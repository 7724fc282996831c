import type { AllTasksQuery, RetentionPolicy, Scope, TaskRecord, UnfinishedTasks } from '../store.ts';
import type { Database } from './database.ts';
import { sqlLimit } from './read/reads.ts';
import { currentColumns, toFound } from './task-row.ts';

/** The maximum number of tasks or request keys per statement. */
const PAGE = 1000;

/** A task to remove. */
interface Outlived {
  readonly taskId: string;
  /** The call that created it. */
  readonly callId: string | undefined;
}

/** The ended tasks that have expired or exceed the number to keep, the longest ended first. */
export async function outlived(database: Database, policy: RetentionPolicy): Promise<readonly Outlived[]> {
  const { schema } = database;
  const rows = await database.rows(
    `SELECT o.id, o.call_id FROM (
       SELECT id, call_id, ended_at, row_number() OVER (ORDER BY ended_at, seq) AS place FROM ${schema}.task t
       WHERE ended_at IS NOT NULL AND ${isRemovable(schema)} ORDER BY ended_at, seq LIMIT $1) AS o
     WHERE o.ended_at < $2 OR o.place <= (SELECT count(*) FROM ${schema}.task WHERE ended_at IS NOT NULL) - $3
     ORDER BY o.place`,
    [sqlLimit(policy.limit), policy.endedBefore, sqlLimit(policy.keepEnded) ?? 2 ** 53],
  );
  return rows.map(([id, callId]) => ({ taskId: String(id), callId: (callId as string | null) ?? undefined }));
}

/** Not true for tasks that a call needs, which could otherwise fill every batch. */
function isRemovable(schema: string): string {
  return `t.open_calls IS NULL AND (t.call_id IS NULL
    OR NOT EXISTS (SELECT FROM ${schema}.call c WHERE c.id = t.call_id AND c.failed IS NULL))`;
}

/** Removes expired events of ended tasks without pending deliveries. The artifacts are in the snapshot from the end of the task. */
export async function forgetEvents(database: Database, policy: RetentionPolicy): Promise<void> {
  const { schema } = database;
  for (;;) {
    const silent = await database.rows(
      `WITH silent AS (
         SELECT id FROM ${schema}.task t WHERE has_events AND ended_at IS NOT NULL AND ended_at < $1
           AND (NOT pushed OR NOT EXISTS (
             SELECT FROM ${schema}.push_config c WHERE c.task_id = t.id AND c.due_at IS NOT NULL))
           AND ${isRemovable(schema)}
         ORDER BY ended_at LIMIT ${PAGE} FOR UPDATE SKIP LOCKED),
       gone AS (DELETE FROM ${schema}.event WHERE task_id IN (SELECT id FROM silent))
       UPDATE ${schema}.task t SET has_events = false FROM silent WHERE t.id = silent.id RETURNING t.id`,
      [policy.eventsEndedBefore],
    );
    if (silent.length < PAGE) return;
  }
}

/** How long the rows of dead nodes are kept. Node names are never reused, so a day is long enough. */
const NODE_MS = 24 * 3_600_000;

export async function forgetNodes(database: Database): Promise<void> {
  const { schema, now } = database;
  await database.rows(`DELETE FROM ${schema}.node WHERE lives_until < ${now} - ${NODE_MS}`);
}

/** Removes the expired keys of removed tasks. */
export async function forgetRequests(database: Database): Promise<void> {
  const { schema, now } = database;
  for (;;) {
    const old = await database.rows(
      `DELETE FROM ${schema}.request_key WHERE ctid = ANY(ARRAY(
         SELECT ctid FROM ${schema}.request_key WHERE NOT has_task AND keep_until < ${now}
         ORDER BY keep_until LIMIT ${PAGE} FOR UPDATE SKIP LOCKED)) RETURNING 1`,
    );
    if (old.length < PAGE) return;
  }
}

/** At most `limit` tasks of one owner that no living node runs. */
export async function idleTasksOf(database: Database, scope: Scope, limit: number): Promise<readonly string[]> {
  const { schema, now } = database;
  const ids: string[] = [];
  // Visible tasks are in the index of lists. Provisional tasks are few and need one table scan.
  for (const condition of ['visible', 'NOT visible']) {
    if (ids.length >= limit) break;
    const rows = await database.rows(
      `SELECT id FROM ${schema}.task WHERE ${condition} AND tenant = $1 AND owner = $2 AND (ended_at IS NOT NULL
         OR node IS NULL OR node NOT IN (SELECT n.id FROM ${schema}.node n WHERE n.lives_until > ${now})) LIMIT $3`,
      [scope.tenant, scope.owner, sqlLimit(limit - ids.length)],
    );
    for (const [id] of rows) ids.push(String(id));
  }
  return ids;
}

/** Scans the whole table, because provisional tasks are in no index. */
export async function unfinishedTasksOf(database: Database, scope: Scope, limit: number): Promise<UnfinishedTasks> {
  const rows = await database.rows(
    `SELECT id, count(*) OVER () FROM ${database.schema}.task
     WHERE tenant = $1 AND owner = $2 AND ended_at IS NULL LIMIT $3`,
    [scope.tenant, scope.owner, sqlLimit(limit)],
  );
  return { taskIds: rows.map(([id]) => String(id)), total: Number(rows[0]?.[1] ?? 0) };
}

/** Tasks of all owners in the order of their ids. */
export async function allTasks(database: Database, query: AllTasksQuery): Promise<readonly TaskRecord[]> {
  const { schema } = database;
  const { taskId = null, agent = null, hasEnded = null, after = '', limit } = query;
  const rows = await database.rows(
    `SELECT ${currentColumns(schema)} FROM ${schema}.task t
     WHERE t.id COLLATE "C" > $1 AND ($2::text IS NULL OR t.id = $2) AND ($3::text IS NULL OR t.agent = $3)
       AND ($4::boolean IS NULL OR (t.ended_at IS NOT NULL) = $4) ORDER BY t.id COLLATE "C" LIMIT $5`,
    [after, taskId, agent, hasEnded, sqlLimit(limit)],
  );
  return rows.map((row) => toFound(row).record);
}

/** Removes the keys of one owner whose tasks were removed. Sorted by key, so that all pages together read each key once. */
export async function forgetRequestsOf(database: Database, { tenant, owner }: Scope): Promise<void> {
  const { schema } = database;
  for (let after = ''; ;) {
    const gone = await database.rows(
      `WITH page AS (
         SELECT key FROM ${schema}.request_key WHERE key > $3 AND tenant = $1 AND owner = $2 AND NOT has_task
         ORDER BY key LIMIT ${PAGE} FOR UPDATE),
       gone AS (
         DELETE FROM ${schema}.request_key WHERE tenant = $1 AND owner = $2 AND NOT has_task
           AND key IN (SELECT key FROM page))
       SELECT key FROM page ORDER BY key`,
      [tenant, owner, after],
    );
    if (gone.length < PAGE) return;
    after = String(gone.at(-1)?.[0]);
  }
}
