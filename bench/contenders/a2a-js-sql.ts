import { peer } from './peer.ts';

export interface TaskStore {
  save(task: unknown, context: unknown): Promise<void>;
}

interface Kysely {
  readonly Kysely: new (options: { readonly dialect: unknown }) => unknown;
  readonly PostgresDialect: new (options: { readonly pool: unknown }) => unknown;
  readonly SqliteDialect: new (options: { readonly database: unknown }) => unknown;
}
interface SdkDatabase {
  readonly DatabaseTaskStore: new (database: unknown) => TaskStore;
}
interface Driver {
  readonly DatabaseSync: new (path: string) => Database;
}
interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}
interface Statement {
  columns(): readonly unknown[];
  all(...values: readonly unknown[]): unknown[];
  run(...values: readonly unknown[]): unknown;
}

/** The tables that the SDK's command `a2a-db` creates. */
const tables = (collate: string): string => `
  CREATE TABLE tasks (
    tenant varchar(255) ${collate} NOT NULL, owner varchar(255) ${collate} NOT NULL, id varchar(36) ${collate} NOT NULL,
    context_id varchar(36) ${collate} NOT NULL, status_last_updated bigint NOT NULL, status_state varchar(255) ${collate},
    status text, artifacts text, history text, metadata text, protocol_version varchar(255),
    CONSTRAINT tasks_pkey PRIMARY KEY (tenant, owner, id)
  );
  CREATE INDEX tasks_scope_updated_idx ON tasks (tenant, owner, status_last_updated, id);
  CREATE INDEX tasks_scope_context_updated_idx ON tasks (tenant, owner, context_id, status_last_updated, id);
`;

/**
 * The SQL store of the official SDK, with the driver and the pragmas of our store, so that the comparison measures
 * neither. With its default pragmas SQLite would wait for the disk twice per write.
 */
export async function openSqliteStore(path: string): Promise<TaskStore> {
  const { DatabaseSync } = await peer<Driver>('@photostructure/sqlite');
  const { Kysely, SqliteDialect } = await peer<Kysely>('kysely');
  const { DatabaseTaskStore } = await peer<SdkDatabase>('@a2a-js/sdk/server/database');
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  database.exec(tables(''));
  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    return {
      // Kysely checks whether the statement returns rows.
      reader: statement.columns().length > 0,
      all: (values: readonly unknown[]) => statement.all(...values),
      run: (values: readonly unknown[]) => statement.run(...values),
    };
  };
  const dialect = new SqliteDialect({ database: { prepare, close: () => database.close() } });
  return new DatabaseTaskStore(new Kysely({ dialect }));
}

/** The same store on `pg`, with as many connections as our store. */
export async function openPostgresStore(connectionString: string): Promise<TaskStore> {
  const { default: pg } = await import('pg');
  const { Kysely, PostgresDialect } = await peer<Kysely>('kysely');
  const { DatabaseTaskStore } = await peer<SdkDatabase>('@a2a-js/sdk/server/database');
  const pool = new pg.Pool({ connectionString, max: 10, keepAlive: true });
  await pool.query(tables('COLLATE "C"'));
  return new DatabaseTaskStore(new Kysely({ dialect: new PostgresDialect({ pool }) }));
}
