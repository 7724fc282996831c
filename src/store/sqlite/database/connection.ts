import type { Database, Driver, Row, Statement } from './driver.ts';

/**
 * References to open handles, so that none is garbage-collected before its statements: `@photostructure/sqlite` would close the
 * database while they are in use, or crash the process.
 */
const openHandles = new Set<Database>();

/** A database handle with its prepared statements. Each statement is prepared once, on first use. */
export class Connection {
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();

  constructor(driver: Driver, path: string) {
    this.#database = driver(path);
    openHandles.add(this.#database);
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** The first row, or `undefined`. */
  get(sql: string, ...values: Row): Row | undefined {
    return this.#prepared(sql).get(...values);
  }

  all(sql: string, ...values: Row): Row[] {
    return this.#prepared(sql).all(...values);
  }

  run(sql: string, ...values: Row): void {
    this.#prepared(sql).run(...values);
  }

  /** Some errors end the transaction, others leave it open. */
  rollback(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // The error has already ended the transaction.
    }
  }

  close(): void {
    this.#statements.clear();
    openHandles.delete(this.#database);
    this.#database.close();
  }

  #prepared(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }
}

/** The number in the only column of a statement. */
export function getNumber(connection: Connection, sql: string, ...values: Row): number {
  return Number(connection.get(sql, ...values)?.[0]);
}

/** A `LIMIT` of SQLite: an integer, where -1 means no limit. */
export function sqlLimit(limit: number): number {
  return Number.isFinite(limit) ? Math.max(0, Math.trunc(limit)) : -1;
}
