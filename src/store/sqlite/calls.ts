import { CALL_COLUMNS, type CallRow, toCall, toClaimedCall } from '../call-rows.ts';
import { CallShares } from '../call-shares.ts';
import { withoutOpenCall } from '../guard.ts';
import type { CallClaimRequest, CallQuery, CallRecord, CallReport, ClaimedCall, HeldCall, Scope } from '../store.ts';
import type { SqliteContext } from './context.ts';
import { type Connection, getNumber, sqlLimit } from './database/connection.ts';
import type { SqlValue } from './database/driver.ts';

/** The calls between agents and their leases. The statements name their indexes: a plan that would read other calls is an error. */

const IS_DUE = 'node IS NULL AND due_at IS NOT NULL';

const DUE = `SELECT ${CALL_COLUMNS} FROM call INDEXED BY call_due WHERE agent = ? AND ${IS_DUE} AND due_at <= ?
    AND (tenant, owner) NOT IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?))
  ORDER BY due_at, pk LIMIT ?`;

const IS_HELD_BY = `SELECT 1 FROM call INDEXED BY call_held
  WHERE node = ? AND agent IN (SELECT value FROM json_each(?)) LIMIT 1`;

const NEXT = `SELECT due_at FROM call INDEXED BY call_due WHERE agent = ? AND ${IS_DUE} ORDER BY due_at LIMIT 1`;

const KNOWN_NODES = 'SELECT DISTINCT node FROM call INDEXED BY call_held WHERE node IS NOT NULL';

const FREE = `UPDATE call INDEXED BY call_held SET node = NULL, due_at = ifnull(due_at, ?)
  WHERE node = ? AND id NOT IN (SELECT value FROM json_each(?))`;
const TAKE = 'UPDATE call SET node = ?, fence = fence + 1, due_at = NULL WHERE pk = ?';

const FIND_HELD = `SELECT ${CALL_COLUMNS} FROM call WHERE id = ? AND node = ? AND fence = ?`;
const NOTE = `UPDATE call SET progress = ?, node = ?, due_at = ?, failed = ? WHERE pk = ? RETURNING ${CALL_COLUMNS}`;
const REMOVE = 'DELETE FROM call WHERE pk = ?';

const COUNT = 'SELECT count(*) FROM call INDEXED BY call_owner WHERE tenant = ? AND owner = ? AND failed IS NULL';

/** The nodes that earlier processes left in the rows of calls. */
export function knownCallers(connection: Connection): readonly string[] {
  return connection.all(KNOWN_NODES).map(([node]) => String(node));
}

/** Leases due calls to a node, the longest due first. */
export function claimCalls(context: SqliteContext, request: CallClaimRequest): readonly ClaimedCall[] {
  const { connection, nodes, clock } = context;
  const { node, held } = request;
  nodes.meet(node);
  const now = clock.now();
  for (const dead of nodes.dead()) if (dead !== node) connection.run(FREE, now, dead, '[]');
  connection.run(FREE, now, node, nodes.isAlive(node) ? JSON.stringify(held.map(({ id }) => id)) : '[]');
  return choose(connection, request, now).map((row) => {
    connection.run(TAKE, node, row[0]);
    return toClaimedCall(row);
  });
}

/** Reads in rounds. Each round excludes owners that have their share, however many of their rows come first. */
function choose(connection: Connection, request: CallClaimRequest, now: number): readonly CallRow[] {
  const shares = new CallShares(request);
  const agents = [...new Set(request.agents)];
  const chosen: CallRow[] = [];
  let due: CallRow[];
  do {
    const owners = JSON.stringify(shares.fullOwners.map(({ tenant, owner }) => [tenant, owner]));
    const limit = shares.rowsToSee;
    due = agents
      .flatMap((agent) => connection.all(DUE, agent, now, owners, sqlLimit(limit)) as unknown as CallRow[])
      .sort(inOrder)
      .slice(0, Math.max(0, limit));
  } while (shares.takeFrom(due, toHeld, chosen));
  return chosen;
}

/** When the next call is due that no living node holds. */
export function nextCall({ connection, nodes, clock }: SqliteContext, agents: readonly string[]): number | undefined {
  const names = JSON.stringify(agents);
  const times = agents.flatMap((agent) => connection.all(NEXT, agent).map(([dueAt]) => Number(dueAt)));
  const isLost = nodes.dead().some((dead) => connection.get(IS_HELD_BY, dead, names) !== undefined);
  if (isLost) times.push(clock.now());
  return times.length === 0 ? undefined : Math.min(...times);
}

export function noteCall({ connection, tasks }: SqliteContext, report: CallReport): CallRecord | undefined {
  const { callId, node, fence, remove, failed } = report;
  const row = connection.get(FIND_HELD, callId, node, fence) as CallRow | undefined;
  if (row === undefined) return undefined;
  const [pk, , taskId] = row;
  if (remove === true || failed !== undefined) {
    const task = tasks.find(taskId);
    if (task !== undefined) tasks.update(task, withoutOpenCall(task.record));
  }
  const noted = connection.get(NOTE, ...valuesAfter(row, report), pk) as unknown as CallRow;
  if (remove === true) connection.run(REMOVE, pk);
  return toCall(noted);
}

/** The progress, node, due time and failure of a call after a report. */
function valuesAfter(row: CallRow, { node, progress, dueAt, remove, failed }: CallReport) {
  const said = progress === undefined ? row[11] : JSON.stringify(progress);
  if (remove === true || failed !== undefined) {
    return [said, null, null, failed === undefined ? null : JSON.stringify(failed)] as const;
  }
  if (dueAt === undefined) return [said, node, row[7], null] as const;
  const time = Math.min(row[7] ?? Infinity, dueAt ?? Infinity);
  return [said, null, time === Infinity ? null : time, null] as const;
}

/** Calls in the order of their ids. */
export function listCalls({ connection }: SqliteContext, query: CallQuery): readonly CallRecord[] {
  const { id, taskId, agents, hasFailed, after = '', limit } = query;
  // Conditions that are not needed would keep SQLite from using an index.
  const conditions = ['id > ?'];
  const values: SqlValue[] = [after];
  const where = (condition: string, ...bound: SqlValue[]): void => {
    conditions.push(condition);
    values.push(...bound);
  };
  if (id !== undefined) where('id = ?', id);
  if (taskId !== undefined) where('task_id = ?', taskId);
  if (agents !== undefined) where('agent IN (SELECT value FROM json_each(?))', JSON.stringify(agents));
  if (hasFailed !== undefined) where(`failed IS ${hasFailed ? 'NOT ' : ''}NULL`);
  const sql = `SELECT ${CALL_COLUMNS} FROM call WHERE ${conditions.join(' AND ')} ORDER BY id LIMIT ?`;
  return (connection.all(sql, ...values, sqlLimit(limit)) as unknown as CallRow[]).map(toCall);
}

export function countCalls({ connection }: SqliteContext, { tenant, owner }: Scope): number {
  return getNumber(connection, COUNT, tenant, owner);
}

function toHeld([, id, , tenant, owner]: CallRow): HeldCall {
  return { id, tenant, owner };
}

function inOrder(a: CallRow, b: CallRow): number {
  return (a[7] ?? 0) - (b[7] ?? 0) || a[0] - b[0];
}
