import type { ClaimedPush, PushClaimRequest, PushConfigName, PushNoted, PushReport } from '../store.ts';
import { type DueRow, toClaimed, toHolding } from '../push-rows.ts';
import { PushShares } from '../push-shares.ts';
import { type Connection, sqlLimit } from './database/connection.ts';
import { insertDeadLetter } from './dead-letters.ts';
import type { SqlValue } from './database/driver.ts';
import type { FoundTask } from './task-row.ts';
import type { SqliteContext } from './context.ts';

/** Pending deliveries and their leases. The outbox holds only progress; the events are in their own table. */

/** The statement names its index: a plan that would read the push configs held by living nodes is an error. */
const DUE = `SELECT c.task_pk, c.number, c.due_at, c.receiver, t.id, t.tenant, t.owner, c.id, c.dialect, c.created_at,
    c.config, c.told, c.attempts, c.failing_since, c.given_up, c.fence
  FROM push_config c INDEXED BY push_config_due CROSS JOIN task t ON t.pk = c.task_pk
  WHERE c.node IS ? AND c.due_at IS NOT NULL AND c.due_at <= ? AND c.receiver NOT IN (SELECT value FROM json_each(?))
    AND t.agent IN (SELECT value FROM json_each(?))
    AND (t.tenant, t.owner) NOT IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?))
  ORDER BY c.due_at, c.task_pk, c.number LIMIT ?`;

const NEXT = `SELECT c.due_at FROM push_config c INDEXED BY push_config_due CROSS JOIN task t ON t.pk = c.task_pk
  WHERE c.node IS ? AND c.due_at IS NOT NULL AND t.agent IN (SELECT value FROM json_each(?))
  ORDER BY c.due_at LIMIT 1`;

const KNOWN_NODES =
  'SELECT DISTINCT node FROM push_config INDEXED BY push_config_due WHERE due_at IS NOT NULL AND node IS NOT NULL';

const TAKE = 'UPDATE push_config SET node = ?, fence = ? WHERE task_pk = ? AND number = ?';

const PROGRESS = 'UPDATE push_config SET told = ?, attempts = ?, failing_since = ?, given_up = ?';
const IF_OURS = 'WHERE task_pk = ? AND id = ? AND node = ? AND fence = ? RETURNING due_at';
const NOTE = `${PROGRESS} ${IF_OURS}`;
const NOTE_AND_RELEASE = `${PROGRESS}, node = NULL, due_at = ?, disabled = ? ${IF_OURS}`;

const IS_FREE = 'SELECT node IS NULL FROM push_config WHERE task_pk = ? AND id = ?';

const RESUME = `UPDATE push_config SET attempts = 0, failing_since = NULL, given_up = 0, disabled = NULL, node = NULL,
    fence = fence + 1, due_at = CASE WHEN told < ? THEN ? END
  WHERE task_pk = ? AND id = ?`;

/** The nodes that earlier processes left in the rows of push configs. */
export function knownNotifiers(connection: Connection): readonly string[] {
  return connection.all(KNOWN_NODES).map(([node]) => String(node));
}

/** Leases due push configs to a node, the longest due first. */
export function claimPushes(context: SqliteContext, request: PushClaimRequest): readonly ClaimedPush[] {
  const { connection, nodes } = context;
  const { node } = request;
  nodes.meet(node);
  return choose(context, request).map((row) => {
    const [pk, number] = row;
    const fence = row[15] + 1;
    connection.run(TAKE, node, fence, pk, number);
    return toClaimed(row, fence);
  });
}

/** Reads in rounds. Each round excludes receivers and owners that have their share, however many of their rows come first. */
function choose({ connection, nodes, clock }: SqliteContext, request: PushClaimRequest): readonly DueRow[] {
  const { node, agents } = request;
  const shares = new PushShares(request);
  const chosen: DueRow[] = [];
  let due: DueRow[];
  do {
    const receivers = JSON.stringify(shares.fullReceivers);
    const owners = JSON.stringify(shares.fullOwners.map(({ tenant, owner }) => [tenant, owner]));
    const limit = shares.rowsToSee;
    const full: SqlValue[] = [receivers, JSON.stringify(agents), owners, sqlLimit(limit)];
    const byHolder = [null, node, ...nodes.dead().filter((dead) => dead !== node)].map(
      (holder) => connection.all(DUE, holder, clock.now(), ...full) as unknown as DueRow[],
    );
    due = longestDue(byHolder, limit);
  } while (shares.takeFrom(due, toHolding, chosen));
  return chosen;
}

/** Merges the rows in due order. If a holder may have more rows, the result ends at its last row that was read. */
function longestDue(byHolder: readonly (readonly DueRow[])[], limit: number): DueRow[] {
  const cuts = byHolder.flatMap((rows) => (rows.length < limit ? [] : rows.slice(-1)));
  const [cut] = cuts.sort(inOrder);
  const all = byHolder.flat().sort(inOrder);
  return cut === undefined ? all : all.filter((row) => inOrder(row, cut) <= 0);
}

/** When the next push config is due that no living node holds. */
export function nextPush({ connection, nodes }: SqliteContext, agents: readonly string[]): number | undefined {
  const names = JSON.stringify(agents);
  const rows = [null, ...nodes.dead()].flatMap((holder) => connection.all(NEXT, holder, names));
  return rows.length === 0 ? undefined : Math.min(...rows.map(([dueAt]) => Number(dueAt)));
}

export function notePush({ connection, tasks }: SqliteContext, report: PushReport): PushNoted | undefined {
  const task = tasks.find(report.taskId);
  if (task === undefined) return undefined;
  const { configId, node, fence, told, attempts, failingSince = null, givenUp, dueAt, disabled, deadLetter } = report;
  const progress: SqlValue[] = [told, attempts, failingSince, givenUp];
  const lease: SqlValue[] = [task.pk, configId, node, fence];
  const isReleased = dueAt !== undefined || disabled !== undefined;
  const remains = disabled === undefined && dueAt !== undefined && told < task.record.lastEvent;
  const reason = disabled === undefined ? null : JSON.stringify(disabled);
  const row = isReleased
    ? connection.get(NOTE_AND_RELEASE, ...progress, remains ? dueAt : null, reason, ...lease)
    : connection.get(NOTE, ...progress, ...lease);
  if (row === undefined) return undefined;
  if (deadLetter !== undefined) insertDeadLetter(connection, task.pk, configId, deadLetter);
  const [due] = row;
  return typeof due === 'number' ? { dueAt: due } : {};
}

/** Restarts the delivery of pending events, unless a node holds the push config. Returns whether it exists. */
export function resumePush(context: SqliteContext, { taskId, configId }: PushConfigName): boolean {
  const task = context.tasks.find(taskId);
  const row = task && context.connection.get(IS_FREE, task.pk, configId);
  if (task === undefined || row === undefined) return false;
  if (row[0] === 1) beginAnew(context, task, configId);
  return true;
}

/** Restarts the delivery of pending events and revokes the lease, if there is one. */
export function beginAnew({ connection, clock }: SqliteContext, { pk, record }: FoundTask, configId: string): void {
  connection.run(RESUME, record.lastEvent, clock.now(), pk, configId);
}

function inOrder([pkA, numberA, dueA]: DueRow, [pkB, numberB, dueB]: DueRow): number {
  return dueA - dueB || pkA - pkB || numberA - numberB;
}
