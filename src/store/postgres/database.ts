import type { Pool, PoolClient, QueryArrayConfig, QueryConfig } from 'pg';
import type { Clock } from '../../support/clock.ts';
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

interface DatabaseOptions {
  readonly clock?: Clock;
  readonly lockMs?: number;
  readonly queueMs?: number;
}

/** The tables of a store, and how to ask them. */
export class Database {
  readonly pool: Pool;
  /** The schema, quoted: `FROM ${schema}.task`. */
  readonly schema: string;
  readonly lockMs: number;
  readonly queueMs: number;
  readonly #clock: Clock | undefined;

  /** Without a clock the time is that of the database, which is the same for all nodes. */
  constructor(pool: Pool, schema: string, options: DatabaseOptions = {}) {
    this.pool = pool;
    this.schema = quoted(schema);
    this.lockMs = options.lockMs ?? LOCK_MS;
    this.queueMs = options.queueMs ?? QUEUE_MS;
    this.#clock = options.clock;
  }

  /** What is now, as SQL. */
  get now(): string {
    if (this.#clock !== undefined) return `${Math.trunc(this.#clock.now())}::bigint`;
    return '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
  }

  /** Runs several statements as one. */
  async transaction<T>(work: (client: Queryable) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    try {
      await inOrder(client, [{ text: 'BEGIN' }, { text: `SELECT ${limits(this.lockMs)}` }]);
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
 * Bounds for the transaction that this is part of, as SQL. Said within it, and not when the connection is made: a pooler
 * would refuse that, or give it to somebody else.
 */
export function limits(lockMs: number): string {
  return `set_config('lock_timeout', '${lockMs}', true), set_config('statement_timeout', '${STATEMENT_MS}', true),
    set_config('idle_in_transaction_session_timeout', '${IDLE_MS}', true)`;
}

export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** How long to wait for the answer, if not as long as for any other. */
  readonly answerMs?: number;
}

/** What a statement came to. */
export interface Outcome {
  readonly rows: Row[];
  readonly command: string;
}

/** No statement has a name: behind a pooler the next one may meet another connection. */
export async function run(on: Queryable, { text, values = [], answerMs }: Statement): Promise<Outcome> {
  const query: QueryArrayConfig & { query_timeout?: number } = {
    text,
    values: values as unknown[],
    rowMode: 'array',
    types: TYPES,
  };
  if (answerMs !== undefined) query.query_timeout = answerMs;
  return on.query<unknown[]>(query);
}

export async function rowsOf(on: Queryable, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  return (await run(on, { text, values })).rows;
}

/**
 * Runs statements one after the other. A connection that can send ahead, as ours can, makes one round trip of it; one of
 * somebody else's pool may not be able to.
 */
export async function inOrder(
  client: Queryable & { readonly pipeline?: boolean },
  statements: readonly Statement[],
): Promise<readonly Outcome[]> {
  if (client.pipeline === true) return Promise.all(statements.map((statement) => run(client, statement)));
  const outcomes: Outcome[] = [];
  for (const statement of statements) outcomes.push(await run(client, statement));
  return outcomes;
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
