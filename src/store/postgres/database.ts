import type { Pool } from 'pg';
import type { Clock } from '../../support/clock.ts';
import { tooSlow } from './failure.ts';
import { quoted } from './migrate.ts';
import { Questions } from './questions.ts';
import { inOrder, type Queryable, type Row, rowsOf, run, type Statement } from './statements.ts';

/** How long a transaction waits for one that holds what it needs: callers who need something else have time left then. */
const LOCK_MS = 4000;
/** A process that stops in the middle of a transaction must not keep others from its tasks for longer than this. */
const IDLE_MS = 5000;
const STATEMENT_MS = 20_000;
/** How long a write of a run waits for those before it. */
const QUEUE_MS = 10_000;
/** How long callers wait, for what they ask and for what they write: then they are told to come again. */
const CALLER_MS = 5000;

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
  readonly callerMs: number;
  /** How long a statement that a caller waits for may take. A pool of somebody else's has its own limits. */
  readonly answerMs: number | undefined;
  readonly #clock: Clock | undefined;
  /** Nothing for a pool of somebody else's: his connections may not be able to send ahead. */
  readonly #questions: Questions | undefined;

  /** Without a clock the time is that of the database, which is the same for all nodes. */
  constructor(pool: Pool, schema: string, options: DatabaseOptions = {}) {
    this.pool = pool;
    this.schema = quoted(schema);
    this.lockMs = options.lockMs ?? LOCK_MS;
    this.isOwnPool = options.isOwnPool === true;
    this.queueMs = options.queueMs ?? QUEUE_MS;
    this.callerMs = Math.min(CALLER_MS, this.queueMs);
    this.answerMs = this.isOwnPool ? CALLER_MS : undefined;
    this.#clock = options.clock;
    this.#questions = this.isOwnPool ? new Questions(pool) : undefined;
  }

  /** What is now, as SQL: once for a statement, for an index is of no use to what may change from row to row. */
  get now(): string {
    if (this.#clock !== undefined) return `${Math.trunc(this.#clock.now())}::bigint`;
    return '(SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)';
  }

  /** What is about now, by the clock of this process: good enough for what is compared with the right time later. */
  get aboutNow(): number {
    return this.#clock?.now() ?? Date.now();
  }

  /**
   * Runs several statements as one.
   *
   * @param isAsked Whether a caller waits for it: what is late then is not stored, for he was told to come again.
   * @param settings Those of the transaction, as SQL.
   */
  async transaction<T>(
    work: (client: Queryable) => Promise<T>,
    { isAsked = false, settings = SETTINGS } = {},
  ): Promise<T> {
    const since = performance.now();
    const client = await this.pool.connect();
    try {
      await inOrder(client, [BEGIN, { text: `SELECT ${settings}`, values: [this.lockMs] }]);
      const result = await work(client);
      if (isAsked && performance.now() - since > this.callerMs) throw tooSlow();
      await client.query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      // Also ends the transaction, whatever state the connection is in.
      client.release(true);
      throw error;
    }
  }

  /** Asks for what is found by its key, together with all who ask in the same moment. */
  find(statement: Statement): Promise<Row[]> {
    return this.#questions?.ask(statement) ?? run(this.pool, statement).then(({ rows }) => rows);
  }

  /** Asks on any connection; a list of rows. */
  rows(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return rowsOf(this.pool, text, values);
  }

  /** As `rows`, for a caller who waits. */
  async read(text: string, values: readonly unknown[]): Promise<Row[]> {
    return (await run(this.pool, { text, values, answerMs: this.answerMs })).rows;
  }
}

/** Each statement sees what others have committed by then, whatever the database was told to do otherwise. */
export const BEGIN: Statement = { text: 'BEGIN ISOLATION LEVEL READ COMMITTED' };

/**
 * Settings for the transaction that this is part of, as SQL, with `$1` for how long it waits for a lock. Said within it,
 * and not when the connection is made: a pooler would refuse that, or give it to somebody else.
 *
 * All rows are found by their keys. A plan that is made while a table is empty would read all of it, and a plan may be
 * kept for as long as a connection lives; one that must read all of a table is not worth compiling.
 */
export const SETTINGS = withSettings("set_config('lock_timeout', $1::text, true)", {
  statement_timeout: STATEMENT_MS,
  idle_in_transaction_session_timeout: IDLE_MS,
  enable_seqscan: 'off',
  jit: 'off',
});

/**
 * For a transaction that reads the first rows of ranges that may be long. Before the statistics know of them, PostgreSQL
 * would take the ranges for short ones, read them whole, and sort them.
 */
export const SORTED_RANGES = withSettings(SETTINGS, { enable_bitmapscan: 'off', enable_sort: 'off' });

function withSettings(sql: string, settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings).reduce(
    (all, [name, value]) => `${all}, set_config('${name}', '${value}', true)`,
    sql,
  );
}
