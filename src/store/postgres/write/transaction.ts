import type { PoolClient } from 'pg';
import type { Message } from '../../../model/message.ts';
import { BEGIN, type Database, SETTINGS } from '../database.ts';
import type { KnownRequest } from '../../writes.ts';
import { PostgresUnitOfWork, requestName } from './unit-of-work.ts';
import type { CommitCondition } from '../hints/hints.ts';
import { openCalls, toKnownCalls } from './call-rows.ts';
import { knownPushConfigs, toKnownPushConfigs } from './push-config-rows.ts';
import { canSendAhead, pipeline, noteBackendPid, type Row, run, type Statement } from '../statements.ts';
import { isUnknownNumber } from '../failure.ts';
import { lastNumbers, TASK_COLUMNS, toLocked, withNumbers } from '../task-row.ts';
import { SHORT_NUMBER } from './commit-probe.ts';

/** The data that a transaction reads and locks before its writes run. */
export interface Needs {
  readonly taskIds: ReadonlySet<string>;
  /** The tasks that the transaction does not create. */
  readonly knownIds: ReadonlySet<string>;
  readonly keys: ReadonlySet<string>;
  readonly aliases: ReadonlySet<string>;
  /** The tasks to which a push config is added. */
  readonly pushedIds: ReadonlySet<string>;
  readonly callIds: ReadonlySet<string>;
  /** Whether a write needs to know which nodes are alive. */
  readonly nodes: boolean;
  /** Whether all writes are made by runs under their leases. */
  readonly isLeaseHolder: boolean;
}

/** A transaction that has begun. */
export interface Transaction {
  /** The transaction id, with which its outcome can be queried. */
  readonly id: string;
  /** The process id of the backend, also behind a pooler. */
  readonly process: number;
  readonly unit: PostgresUnitOfWork;
}

/** How long to query the outcome of a transaction whose connection was lost: about the time of a database restart. */
export const COMMIT_CHECK_MS = 10_000;
const PAUSE_MS = 100;
/** The timeout of such a query. Other connections may be lost, too, so the next one is tried soon. */
const ASK_MS = 2000;

/**
 * Begins a transaction and locks the data of its writes: first the keys and aliases, which may not have rows yet, then the rows of
 * the tasks. All transactions lock in the same order, which prevents deadlocks.
 */
export async function begin(
  client: PoolClient,
  database: Database,
  needs: Needs,
  { lockMs, queryTimeoutMs }: { readonly lockMs: number; readonly queryTimeoutMs?: number | undefined },
): Promise<Transaction> {
  const { schema, now } = database;
  const { taskIds, knownIds, keys, aliases, pushedIds, callIds, nodes } = needs;
  const names = [...keys].map((key) => `key ${key}`).concat([...aliases].map((alias) => `alias ${alias}`));
  const statements: Statement[] = [BEGIN, { name: 'begin', text: SET_UP, values: [lockMs] }];
  // Returns the index of the result of a statement, or -1 if the statement is not needed.
  const place = (isNeeded: boolean, statement: Statement): number => (isNeeded ? statements.push(statement) - 1 : -1);
  place(names.length > 0, { name: 'lock names', text: LOCK_NAMES, values: [schema, names] });
  const tasksAt = place(taskIds.size > 0, { name: 'lock tasks', text: lockTasks(schema), values: [[...taskIds]] });
  const numbersAt = place(knownIds.size > 0, lastNumbers(schema, [...knownIds]));
  const keysAt = place(keys.size > 0, { name: 'known requests', text: knownRequests(schema), values: [[...keys]] });
  const aliasesAt = place(aliases.size > 0, {
    name: 'alias owners',
    text: aliasOwners(schema),
    values: [[...aliases]],
  });
  const pushedAt = place(pushedIds.size > 0, knownPushConfigs(schema, [...pushedIds]));
  const callsAt = place(callIds.size > 0, openCalls(schema, [...callIds]));
  const nodesAt = place(nodes, { text: `SELECT id FROM ${schema}.node WHERE lives_until > ${now}` });
  const outcomes = await pipeline(client, statements, queryTimeoutMs);
  const rowsAt = (at: number): readonly Row[] => outcomes[at]?.rows ?? [];
  const locked = {
    tasks: new Map(withNumbers(rowsAt(tasksAt).map(toLocked), rowsAt(numbersAt)).map((task) => [task.record.id, task])),
    requests: new Map(rowsAt(keysAt).map(toRequest)),
    aliases: new Map(rowsAt(aliasesAt).map(toAlias)),
    pushConfigs: toKnownPushConfigs(rowsAt(pushedAt)),
    calls: toKnownCalls(rowsAt(callsAt)),
    livingNodes: new Set(rowsAt(nodesAt).map(([node]) => String(node))),
  };
  const unit = new PostgresUnitOfWork(locked, database.aboutNow);
  const own = rowsAt(1)[0];
  const process = Number(own?.[1]);
  if (database.isOwnPool) noteBackendPid(client, process);
  return { id: String(own?.[0]), process, unit };
}

/**
 * Whether a transaction was committed whose connection was lost before the response. If the transaction is still in progress,
 * because the database has not noticed the loss, its backend is terminated, so that the outcome becomes definite. It counts as
 * committed only if a row that it stored is found.
 */
export async function hasCommitted(database: Database, { id, process, unit }: Transaction): Promise<boolean> {
  const { pool } = database;
  const probe = unit.commitProbe(database, id);
  if (probe === undefined) return true;
  const ask = async ({ text, values }: Statement): Promise<Row | undefined> =>
    (await run(pool, { text, values: values ?? [], queryTimeoutMs: ASK_MS })).rows[0];
  const end = Date.now() + COMMIT_CHECK_MS;
  do {
    try {
      const status = (await ask({ text: STATUS, values: [id] }))?.[0];
      if (status === 'committed') return (await ask(probe)) !== undefined;
      if (status !== 'in progress') return false;
      await ask({ text: END_PROCESS, values: [id, process] });
    } catch (error) {
      if (isUnknownNumber(error)) return false;
      // The database is not available yet.
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  } while (Date.now() < end);
  return false;
}

/** A standby may still receive the commit, so its status is not final. */
const STATUS = `SELECT CASE WHEN pg_is_in_recovery() THEN 'in progress' ELSE pg_xact_status($1::text::xid8) END`;

/**
 * Only if the backend still works on this transaction. A backend that waits for a synchronous standby has already committed
 * locally: terminating it would make data visible that can still be lost.
 */
const END_PROCESS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid = $2 AND backend_xid::text = ${SHORT_NUMBER} AND wait_event IS DISTINCT FROM 'SyncRep'`;

/**
 * Runs the statements and commits. After this the data is durable and visible to all nodes.
 *
 * @param after Statements to run after the commit. With pipelining they are sent together with it.
 * @param queryTimeoutMs The timeout of each response up to the commit. The default of the connection if not set.
 * @returns A promise that resolves when the statements in `after` are done.
 */
export async function commit(
  client: PoolClient,
  statements: readonly Statement[],
  after: readonly Statement[],
  queryTimeoutMs?: number,
): Promise<{ readonly isTold: Promise<unknown> }> {
  const stored = pipeline(client, [...statements, COMMIT], queryTimeoutMs);
  const isTold = canSendAhead(client) ? pipeline(client, after) : stored.then(() => pipeline(client, after));
  // Prevents an unhandled rejection before the caller gets the promise.
  isTold.catch(() => {});
  const done = await stored;
  // COMMIT of a failed transaction is not an error; its response is ROLLBACK.
  if (done.at(-1)?.command !== 'COMMIT') throw new Error('PostgreSQL rolled back the transaction');
  return { isTold };
}

/** The condition that a transaction is committed. */
export function committed({ id }: Transaction): CommitCondition {
  return { name: 'committed', sql: "pg_xact_status($3::text::xid8) = 'committed'", value: id };
}

const SET_UP = `SELECT pg_current_xact_id()::text, pg_backend_pid(), ${SETTINGS}`;
const COMMIT: Statement = { text: 'COMMIT' };

/** Ordered, so that two transactions with the same names do not deadlock. */
const LOCK_NAMES = `SELECT pg_advisory_xact_lock(h)
  FROM (SELECT DISTINCT hashtextextended($1 || ' ' || name, 0) AS h FROM unnest($2::text[]) AS name ORDER BY h) AS names`;

function lockTasks(schema: string): string {
  return `SELECT ${TASK_COLUMNS}, t.xmin::text FROM ${schema}.task t WHERE t.id = ANY($1::text[])
    ORDER BY t.id FOR UPDATE`;
}

function knownRequests(schema: string): string {
  return `SELECT key, tenant, owner, digest, task_id, reply FROM ${schema}.request_key WHERE key = ANY($1::text[])`;
}

function aliasOwners(schema: string): string {
  return `SELECT alias, tenant, owner, id FROM ${schema}.task WHERE alias = ANY($1::text[])`;
}

function toRequest(row: readonly unknown[]): [string, KnownRequest] {
  const [key, tenant, owner, digest, taskId, reply] = row as readonly string[] & { readonly 5: string | null };
  const known = { digest: digest ?? '', taskId: taskId ?? '' };
  const name = requestName({ tenant: tenant ?? '', owner: owner ?? '' }, key ?? '');
  return [name, reply === null ? known : { ...known, reply: JSON.parse(reply) as Message }];
}

function toAlias(row: readonly unknown[]): [string, string] {
  const [alias, tenant, owner, id] = row as readonly [string, string, string, string];
  return [requestName({ tenant, owner }, alias), id];
}
