import type { Statement } from './statements.ts';
import type { Columns } from './row-batch.ts';

/**
 * What finds a row that a transaction has stored, as it has left it, and nothing if it was not kept. The number of the
 * transaction alone does not tell: after a crash it may be given again, and so may it by a standby that takes over without
 * ever having heard of it.
 *
 * The row is locked, which is a write as small as can be: so the answer comes when this too is as safe as a commit is, and
 * all that was committed before is then on the standbys that have to have it.
 */
export function witnessOf(table: string, columns: Columns, row: readonly unknown[], transaction: string): Statement {
  const values: unknown[] = [transaction];
  const conditions = Object.entries(columns).map(([name, type], index) => {
    // What is equal is looked up in an index, and nothing is equal to nothing.
    if (row[index] === null) return `${name} IS NULL`;
    return `${name} = $${values.push(row[index])}::${type}`;
  });
  return {
    text: `SELECT 1 FROM ${table} WHERE ${conditions.join(' AND ')} AND xmin::text = ${SHORT_NUMBER} ${LOCK}`,
    values,
  };
}

/** What finds out that a task is gone. The row that is locked is one that is always there. */
export function absence(schema: string, id: string): Statement {
  return {
    text: `SELECT 1 FROM ${schema}.migration
      WHERE number = 1 AND NOT EXISTS (SELECT FROM ${schema}.task WHERE id = $1) ${LOCK}`,
    values: [id],
  };
}

/** The weakest there is. Who writes to a task waits until it is over, which is at once. */
const LOCK = 'FOR KEY SHARE';

/** The number of a transaction as rows and processes have it, without how often such numbers have started anew. */
export const SHORT_NUMBER = '($1::text::bigint % 4294967296)::text';

export function shortNumber(transaction: string): string {
  return String(BigInt(transaction) % 4_294_967_296n);
}
