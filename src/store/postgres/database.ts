import type { Pool, PoolClient, QueryArrayConfig, QueryConfig } from 'pg';
import type { Clock } from '../../support/clock.ts';
import type { Writable } from '../../support/writable.ts';
import { isSpent } from './failure.ts';
import { quoted } from './migrate.ts';

/** A row as a list of its columns. */
export type Row = readonly unknown[];

/** Anything that takes a statement: a pool, or one connection of it. */
export type Queryable = Pick<PoolClient, 'query'>;

const INT8 = 20;
const JSON_TYPES = new Set([114, 3802]);

/** Numbers are ours and small enough; JSON stays the text that it is. */
const TYPES: NonNullable<QueryConfig['types']> = {
  getTypeParser: ((oid: number) => (oid === INT8 ? Number : JSON_TYPES.has(oid) ? String : parserOf(oid))) as never,
};

/** The types that our tables have, beside those above. */
function parserOf(oid: number): (text: string) => unknown {
  if (oid === 16) return (text) => text === 't';
  if (oid === 21 || oid === 23) return Number;
  return String;
}

/** How long a transaction waits for one that holds what it needs. */
const LOCK_MS = 5000;
/** A process that stops in the middle of a transaction must not keep others from its tasks for longer than this. */
const IDLE_MS = 5000;
const STATEMENT_MS = 20_000;
/** How long a write waits for those before it. */
const QUEUE_MS = 10_000;

export interface DatabaseOptions {
  readonly clock?: Clock;
  readonly lockMs?: number;
  readonly queueMs?: number;
  /** Whether nobody else uses the pool. */
  readonly isOwnPool?: boolean;
}

/** The tables of a store, and how to ask them. */
export class Database {
  readonly pool: Pool;
  /** The schema, quoted: `FROM ${schema}.task`. */
  readonly schema: string;
  readonly lockMs: number;
  readonly isOwnPool: boolean;
  readonly queueMs: number;
  readonly #clock: Clock | undefined;

  /** Without a clock the time is that of the database, which is the same for all nodes. */
  constructor(pool: Pool, schema: string, options: DatabaseOptions = {}) {
    this.pool = pool;
    this.schema = quoted(schema);
    this.lockMs = options.lockMs ?? LOCK_MS;
    this.isOwnPool = options.isOwnPool === true;
    this.queueMs = options.queueMs ?? QUEUE_MS;
    this.#clock = options.clock;
  }

  /** What is now, as SQL: once for a statement, for an index is of no use to what may change from row to row. */
  get now(): string {
    if (this.#clock !== undefined) return `${Math.trunc(this.#clock.now())}::bigint`;
    return '(SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)';
  }

  /** Runs several statements as one. */
  async transaction<T>(work: (client: Queryable) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    try {
      await inOrder(client, [{ text: 'BEGIN' }, { text: `SELECT ${SETTINGS}`, values: [this.lockMs] }]);
      const result = await work(client);
      await client.query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      // Also ends the transaction, whatever state the connection is in.
      client.release(true);
      throw error;
    }
  }

  /** Asks on any connection; a list of rows. */
  rows(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return rowsOf(this.pool, text, values);
  }
}

/**
 * Settings for the transaction that this is part of, as SQL, with `$1` for how long it waits for a lock. Said within it,
 * and not when the connection is made: a pooler would refuse that, or give it to somebody else.
 *
 * All rows are found by their keys. A plan that is made while a table is empty would read all of it, and a plan may be
 * kept for as long as a connection lives; one that must read all of a table is not worth compiling.
 */
export const SETTINGS = Object.entries({
  statement_timeout: STATEMENT_MS,
  idle_in_transaction_session_timeout: IDLE_MS,
  enable_seqscan: 'off',
  jit: 'off',
}).reduce(
  (sql, [name, value]) => `${sql}, set_config('${name}', '${value}', true)`,
  "set_config('lock_timeout', $1::text, true)",
);

export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** By which a connection that is nobody else's knows it again, for text that never changes. */
  readonly name?: string;
  /** How long to wait for the answer, if not as long as for any other. */
  readonly answerMs?: number;
}

/** What a statement came to. */
export interface Outcome {
  readonly rows: Row[];
  readonly command: string;
}

export async function run(on: Queryable, { text, values = [], name, answerMs }: Statement): Promise<Outcome> {
  const query: Writable<QueryArrayConfig> & { query_timeout?: number } = {
    text,
    values: values as unknown[],
    rowMode: 'array',
    types: TYPES,
  };
  if (name !== undefined && straight.has(on)) query.name = name;
  if (answerMs !== undefined) query.query_timeout = answerMs;
  return on.query<unknown[]>(query);
}

/** Connections where a statement with a name meets the process of the database that has parsed it. */
const straight = new WeakSet<Queryable>();

/**
 * Notes, for the rest of a transaction, which process of the database answers on a connection of our own. A pooler gives
 * each transaction to another one, and makes up the number that it names when a connection is made.
 */
export function notePeer(client: Queryable & { readonly processID?: number | null }, answering: number): void {
  if (client.processID === answering) straight.add(client);
  else straight.delete(client);
}

export async function rowsOf(on: Queryable, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  return (await run(on, { text, values })).rows;
}

/**
 * Runs statements one after the other. A connection that can send ahead, as ours can, makes one round trip of it; one of
 * somebody else's pool may not be able to.
 */
export async function inOrder(client: Queryable, statements: readonly Statement[]): Promise<readonly Outcome[]> {
  if (canSendAhead(client)) return Promise.all(statements.map((statement) => run(client, statement)));
  const outcomes: Outcome[] = [];
  for (const statement of statements) outcomes.push(await run(client, statement));
  return outcomes;
}

export function canSendAhead(client: Queryable & { readonly pipeline?: boolean }): boolean {
  return client.pipeline === true;
}

/** Gives a connection back after an error, with the transaction ended in any case. */
export async function giveBack(client: PoolClient, error: unknown): Promise<void> {
  if (isSpent(error)) {
    client.release(true);
    return;
  }
  try {
    await client.query('ROLLBACK');
  } catch {
    client.release(true);
    return;
  }
  client.release();
}
