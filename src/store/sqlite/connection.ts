import type { Database, Driver, Row, Statement } from './driver.ts';

/**
 * Open handles, so that none is collected while its statements live: `@photostructure/sqlite` would close the database
 * under them, or crash the process.
 */
const openHandles = new Set<Database>();

/** A database handle with its prepared statements. Every statement is prepared once, at its first use. */
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

  /** Some errors end the transaction by themselves, others leave it open. */
  rollback(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // There was none left to roll back.
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

/** The number that a statement gives as its only column. */
export function getNumber(connection: Connection, sql: string, ...values: Row): number {
  return Number(connection.get(sql, ...values)?.[0]);
}

/** A limit as SQLite wants it: a whole number, with -1 for none. */
export function sqlLimit(limit: number): number {
  return Number.isFinite(limit) ? Math.max(0, Math.trunc(limit)) : -1;
}
