import type { Statement } from '../statements.ts';
import { commitProbe } from './commit-probe.ts';

/** The SQL type of each column. */
export type Columns = Readonly<Record<string, string>>;

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
  witness(schema: string, gone: ReadonlySet<string>, transaction: string): Statement | undefined {
    const [row] = this.#without(gone);
    return row && commitProbe(`${schema}.${this.#table}`, this.#columns, row, transaction);
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

/** Transposes rows into one array per column. */
export function columnsOf(rows: readonly (readonly unknown[])[], columns: Columns): readonly unknown[] {
  return Object.values(columns).map((type, index) => {
    const values = rows.map((row) => row[index]);
    return type === 'text' ? arrayText(values as readonly (string | null)[]) : values;
  });
}

/**
 * Encodes texts as a PostgreSQL array literal. The driver would take seconds for a text of several megabytes with many quotes, and
 * would drop a statement that it cannot encode from a transaction that is already being sent.
 */
function arrayText(texts: readonly (string | null)[]): string {
  return `{${texts.map((text) => (text === null ? 'NULL' : quotedText(text))).join(',')}}`;
}

/** The characters that JSON escapes in its own way: control characters and surrogates. */
const OF_JSON = /[\p{Cc}\p{Cs}]/u;

/** JSON escapes quotes and backslashes like PostgreSQL, and is many times faster than replacing each of them. */
function quotedText(text: string): string {
  return !OF_JSON.test(text) ? JSON.stringify(text) : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
