import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { postgres, type PostgresStoreOptions } from '../../src/store/postgres/store.ts';
import type { Store } from '../../src/store/store.ts';

/** A schema for one file of tests. */
export class TestSchema {
  readonly name = `test_${randomBytes(6).toString('hex')}`;
  readonly url = inject('postgresUrl');
  /** One for all: a connection of its own for each test takes longer than most tests. */
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

  /** A store with connections of its own, which ends with its test. */
  connect(options: PostgresStoreOptions = {}, source: string | pg.Pool = this.url): Store {
    const store = postgres(source, { ...options, schema: this.name });
    onTestFinished(() => store.close());
    return store;
  }

  /** Empties all tables, if there are any yet: much quicker than to make them anew. */
  async empty(): Promise<void> {
    await this.query(`DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '${this.name}' AND tablename <> 'migration'
      LOOP EXECUTE format('DELETE FROM %I.%I', '${this.name}', name); END LOOP; END $$`);
  }

  /** A database of its own for one test, for programs that take no schema: its address. */
  async database(encoding = 'UTF8'): Promise<string> {
    await this.query(
      `CREATE DATABASE "${this.name}" TEMPLATE template0 ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C'`,
    );
    onTestFinished(async () => void (await this.query(`DROP DATABASE "${this.name}" WITH (FORCE)`)));
    const url = new URL(this.url);
    url.pathname = `/${this.name}`;
    return url.href;
  }

  /** How many of those who use the tables wait for a lock. */
  async waiting(): Promise<number> {
    const text = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%"${this.name}"%'`;
    return (await this.query(text)).length;
  }

  /** A server that somebody has lent stays as it was. */
  async drop(): Promise<void> {
    await this.query(`DROP SCHEMA IF EXISTS "${this.name}" CASCADE`);
    await this.pool.end();
  }

  async query<T extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<T[]> {
    return (await this.pool.query<T>(text, values)).rows;
  }
}
