import type { Statement } from './statements.ts';
import { witnessOf } from './witness.ts';

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
    const rows = this.#without(gone);
    if (rows.length === 0) return undefined;
    const names = Object.keys(this.#columns).join(', ');
    return {
      name: `insert ${this.#table}`,
      text: `INSERT INTO ${schema}.${this.#table} (${names}) SELECT * FROM ${unnested(this.#columns)}`,
      values: columnsOf(rows, this.#columns),
    };
  }

  /** What finds the first of these rows, if the transaction with this number has stored it. */
  witness(schema: string, gone: ReadonlySet<string>, transaction: string): Statement | undefined {
    const [row] = this.#without(gone);
    return row && witnessOf(`${schema}.${this.#table}`, this.#columns, row, transaction);
  }

  #without(gone: ReadonlySet<string>): readonly (readonly unknown[])[] {
    return gone.size === 0 ? this.#rows : this.#rows.filter(([taskId]) => !gone.has(String(taskId)));
  }
}

/** `unnest($1::text[], $2::integer[])` */
export function unnested(columns: Columns): string {
  return `unnest(${Object.values(columns)
    .map((type, index) => `$${index + 1}::${type}[]`)
    .join(', ')})`;
}

/** Rows, turned into a list for each column. */
export function columnsOf(rows: readonly (readonly unknown[])[], columns: Columns): readonly unknown[] {
  return Object.values(columns).map((type, index) => {
    const values = rows.map((row) => row[index]);
    return type === 'text' ? arrayText(values as readonly (string | null)[]) : values;
  });
}

/**
 * Texts as one list in the words of PostgreSQL. The driver would take seconds for one of some megabytes with many quotes,
 * and what it cannot write at all it would leave out of a transaction that is on its way.
 */
function arrayText(texts: readonly (string | null)[]): string {
  return `{${texts.map((text) => (text === null ? 'NULL' : quotedText(text))).join(',')}}`;
}

/** What JSON writes in a way of its own: control characters, and halves of characters. */
const OF_JSON = /[\p{Cc}\p{Cs}]/u;

/** JSON writes quotes and backslashes as PostgreSQL wants them, many times as quick as a search for each of them. */
function quotedText(text: string): string {
  return !OF_JSON.test(text) ? JSON.stringify(text) : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
