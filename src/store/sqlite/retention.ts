import type { RetentionPolicy, Scope, UnfinishedTasks } from '../store.ts';
import { type Connection, sqlLimit } from './connection.ts';
import type { Nodes } from './nodes.ts';
import type { Tally } from './tally.ts';
import { dropEvents } from './task-events.ts';
import { findTask } from './task-row.ts';

const ENDED = `SELECT id, ended_at, pk FROM task INDEXED BY task_ended
  WHERE has_events = ? AND ended_at IS NOT NULL ORDER BY ended_at, pk LIMIT ?`;

/** All but those of which somebody is still to be told. */
const REPLAYABLE = `SELECT id FROM task INDEXED BY task_ended
  WHERE has_events = 1 AND ended_at IS NOT NULL AND ended_at < ? AND (pushed = 0 OR NOT EXISTS
    (SELECT 1 FROM push_config WHERE task_pk = task.pk AND due_at IS NOT NULL))
  ORDER BY ended_at LIMIT ?`;

type EndedRow = readonly [id: string, endedAt: number, pk: number];

/** The ended tasks that have outlived their time, or are more than may be kept; the longest ended first. */
export function outlived(connection: Connection, tally: Tally, policy: RetentionPolicy): readonly string[] {
  const surplus = tally.ended() - policy.keepEnded;
  // Those without events and those that still have them: of each as many as may go.
  const oldest = [0, 1].flatMap((has) => connection.all(ENDED, has, sqlLimit(policy.limit)) as EndedRow[]);
  oldest.sort(([, endedA, pkA], [, endedB, pkB]) => endedA - endedB || pkA - pkB);
  return oldest
    .filter(([, endedAt], i) => i < surplus || endedAt < policy.endedBefore)
    .slice(0, Math.max(0, policy.limit))
    .map(([id]) => id);
}

/** The tasks whose events nobody may replay any more. */
export function unreplayable(connection: Connection, policy: RetentionPolicy): readonly string[] {
  const rows = connection.all(REPLAYABLE, policy.eventsEndedBefore, sqlLimit(policy.limit));
  return rows.map(([id]) => String(id));
}

/** Whoever ends a task writes a snapshot of its artifacts, so that its events are only needed to replay the stream. */
export function forgetEvents(connection: Connection, id: string): void {
  const task = findTask(connection, id);
  if (task === undefined) return;
  dropEvents(connection, task.pk);
  connection.run('UPDATE task SET has_events = 0 WHERE pk = ?', task.pk);
}

/** Visible tasks are found by the index of lists. The others are few, and the table is searched for them once. */
const OF_OWNER = [1, 0].map(
  (visible) => `SELECT id FROM task WHERE visible = ${visible} AND tenant = ? AND owner = ?
    AND (ended_at IS NOT NULL OR node IS NULL OR node IN (SELECT value FROM json_each(?))) LIMIT ?`,
);

/** Tasks of one owner that no living node runs, at most `limit` of them. */
export function idleTasksOf(connection: Connection, nodes: Nodes, scope: Scope, limit: number): readonly string[] {
  const { tenant, owner } = scope;
  const dead = JSON.stringify(nodes.dead());
  const ids: string[] = [];
  for (const query of OF_OWNER)
    if (ids.length < limit)
      for (const [id] of connection.all(query, tenant, owner, dead, sqlLimit(limit - ids.length))) ids.push(String(id));
  return ids;
}

/** Provisional tasks are in no index, so this reads the whole table. */
const UNFINISHED = `SELECT id, count(*) OVER () FROM task WHERE tenant = ? AND owner = ? AND ended_at IS NULL LIMIT ?`;

export function unfinishedTasksOf(connection: Connection, { tenant, owner }: Scope, limit: number): UnfinishedTasks {
  const rows = connection.all(UNFINISHED, tenant, owner, sqlLimit(limit));
  return { taskIds: rows.map(([id]) => String(id)), total: Number(rows[0]?.[1] ?? 0) };
}
