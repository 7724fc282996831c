import type { ClaimedPush, PushClaimRequest, PushConfigName, PushNoted, PushReport } from '../store.ts';
import { type DueRow, toClaimed, toHolding } from '../push-rows.ts';
import { PushShares } from '../push-shares.ts';
import type { Database } from './database.ts';
import { type Queryable, rowsOf, run } from './statements.ts';
import { type LastNotified, renewal } from './write/push-config-rows.ts';
import { lastNumbers } from './task-row.ts';
import { insertDeadLetter } from './dead-letters.ts';
import { sqlLimit } from './read/reads.ts';

/**
 * Pending deliveries and their leases. Comparing the progress of a delivery with the events of its task requires the lock on the
 * row of the task, as adding events does. Otherwise an event could be added in between and never be delivered.
 */

const DUE_COLUMNS = `c.due_at, t.seq, c.number, c.receiver, c.task_id, t.tenant, t.owner, c.id, c.dialect, c.created_at,
  c.config, c.told, c.attempts, c.failing_since, c.given_up, c.fence`;

/** Leases due push configs to a node, the longest due first. Skips those that another node is claiming. */
export function claimPushes(database: Database, request: PushClaimRequest): Promise<readonly ClaimedPush[]> {
  const { schema } = database;
  return database.transaction(async (client) => {
    const chosen = await choose(client, database, request);
    if (chosen.length === 0) return [];
    await rowsOf(
      client,
      `UPDATE ${schema}.push_config c SET node = $1, fence = c.fence + 1
       FROM unnest($2::text[], $3::text[]) AS v(task_id, id) WHERE c.task_id = v.task_id AND c.id = v.id`,
      [request.node, chosen.map((row) => row[4]), chosen.map((row) => row[7])],
    );
    return chosen.map((row) => toClaimed(row, row[15] + 1));
  });
}

/** Reads in rounds. Each round excludes receivers and owners that have their share, however many of their rows come first. */
async function choose(
  client: Queryable,
  { schema, now }: Database,
  request: PushClaimRequest,
): Promise<readonly DueRow[]> {
  const { node, agents } = request;
  const shares = new PushShares(request);
  const chosen: DueRow[] = [];
  let due: readonly DueRow[];
  do {
    const owners = shares.fullOwners;
    const rows = await rowsOf(
      client,
      `SELECT ${DUE_COLUMNS} FROM ${schema}.push_config c JOIN ${schema}.task t ON t.id = c.task_id
       WHERE c.due_at <= ${now} AND (c.node = $1 OR ${isFree(schema, now)}) AND c.receiver <> ALL($2::text[])
         AND t.agent = ANY($3::text[])
         AND NOT EXISTS (SELECT FROM unnest($4::text[], $5::text[]) AS o(tenant, owner)
           WHERE o.tenant = t.tenant AND o.owner = t.owner)
       ORDER BY c.due_at, t.seq, c.number LIMIT $6 FOR UPDATE OF c SKIP LOCKED`,
      [
        node,
        shares.fullReceivers,
        agents,
        owners.map(({ tenant }) => tenant),
        owners.map(({ owner }) => owner),
        sqlLimit(shares.rowsToSee),
      ],
    );
    due = rows as unknown as readonly DueRow[];
  } while (shares.takeFrom(due, toHolding, chosen));
  return chosen;
}

/** When the next push config is due that no living node holds. */
export async function nextPush(database: Database, agents: readonly string[]): Promise<number | undefined> {
  const { schema, now } = database;
  const [row] = await database.rows(
    `SELECT c.due_at FROM ${schema}.push_config c JOIN ${schema}.task t ON t.id = c.task_id
     WHERE c.due_at IS NOT NULL AND ${isFree(schema, now)} AND t.agent = ANY($1::text[]) ORDER BY c.due_at LIMIT 1`,
    [agents],
  );
  return row && Number(row[0]);
}

export function notePush(database: Database, report: PushReport): Promise<PushNoted | undefined> {
  const { schema } = database;
  const { taskId, configId, node, fence, told, attempts, failingSince = null, givenUp, deadLetter } = report;
  const { dueAt, disabled } = report;
  return database.transaction(async (client) => {
    const lastEvent = await lockedLastEvent(client, schema, taskId);
    if (lastEvent === undefined) return undefined;
    const isReleased = dueAt !== undefined || disabled !== undefined;
    const remains = disabled === undefined && dueAt !== undefined && told < lastEvent;
    const release = isReleased ? ', node = NULL, due_at = $9, disabled = $10' : '';
    const values: unknown[] = [taskId, configId, node, fence, told, attempts, failingSince, givenUp];
    if (isReleased) values.push(remains ? dueAt : null, disabled === undefined ? null : JSON.stringify(disabled));
    const [row] = await rowsOf(
      client,
      `UPDATE ${schema}.push_config SET told = $5, attempts = $6, failing_since = $7, given_up = $8${release}
       WHERE task_id = $1 AND id = $2 AND node = $3 AND fence = $4 RETURNING due_at`,
      values,
    );
    if (row === undefined) return undefined;
    if (deadLetter !== undefined) await insertDeadLetter(client, schema, report, deadLetter);
    return row[0] === null ? {} : { dueAt: Number(row[0]) };
  });
}

/** Restarts the delivery of pending events, unless a node holds the push config. Returns whether it exists. */
export function resumePush(database: Database, { taskId, configId }: PushConfigName): Promise<boolean> {
  const { schema } = database;
  return database.transaction(async (client) => {
    const lastEvent = await lockedLastEvent(client, schema, taskId);
    if (lastEvent === undefined) return false;
    const find = `SELECT node IS NULL FROM ${schema}.push_config WHERE task_id = $1 AND id = $2 FOR UPDATE`;
    const [row] = await rowsOf(client, find, [taskId, configId]);
    if (row?.[0] === true) await beginAnew(client, database, { taskId, configId, lastEvent });
    return row !== undefined;
  });
}

/** Restarts the delivery of pending events and revokes the lease, if there is one. Requires the lock on the row of the task. */
export async function beginAnew(client: Queryable, { schema, now }: Database, told: LastNotified): Promise<void> {
  await run(client, renewal(schema, now, told));
}

async function lockedLastEvent(client: Queryable, schema: string, taskId: string): Promise<number | undefined> {
  const [row] = await rowsOf(client, `SELECT last_event FROM ${schema}.task WHERE id = $1 FOR UPDATE`, [taskId]);
  return row && lastEventOf(client, schema, taskId, Number(row[0]));
}

/** The number of the last event. Requires the lock on the row of the task. @param inRow The number in that row. */
export async function lastEventOf(client: Queryable, schema: string, taskId: string, inRow: number): Promise<number> {
  const [numbers] = (await run(client, lastNumbers(schema, [taskId]))).rows;
  return Math.max(inRow, Number(numbers?.[1] ?? 0));
}

function isFree(schema: string, now: string): string {
  return `(c.node IS NULL OR NOT EXISTS (SELECT FROM ${schema}.node n WHERE n.id = c.node AND n.lives_until > ${now}))`;
}
