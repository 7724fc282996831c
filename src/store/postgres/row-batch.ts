import type { Statement } from './database.ts';

/** Column → its type in SQL. */
export type Columns = Readonly<Record<string, string>>;

/** Rows of one table that are stored by one statement. The first column names the task that a row belongs to. */
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

  /** The statement that inserts all of them but those of tasks that are gone again; nothing if there are none. */
  insert(schema: string, gone: ReadonlySet<string>): Statement | undefined {
    const rows = gone.size === 0 ? this.#rows : this.#rows.filter(([taskId]) => !gone.has(String(taskId)));
    if (rows.length === 0) return undefined;
    const names = Object.keys(this.#columns).join(', ');
    return {
      name: `insert ${this.#table}`,
      text: `INSERT INTO ${schema}.${this.#table} (${names}) SELECT * FROM ${unnested(this.#columns)}`,
      values: columnsOf(rows, this.#columns),
    };
  }
}

/** `unnest($1::text[], $2::integer[])` */
export function unnested(columns: Columns): string {
  return `unnest(${Object.values(columns)
    .map((type, index) => `$${index + 1}::${type}[]`)
    .join(', ')})`;
}

/** Rows, turned into a list for each column. */
export function columnsOf(rows: readonly (readonly unknown[])[], columns: Columns): readonly unknown[][] {
  return Object.keys(columns).map((_, index) => rows.map((row) => row[index]));
}
