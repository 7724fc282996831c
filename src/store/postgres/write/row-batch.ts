import type { Statement } from '../statements.ts';
import { type Columns, columnsOf, unnested } from './columns.ts';
import { commitProbe } from './commit-probe.ts';

/** Rows of one table that one statement inserts. The first column is the id of the task. */
export class RowBatch {
  readonly #table: string;
  readonly #columns: Columns;
  readonly #rows: (readonly unknown[])[] = [];

  constructor(table: string, columns: Columns) {
    this.#table = table;
    this.#columns = columns;
  }

  add(...row: readonly unknown[]): void {
    this.#rows.push(row);
  }

  /** The statement that inserts all rows, except those of removed tasks. Undefined if there are none. */
  insert(schema: string, gone: ReadonlySet<string>): Statement | undefined {
    const rows = this.#without(gone);
    if (rows.length === 0) return undefined;
    const names = Object.keys(this.#columns).join(', ');
    return {
      name: `insert ${this.#table}`,
      text: `INSERT INTO ${schema}.${this.#table} (${names}) SELECT * FROM ${unnested(this.#columns)}`,
      values: columnsOf(rows, this.#columns),
    };
  }

  /** A query that finds the first of these rows, if the transaction with this id has committed it. */
  commitProbe(schema: string, gone: ReadonlySet<string>, transaction: string): Statement | undefined {
    const [row] = this.#without(gone);
    return row && commitProbe(`${schema}.${this.#table}`, this.#columns, row, transaction);
  }

  #without(gone: ReadonlySet<string>): readonly (readonly unknown[])[] {
    return gone.size === 0 ? this.#rows : this.#rows.filter(([taskId]) => !gone.has(String(taskId)));
  }
}
