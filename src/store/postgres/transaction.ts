import type { PoolClient } from 'pg';
import type { Message } from '../../model/message.ts';
import { BEGIN, type Database, SETTINGS } from './database.ts';
import { Desk, type KnownRequest, requestName } from './desk.ts';
import type { Proof } from './hints.ts';
import { knownPushConfigs, toKnownPushConfigs } from './push-config-rows.ts';
import { canSendAhead, inOrder, notePeer, type Row, run, type Statement } from './statements.ts';
import { isUnknownNumber } from './failure.ts';
import { lastNumbers, TASK_COLUMNS, toLocked, withNumbers } from './task-row.ts';
import { SHORT_NUMBER } from './witness.ts';

/** What a transaction reads and locks before its writes run. */
export interface Needs {
  readonly taskIds: ReadonlySet<string>;
  /** Those of them that are not made by it. */
  readonly knownIds: ReadonlySet<string>;
  readonly keys: ReadonlySet<string>;
  readonly aliases: ReadonlySet<string>;
  /** Those of the tasks for which a push configuration is put. */
  readonly pushedIds: ReadonlySet<string>;
  /** Whether a write asks which nodes live. */
  readonly nodes: boolean;
  /** Whether all writes are of runs, under their leases. */
  readonly isHolders: boolean;
}

/** One that has begun. */
export interface Transaction {
  /** By which PostgreSQL knows what became of it. */
  readonly id: string;
  /** The process of the database that works on it, whatever pooler lies in between. */
  readonly process: number;
  readonly desk: Desk;
}

/** How long to ask for a transaction whose connection was lost: about as long as a database takes to restart. */
export const DOUBT_MS = 10_000;
const PAUSE_MS = 100;
/** Connections of the same time may be lost too, without a word: the next one is tried soon. */
const ASK_MS = 2000;

/**
 * Opens a transaction and locks what its writes need: first the keys and aliases, which may have no row yet, then the
 * rows of the tasks. All transactions take locks in the same order, so that none waits for another in a circle.
 */
export async function begin(
  client: PoolClient,
  database: Database,
  needs: Needs,
  { lockMs, answerMs }: { readonly lockMs: number; readonly answerMs?: number | undefined },
): Promise<Transaction> {
  const { schema, now } = database;
  const { taskIds, knownIds, keys, aliases, pushedIds, nodes } = needs;
  const names = [...keys].map((key) => `key ${key}`).concat([...aliases].map((alias) => `alias ${alias}`));
  const statements: Statement[] = [BEGIN, { name: 'begin', text: SET_UP, values: [lockMs] }];
  // Where in the answers something is; the first two are never asked for by this.
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
  const nodesAt = place(nodes, { text: `SELECT id FROM ${schema}.node WHERE lives_until > ${now}` });
  const outcomes = await inOrder(client, statements, answerMs);
  const rowsAt = (at: number): readonly Row[] => outcomes[at]?.rows ?? [];
  const locked = {
    tasks: new Map(withNumbers(rowsAt(tasksAt).map(toLocked), rowsAt(numbersAt)).map((task) => [task.record.id, task])),
    requests: new Map(rowsAt(keysAt).map(toRequest)),
    aliases: new Map(rowsAt(aliasesAt).map(toAlias)),
    pushConfigs: toKnownPushConfigs(rowsAt(pushedAt)),
    livingNodes: new Set(rowsAt(nodesAt).map(([node]) => String(node))),
  };
  const desk = new Desk(locked, database.aboutNow);
  const own = rowsAt(1)[0];
  const process = Number(own?.[1]);
  if (database.isOwnPool) notePeer(client, process);
  return { id: String(own?.[0]), process, desk };
}

/**
 * What became of a transaction whose connection was lost before it could say so. One that still goes on, because the
 * database has not heard of the loss, is ended: then it is one thing or the other. It counts as committed only if what it
 * has stored is there.
 */
export async function hasCommitted(database: Database, { id, process, desk }: Transaction): Promise<boolean> {
  const { pool } = database;
  const witness = desk.witness(database, id);
  if (witness === undefined) return true;
  const ask = async ({ text, values }: Statement): Promise<Row | undefined> =>
    (await run(pool, { text, values: values ?? [], answerMs: ASK_MS })).rows[0];
  const end = Date.now() + DOUBT_MS;
  do {
    try {
      const status = (await ask({ text: STATUS, values: [id] }))?.[0];
      if (status === 'committed') return (await ask(witness)) !== undefined;
      if (status !== 'in progress') return false;
      await ask({ text: END_PROCESS, values: [id, process] });
    } catch (error) {
      if (isUnknownNumber(error)) return false;
      // Not back yet.
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  } while (Date.now() < end);
  return false;
}

/** A standby may still get what it has not heard of yet. */
const STATUS = `SELECT CASE WHEN pg_is_in_recovery() THEN 'in progress' ELSE pg_xact_status($1::text::xid8) END`;

/**
 * The process may work for somebody else by now. One that waits for a synchronous standby has committed already: to end it
 * would show everybody what can still be lost.
 */
const END_PROCESS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid = $2 AND backend_xid::text = ${SHORT_NUMBER} AND wait_event IS DISTINCT FROM 'SyncRep'`;

/**
 * Stores what the writes have left on the desk. After this it is durable, and visible to all.
 *
 * @param after Statements that follow the commit at once, where they can be sent ahead.
 * @param answerMs How long to wait for each answer before it, if not as long as for any other.
 * @returns what resolves when they are done.
 */
export async function commit(
  client: PoolClient,
  statements: readonly Statement[],
  after: readonly Statement[],
  answerMs?: number,
): Promise<{ readonly isTold: Promise<unknown> }> {
  const stored = inOrder(client, [...statements, COMMIT], answerMs);
  const isTold = canSendAhead(client) ? inOrder(client, after) : stored.then(() => inOrder(client, after));
  // Nobody may be there yet to hear that it failed.
  isTold.catch(() => {});
  const done = await stored;
  // The answer to a COMMIT of what has failed is no error.
  if (done.at(-1)?.command !== 'COMMIT') throw new Error('PostgreSQL rolled the transaction back');
  return { isTold };
}

/** That a transaction is committed which has begun by now. */
export function committed({ id }: Transaction): Proof {
  return { name: 'committed', sql: "pg_xact_status($3::text::xid8) = 'committed'", value: id };
}

const SET_UP = `SELECT pg_current_xact_id()::text, pg_backend_pid(), ${SETTINGS}`;
const COMMIT: Statement = { text: 'COMMIT' };

/** Ordered, so that two transactions with the same names do not wait for each other. */
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
