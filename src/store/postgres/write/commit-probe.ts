import type { Statement } from '../statements.ts';
import type { Columns } from './columns.ts';

/**
 * A query that finds a row of a transaction, unchanged, if the transaction was committed. The transaction id alone is not enough:
 * after a crash, or by a standby that takes over without having received the transaction, the same id may be assigned again.
 *
 * The query locks the row, which is the smallest possible write. So it returns only when this write is as durable as a commit, and
 * then all earlier commits are on the required standbys, too.
 */
export function commitProbe(table: string, columns: Columns, row: readonly unknown[], transaction: string): Statement {
  const values: unknown[] = [transaction];
  const conditions = Object.entries(columns).map(([name, type], index) => {
    // `=` can use an index, but is never true for NULL.
    if (row[index] === null) return `${name} IS NULL`;
    return `${name} = $${values.push(row[index])}::${type}`;
  });
  return {
    text: `SELECT 1 FROM ${table} WHERE ${conditions.join(' AND ')} AND xmin::text = ${SHORT_NUMBER} ${LOCK}`,
    values,
  };
}

/** A query that finds out whether a task was removed. It locks a row that always exists. */
export function absence(schema: string, id: string): Statement {
  return {
    text: `SELECT 1 FROM ${schema}.migration
      WHERE number = 1 AND NOT EXISTS (SELECT FROM ${schema}.task WHERE id = $1) ${LOCK}`,
    values: [id],
  };
}

/** The weakest row lock. Writers of the task wait for it only for a moment. */
const LOCK = 'FOR KEY SHARE';

/** The 32-bit transaction id of rows and backends, without the epoch. */
export const SHORT_NUMBER = '($1::text::bigint % 4294967296)::text';

export function shortNumber(transaction: string): string {
  return String(BigInt(transaction) % 4_294_967_296n);
}
