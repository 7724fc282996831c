import { CALL_COLUMNS, type CallRow, toCall, toClaimedCall } from '../call-rows.ts';
import { CallShares } from '../call-shares.ts';
import type { CallClaimRequest, CallQuery, CallRecord, CallReport, ClaimedCall, HeldCall, Scope } from '../store.ts';
import { type Database, SORTED_RANGES } from './database.ts';
import { sqlLimit } from './read/reads.ts';
import { pipeline, type Queryable, rowsOf, type Statement } from './statements.ts';

/**
 * The calls between agents and their leases. The end of a call changes the row of its task, too, and locks that row first, as all other
 * writes to tasks do.
 */

const COLUMNS = CALL_COLUMNS.replace('pk', 'seq');

/** Leases due calls to a node, the longest due first. Skips those that another node is claiming. */
export function claimCalls(database: Database, request: CallClaimRequest): Promise<readonly ClaimedCall[]> {
  const { schema } = database;
  const claim = async (client: Queryable): Promise<readonly ClaimedCall[]> => {
    const chosen = await choose(client, database, request);
    if (chosen.length === 0) return [];
    await rowsOf(
      client,
      `UPDATE ${schema}.call SET node = $1, fence = fence + 1, due_at = NULL WHERE id = ANY($2::text[])`,
      [request.node, chosen.map(([, id]) => id)],
    );
    return chosen.map(toClaimedCall);
  };
  return database.transaction(claim, { settings: SORTED_RANGES });
}

/** Reads in rounds. Each round excludes owners that have their share, however many of their rows come first. */
async function choose(client: Queryable, database: Database, request: CallClaimRequest): Promise<readonly CallRow[]> {
  const shares = new CallShares(request);
  const chosen: CallRow[] = [];
  let free: readonly Statement[] = [freeLost(database, request)];
  let due: readonly CallRow[];
  do {
    const outcomes = await pipeline(client, [...free, dueCalls(database, request, shares)]);
    due = (outcomes.at(-1)?.rows ?? []) as unknown as readonly CallRow[];
    free = [];
  } while (shares.takeFrom(due, toHeld, chosen));
  return chosen;
}

/** Releases the calls of dead nodes, and those that the node itself has lost. Each holder takes one index lookup. */
function freeLost({ schema, now }: Database, { node, held }: CallClaimRequest): Statement {
  const next = (after: string): string =>
    `SELECT c.node FROM ${schema}.call c WHERE c.node IS NOT NULL${after} ORDER BY c.node LIMIT 1`;
  return {
    text: `WITH RECURSIVE holder(node) AS (
         (${next('')}) UNION ALL SELECT n.node FROM holder CROSS JOIN LATERAL (${next(' AND c.node > holder.node')}) AS n)
       UPDATE ${schema}.call SET node = NULL, due_at = coalesce(due_at, ${now}) WHERE id = ANY(ARRAY(
         SELECT c.id FROM ${schema}.call c
         WHERE c.node = ANY(ARRAY(SELECT node FROM holder WHERE node = $1 OR ${isDead(schema, now, 'holder')}))
           AND (c.node <> $1 OR c.id <> ALL($2::text[]) OR ${isDead(schema, now, 'c')})
         FOR UPDATE OF c SKIP LOCKED))`,
    values: [node, held.map(({ id }) => id)],
  };
}

/** The longest due calls, except those of owners that have their share. */
function dueCalls({ schema, now }: Database, { agents }: CallClaimRequest, shares: CallShares): Statement {
  const owners = shares.fullOwners;
  return {
    text: `SELECT d.* FROM unnest($1::text[]) AS a(agent) CROSS JOIN LATERAL (
         SELECT ${COLUMNS} FROM ${schema}.call c
         WHERE c.agent = a.agent AND c.node IS NULL AND c.due_at <= ${now}
           AND NOT EXISTS (SELECT FROM unnest($2::text[], $3::text[]) AS o(tenant, owner)
             WHERE o.tenant = c.tenant AND o.owner = c.owner)
         ORDER BY c.due_at, c.seq LIMIT $4 FOR UPDATE OF c SKIP LOCKED) AS d
       ORDER BY d.due_at, d.seq LIMIT $4`,
    values: [
      [...new Set(agents)],
      owners.map(({ tenant }) => tenant),
      owners.map(({ owner }) => owner),
      sqlLimit(shares.rowsToSee),
    ],
  };
}

/** When the next call is due that no living node holds. */
export async function nextCall(database: Database, agents: readonly string[]): Promise<number | undefined> {
  const { schema, now } = database;
  const [row] = await database.rows(
    `SELECT least(
       (SELECT min(d.due_at) FROM unnest($1::text[]) AS a(agent) CROSS JOIN LATERAL (
          SELECT c.due_at FROM ${schema}.call c WHERE c.agent = a.agent AND c.node IS NULL AND c.due_at IS NOT NULL
          ORDER BY c.due_at LIMIT 1) AS d),
       (SELECT ${now} FROM ${schema}.call c
          WHERE c.node IS NOT NULL AND c.agent = ANY($1::text[]) AND ${isDead(schema, now, 'c')} LIMIT 1))`,
    [agents],
  );
  return row === undefined || row[0] === null ? undefined : Number(row[0]);
}

export function noteCall(database: Database, report: CallReport): Promise<CallRecord | undefined> {
  const { schema } = database;
  const { callId, node, fence, progress, dueAt, remove, failed } = report;
  const lease = [callId, node, fence];
  const ifOurs = 'WHERE id = $1 AND node = $2 AND fence = $3';
  const said = progress === undefined ? null : JSON.stringify(progress);
  if (remove !== true && failed === undefined) {
    const release = dueAt === undefined ? '' : ', node = NULL, due_at = least(due_at, $5)';
    const text = `UPDATE ${schema}.call SET progress = coalesce($4, progress)${release} ${ifOurs} RETURNING ${COLUMNS}`;
    return noted(database.rows(text, dueAt === undefined ? [...lease, said] : [...lease, said, dueAt]));
  }
  return database.transaction(async (client) => {
    const lockTask = `SELECT FROM ${schema}.task WHERE id = (SELECT task_id FROM ${schema}.call WHERE id = $1) FOR UPDATE`;
    await rowsOf(client, lockTask, [callId]);
    const reason = failed === undefined ? null : JSON.stringify(failed);
    const call = await noted(
      rowsOf(
        client,
        `UPDATE ${schema}.call SET progress = coalesce($4, progress), node = NULL, due_at = NULL, failed = $5 ${ifOurs}
         RETURNING ${COLUMNS}`,
        [...lease, said, reason],
      ),
    );
    if (call === undefined) return undefined;
    if (remove === true) await rowsOf(client, `DELETE FROM ${schema}.call WHERE id = $1`, [callId]);
    const fewer = `UPDATE ${schema}.task SET open_calls = nullif(open_calls - 1, 0) WHERE id = $1`;
    await rowsOf(client, fewer, [call.taskId]);
    return call;
  });
}

async function noted(rows: Promise<readonly (readonly unknown[])[]>): Promise<CallRecord | undefined> {
  const [row] = await rows;
  return row && toCall(row as unknown as CallRow);
}

/** Calls in the order of their ids. */
export async function listCalls(database: Database, query: CallQuery): Promise<readonly CallRecord[]> {
  const { id, taskId, agents, hasFailed, after = '', limit } = query;
  const conditions = ['id > $1'];
  const values: unknown[] = [after, sqlLimit(limit)];
  if (id !== undefined) conditions.push(`id = $${values.push(id)}`);
  if (taskId !== undefined) conditions.push(`task_id = $${values.push(taskId)}`);
  if (agents !== undefined) conditions.push(`agent = ANY($${values.push(agents)}::text[])`);
  if (hasFailed !== undefined) conditions.push(`failed IS ${hasFailed ? 'NOT ' : ''}NULL`);
  const rows = await database.rows(
    `SELECT ${COLUMNS} FROM ${database.schema}.call WHERE ${conditions.join(' AND ')} ORDER BY id LIMIT $2`,
    values,
  );
  return (rows as unknown as readonly CallRow[]).map(toCall);
}

export async function countCalls(database: Database, { tenant, owner }: Scope): Promise<number> {
  const sql = `SELECT count(*) FROM ${database.schema}.call WHERE tenant = $1 AND owner = $2 AND failed IS NULL`;
  const [row] = await database.rows(sql, [tenant, owner]);
  return Number(row?.[0] ?? 0);
}

function toHeld([, id, , tenant, owner]: CallRow): HeldCall {
  return { id, tenant, owner };
}

function isDead(schema: string, now: string, holder: string): string {
  return `NOT EXISTS (SELECT FROM ${schema}.node n WHERE n.id = ${holder}.node AND n.lives_until > ${now})`;
}
