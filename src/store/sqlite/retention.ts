import type { AllTasksQuery, RetentionPolicy, Scope, TaskRecord, UnfinishedTasks } from '../store.ts';
import type { SqliteContext } from './context.ts';
import { type Connection, sqlLimit } from './database/connection.ts';
import type { TaskCounts } from './task-counts.ts';
import { dropEvents } from './task-events.ts';
import { findTask, RECORD_COLUMNS, toFound } from './task-row.ts';

/** Except tasks that a call needs, which could otherwise fill every batch. */
const IS_REMOVABLE = `open_calls IS NULL
  AND (call_id IS NULL OR NOT EXISTS (SELECT 1 FROM call WHERE id = task.call_id AND failed IS NULL))`;

const ENDED = `SELECT id, ended_at, pk FROM task INDEXED BY task_ended
  WHERE has_events = ? AND ended_at IS NOT NULL AND ${IS_REMOVABLE} ORDER BY ended_at, pk LIMIT ?`;

/** Except those of tasks with pending deliveries. */
const REPLAYABLE = `SELECT id FROM task INDEXED BY task_ended
  WHERE has_events = 1 AND ended_at IS NOT NULL AND ended_at < ? AND (pushed = 0 OR NOT EXISTS
    (SELECT 1 FROM push_config WHERE task_pk = task.pk AND due_at IS NOT NULL)) AND ${IS_REMOVABLE}
  ORDER BY ended_at LIMIT ?`;

type EndedRow = readonly [id: string, endedAt: number, pk: number];

/** The ended tasks that have expired or exceed the number to keep, the longest ended first. */
export function outlived(connection: Connection, counts: TaskCounts, policy: RetentionPolicy): readonly string[] {
  const surplus = counts.ended() - policy.keepEnded;
  // Tasks without events and tasks with events: up to the limit of each.
  const oldest = [0, 1].flatMap((has) => connection.all(ENDED, has, sqlLimit(policy.limit)) as EndedRow[]);
  oldest.sort(([, endedA, pkA], [, endedB, pkB]) => endedA - endedB || pkA - pkB);
  return oldest
    .filter(([, endedAt], i) => i < surplus || endedAt < policy.endedBefore)
    .slice(0, Math.max(0, policy.limit))
    .map(([id]) => id);
}

/** The tasks whose events have expired. */
export function unreplayable(connection: Connection, policy: RetentionPolicy): readonly string[] {
  const rows = connection.all(REPLAYABLE, policy.eventsEndedBefore, sqlLimit(policy.limit));
  return rows.map(([id]) => String(id));
}

/** Removes the events of an ended task. Its end stored a snapshot of the artifacts, so events only serve to replay the stream. */
export function forgetEvents(connection: Connection, id: string): void {
  const task = findTask(connection, id);
  if (task === undefined) return;
  dropEvents(connection, task.pk);
  connection.run('UPDATE task SET has_events = 0 WHERE pk = ?', task.pk);
}

/** Visible tasks are in the index of lists. Provisional tasks are few and need one table scan. */
const OF_OWNER = [1, 0].map(
  (visible) => `SELECT id FROM task WHERE visible = ${visible} AND tenant = ? AND owner = ?
    AND (ended_at IS NOT NULL OR node IS NULL OR node IN (SELECT value FROM json_each(?))) LIMIT ?`,
);

/** At most `limit` tasks of one owner that no living node runs. */
export function idleTasksOf({ connection, nodes }: SqliteContext, scope: Scope, limit: number): readonly string[] {
  const { tenant, owner } = scope;
  const dead = JSON.stringify(nodes.dead());
  const ids: string[] = [];
  for (const query of OF_OWNER)
    if (ids.length < limit)
      for (const [id] of connection.all(query, tenant, owner, dead, sqlLimit(limit - ids.length))) ids.push(String(id));
  return ids;
}

/** Scans the whole table, because provisional tasks are in no index. */
const UNFINISHED = `SELECT id, count(*) OVER () FROM task WHERE tenant = ? AND owner = ? AND ended_at IS NULL LIMIT ?`;

export function unfinishedTasksOf(
  { connection }: SqliteContext,
  { tenant, owner }: Scope,
  limit: number,
): UnfinishedTasks {
  const rows = connection.all(UNFINISHED, tenant, owner, sqlLimit(limit));
  return { taskIds: rows.map(([id]) => String(id)), total: Number(rows[0]?.[1] ?? 0) };
}

const ALL = `SELECT ${RECORD_COLUMNS} FROM task WHERE id > ?1 AND (?2 IS NULL OR id = ?2) AND (?3 IS NULL OR agent = ?3)
  AND (?4 IS NULL OR (ended_at IS NOT NULL) = ?4) ORDER BY id LIMIT ?5`;

/** Tasks of all owners in the order of their ids. */
export function allTasks({ connection }: SqliteContext, query: AllTasksQuery): readonly TaskRecord[] {
  const { taskId = null, agent = null, hasEnded, after = '', limit } = query;
  const ended = hasEnded === undefined ? null : Number(hasEnded);
  return connection.all(ALL, after, taskId, agent, ended, sqlLimit(limit)).map((row) => toFound(row).record);
}
