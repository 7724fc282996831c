import type { Pool } from 'pg';
import type { Clock } from '../../support/time/clock.ts';
import { tooSlow } from './failure.ts';
import { quoted } from './migrate.ts';
import { ReadBatcher } from './read/read-batcher.ts';
import { pipeline, type Queryable, type Row, rowsOf, run, type Statement } from './statements.ts';

/** The lock timeout. Shorter than the time callers wait, so that callers with other needs have time left. */
const LOCK_MS = 4000;
/** The longest time for which a process that stops during a transaction can block its tasks. */
const IDLE_MS = 5000;
const STATEMENT_MS = 20_000;
/** How long a write of a run waits in the queue. */
const QUEUE_MS = 10_000;
/** How long callers wait for reads and writes before they get `UNAVAILABLE`. */
const CALLER_MS = 5000;

export interface DatabaseOptions {
  readonly clock?: Clock;
  readonly lockMs?: number;
  readonly queueMs?: number;
  /** Whether the store owns the pool. */
  readonly isOwnPool?: boolean;
}

/** The connection pool and the schema of a store. */
export class Database {
  readonly pool: Pool;
  /** The schema, quoted: `FROM ${schema}.task`. */
  readonly schema: string;
  readonly lockMs: number;
  readonly isOwnPool: boolean;
  readonly queueMs: number;
  readonly callerMs: number;
  /** The timeout of statements that a caller waits for. A pool of the user has its own timeouts. */
  readonly queryTimeoutMs: number | undefined;
  readonly #clock: Clock | undefined;
  /** Undefined for a pool of the user, whose connections may not support pipelining. */
  readonly #questions: ReadBatcher | undefined;

  /** Without a clock, the time of the database is used, which is the same for all nodes. */
  constructor(pool: Pool, schema: string, options: DatabaseOptions = {}) {
    this.pool = pool;
    this.schema = quoted(schema);
    this.lockMs = options.lockMs ?? LOCK_MS;
    this.isOwnPool = options.isOwnPool === true;
    this.queueMs = options.queueMs ?? QUEUE_MS;
    this.callerMs = Math.min(CALLER_MS, this.queueMs);
    this.queryTimeoutMs = this.isOwnPool ? CALLER_MS : undefined;
    this.#clock = options.clock;
    this.#questions = this.isOwnPool ? new ReadBatcher(pool) : undefined;
  }

  /** The current time as SQL, evaluated once per statement, because an index cannot be used for a value that changes per row. */
  get now(): string {
    if (this.#clock !== undefined) return `${Math.trunc(this.#clock.now())}::bigint`;
    return '(SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)';
  }

  /** The approximate time, by the clock of this process. Only for values that are compared with the exact time later. */
  get aboutNow(): number {
    return this.#clock?.now() ?? Date.now();
  }

  /**
   * Runs statements in one transaction.
   *
   * @param isAsked Whether a caller waits. A late result is rolled back then, because the caller already got an error.
   * @param settings The settings of the transaction, as SQL.
   */
  async transaction<T>(
    work: (client: Queryable) => Promise<T>,
    { isAsked = false, settings = SETTINGS } = {},
  ): Promise<T> {
    const since = performance.now();
    const client = await this.pool.connect();
    try {
      await pipeline(client, [BEGIN, { text: `SELECT ${settings}`, values: [this.lockMs] }]);
      const result = await work(client);
      if (isAsked && performance.now() - since > this.callerMs) throw tooSlow();
      await client.query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      // Closing the connection also ends the transaction, in any state.
      client.release(true);
      throw error;
    }
  }

  /** Reads rows by their key, in one round trip with concurrent reads. */
  find(statement: Statement): Promise<Row[]> {
    return this.#questions?.ask(statement) ?? run(this.pool, statement).then(({ rows }) => rows);
  }

  /** Runs a statement on any connection and returns its rows. */
  rows(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return rowsOf(this.pool, text, values);
  }

  /** Like `rows`, with the timeout for callers. */
  async read(text: string, values: readonly unknown[]): Promise<Row[]> {
    return (await run(this.pool, { text, values, queryTimeoutMs: this.queryTimeoutMs })).rows;
  }
}

/** Each statement sees all earlier commits, regardless of the default isolation level of the database. */
export const BEGIN: Statement = { text: 'BEGIN ISOLATION LEVEL READ COMMITTED' };

/**
 * The settings of a transaction, as SQL, with `$1` for the lock timeout. They are set inside the transaction and not when
 * connecting, because a pooler would reject them or apply them to other clients.
 *
 * All rows are found by their keys. A plan made while a table is empty would scan the table, and plans may be cached as long as the
 * connection. A statement that must scan a table is not worth JIT compilation.
 */
export const SETTINGS = withSettings("set_config('lock_timeout', $1::text, true)", {
  statement_timeout: STATEMENT_MS,
  idle_in_transaction_session_timeout: IDLE_MS,
  enable_seqscan: 'off',
  jit: 'off',
});

/**
 * For a transaction that reads the first rows of ranges that may be long. As long as the statistics are outdated, PostgreSQL would
 * assume short ranges, read them completely and sort them.
 */
export const SORTED_RANGES = withSettings(SETTINGS, { enable_bitmapscan: 'off', enable_sort: 'off' });

function withSettings(sql: string, settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings).reduce(
    (all, [name, value]) => `${all}, set_config('${name}', '${value}', true)`,
    sql,
  );
}
