import type { PoolClient } from 'pg';
import { BEGIN, type Database, SETTINGS } from './database.ts';
import type { Desk } from './desk.ts';
import type { Proof } from './hints.ts';
import { inOrder, type Statement } from './statements.ts';
import type { FoundTask } from './task-row.ts';
import { commit, type Transaction } from './transaction.ts';

/** Two settings of ours: one comes with the commit and stays on the connection, the other goes with the transaction. */
const STORED = 'tandem.stored';
const WITHIN = 'tandem.within';

let marks = 0;

/**
 * A transaction that is sent as a whole, before anything of it is answered: what its writes have found was known, and is
 * only compared. That is one round trip instead of two, and rows are locked for no longer than the database itself takes.
 */
export class TransactionAhead {
  readonly #client: PoolClient;
  readonly #database: Database;
  readonly #known: ReadonlyMap<string, FoundTask>;
  readonly #desk: Desk;
  readonly #mark = String(++marks);
  #begun: Transaction | undefined;

  constructor(client: PoolClient, database: Database, known: ReadonlyMap<string, FoundTask>, desk: Desk) {
    this.#client = client;
    this.#database = database;
    this.#known = known;
    this.#desk = desk;
  }

  /** Nothing if the database has not said that it has begun: then nobody can ask for it by its number. */
  get begun(): Transaction | undefined {
    return this.#begun;
  }

  get proof(): Proof {
    return { name: 'ahead', sql: `current_setting('${STORED}', true) = $3`, value: this.#mark };
  }

  /** @throws an error for which `isOutdated` holds if a task is not as it was known. */
  async commit(after: readonly Statement[], lockMs: number): Promise<{ readonly isTold: Promise<unknown> }> {
    const begun = this.#begin(lockMs);
    const versions = Array.from(this.#known.values(), ({ version }) => version);
    const lock: Statement = {
      name: 'lock known',
      text: lockKnown(this.#database.schema),
      values: [[...this.#known.keys()], versions, this.#mark],
    };
    const stored = commit(this.#client, [lock, ...this.#desk.statements(this.#database)], after);
    // If it does not begin, that is what went wrong, whatever follows from it.
    stored.catch(() => {});
    this.#begun = await begun;
    return stored;
  }

  async #begin(lockMs: number): Promise<Transaction> {
    const setUp: Statement = { name: 'begin ahead', text: SET_UP, values: [lockMs, this.#mark] };
    const [, done] = await inOrder(this.#client, [BEGIN, setUp]);
    const own = done?.rows[0];
    return { id: String(own?.[0]), process: Number(own?.[1]), desk: this.#desk };
  }
}

const SET_UP = `SELECT pg_current_xact_id()::text, pg_backend_pid(), ${SETTINGS},
  set_config('${STORED}', $2, false), set_config('${WITHIN}', $2, true)`;

/**
 * Divides by zero, which ends the transaction, unless all rows are as they are known. If there is no transaction, because
 * its BEGIN has failed, nothing that follows may happen: then the connection writes nothing more, and tells nobody.
 */
function lockKnown(schema: string): string {
  return `SELECT CASE WHEN current_setting('${WITHIN}', true) = $3 THEN 1 / (count(*) = cardinality($1::text[]))::integer
      ELSE length(set_config('default_transaction_read_only', 'on', false) || set_config('${STORED}', '', false)) END
    FROM (SELECT FROM unnest($1::text[], $2::text[]) AS v(id, version) JOIN ${schema}.task t ON t.id = v.id
      WHERE t.xmin::text = v.version ORDER BY t.id FOR UPDATE OF t) AS same`;
}
