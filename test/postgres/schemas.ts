import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { postgres, type PostgresStoreOptions } from '../../src/store/postgres/store.ts';
import type { Store } from '../../src/store/store.ts';

/** A schema for one test file. */
export class TestSchema {
  readonly name = `test_${randomBytes(6).toString('hex')}`;
  readonly url = inject('postgresUrl');
  /** One pool for all tests of a file: a new connection takes longer than most tests. */
  readonly pool = new pg.Pool({
    connectionString: this.url,
    max: 8,
    idleTimeoutMillis: 0,
    pipeline: true,
  });

  /** A store on connections that all tests share. */
  open(options: PostgresStoreOptions = {}): Store {
    return postgres(this.pool, { ...options, schema: this.name });
  }

  /** A store with connections of its own, closed when the test ends. */
  connect(options: PostgresStoreOptions = {}, source: string | pg.Pool = this.url): Store {
    const store = postgres(source, { ...options, schema: this.name });
    onTestFinished(() => store.close());
    return store;
  }

  /** Empties all tables that exist, which is much faster than creating them again. */
  async empty(): Promise<void> {
    await this.query(`DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '${this.name}' AND tablename <> 'migration'
      LOOP EXECUTE format('DELETE FROM %I.%I', '${this.name}', name); END LOOP; END $$`);
  }

  /** Creates a database for one test, for programs without an option for the schema, and returns its URL. */
  async database(encoding = 'UTF8'): Promise<string> {
    await this.query(
      `CREATE DATABASE "${this.name}" TEMPLATE template0 ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C'`,
    );
    onTestFinished(async () => void (await this.query(`DROP DATABASE "${this.name}" WITH (FORCE)`)));
    const url = new URL(this.url);
    url.pathname = `/${this.name}`;
    return url.href;
  }

  /** The number of sessions that use the tables and wait for a lock. */
  async lockWaiters(): Promise<number> {
    const text = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%"${this.name}"%'`;
    return (await this.query(text)).length;
  }

  /** Removes the schema, so that a shared server stays as it was. */
  async drop(): Promise<void> {
    await this.query(`DROP SCHEMA IF EXISTS "${this.name}" CASCADE`);
    await this.pool.end();
  }

  async query<T extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<T[]> {
    return (await this.pool.query<T>(text, values)).rows;
  }
}
