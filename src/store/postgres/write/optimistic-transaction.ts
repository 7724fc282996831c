import type { PoolClient } from 'pg';
import { BEGIN, type Database, SETTINGS } from '../database.ts';
import type { PostgresUnitOfWork } from './unit-of-work.ts';
import type { CommitCondition } from '../hints/hints.ts';
import { pipeline, type Statement } from '../statements.ts';
import type { FoundTask } from '../task-row.ts';
import { commit, type Transaction } from './transaction.ts';

/** Two custom settings: the first takes effect with the commit and stays on the connection, the second ends with the transaction. */
const STORED = 'tandem.stored';
const WITHIN = 'tandem.within';

let marks = 0;

/**
 * A transaction whose statements are all sent before the first response. Its writes work on cached tasks, and the database only
 * checks that they are current. This takes one round trip instead of two, and locks rows only while the database works.
 */
export class OptimisticTransaction {
  readonly #client: PoolClient;
  readonly #database: Database;
  readonly #known: ReadonlyMap<string, FoundTask>;
  readonly #unit: PostgresUnitOfWork;
  readonly #mark = String(++marks);
  #begun: Transaction | undefined;

  constructor(client: PoolClient, database: Database, known: ReadonlyMap<string, FoundTask>, unit: PostgresUnitOfWork) {
    this.#client = client;
    this.#database = database;
    this.#known = known;
    this.#unit = unit;
  }

  /** Undefined if the database has not confirmed the BEGIN. Without its id, the outcome of the transaction cannot be queried. */
  get begun(): Transaction | undefined {
    return this.#begun;
  }

  get condition(): CommitCondition {
    return { name: 'ahead', sql: `current_setting('${STORED}', true) = $3`, value: this.#mark };
  }

  /** @throws An error for which `isOutdated` is true if a cached task is not current. */
  async commit(after: readonly Statement[], lockMs: number): Promise<{ readonly isTold: Promise<unknown> }> {
    const begun = this.#begin(lockMs);
    const versions = Array.from(this.#known.values(), ({ version }) => version);
    const lock: Statement = {
      name: 'lock known',
      text: lockKnown(this.#database.schema),
      values: [[...this.#known.keys()], versions, this.#mark],
    };
    const stored = commit(this.#client, [lock, ...this.#unit.statements(this.#database)], after);
    // If BEGIN fails, its error is the cause of all later ones.
    stored.catch(() => {});
    this.#begun = await begun;
    return stored;
  }

  async #begin(lockMs: number): Promise<Transaction> {
    const setUp: Statement = { name: 'begin ahead', text: SET_UP, values: [lockMs, this.#mark] };
    const [, done] = await pipeline(this.#client, [BEGIN, setUp]);
    const own = done?.rows[0];
    return { id: String(own?.[0]), process: Number(own?.[1]), unit: this.#unit };
  }
}

const SET_UP = `SELECT pg_current_xact_id()::text, pg_backend_pid(), ${SETTINGS},
  set_config('${STORED}', $2, false), set_config('${WITHIN}', $2, true)`;

/**
 * Raises an error, which aborts the transaction, unless all rows have the expected version. If BEGIN has failed, the statements
 * after it must have no effect: the connection is made read-only, and sends no hints.
 */
function lockKnown(schema: string): string {
  return `SELECT CASE WHEN current_setting('${WITHIN}', true) = $3 THEN ${schema}.assert_current(count(*) = cardinality($1::text[]))
      ELSE length(set_config('default_transaction_read_only', 'on', false) || set_config('${STORED}', '', false)) END
    FROM (SELECT FROM unnest($1::text[], $2::text[]) AS v(id, version) JOIN ${schema}.task t ON t.id = v.id
      WHERE t.xmin::text = v.version ORDER BY t.id FOR UPDATE OF t) AS same`;
}
