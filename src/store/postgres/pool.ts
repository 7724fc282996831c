import type { Pool, PoolClient } from 'pg';
import { isName } from '../../support/name.ts';
import { migrate } from './migrate.ts';

export const DEFAULT_SCHEMA = 'tandem';
/** PostgreSQL silently truncates longer names. */
const MAX_SCHEMA_BYTES = 63;
/** For a database that no longer responds. Its own timeouts and those of callers are shorter. */
const ANSWER_MS = 30_000;

/** @throws RangeError for a name that PostgreSQL would change. */
export function assertSchema(schema: string = DEFAULT_SCHEMA): void {
  const bytes = Buffer.byteLength(schema);
  if (bytes === 0 || bytes > MAX_SCHEMA_BYTES || !isName(schema))
    throw new RangeError(`schema: expected a name of 1 to ${MAX_SCHEMA_BYTES} bytes, without NUL`);
}

/** Opens a pool that the store owns and closes. */
export async function openPool(
  connectionString: string,
  options: { readonly connections?: number; readonly connectTimeoutMs?: number } = {},
): Promise<Pool> {
  const { default: pg } = await loadDriver();
  const pool = new pg.Pool({
    connectionString,
    application_name: 'tandem-a2a',
    max: options.connections ?? 10,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5000,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    // Pipelining saves a round trip for each statement of a transaction.
    pipeline: true,
  });
  pool.on('connect', endWithUs);
  return pool;
}

/** Only on a direct connection: a pooler would hand the backend, with this setting, to other clients. */
const END_WITH_US = `SELECT set_config('client_connection_check_interval', '1000', false) WHERE pg_backend_pid() = $1`;

/**
 * Makes the database cancel statements of clients that have disconnected. Otherwise each statement that waits for a lock would
 * keep its backend, and all connections would soon be in use. Not every operating system supports the check.
 */
function endWithUs(client: PoolClient & { readonly processID?: number | null }): void {
  client.query(END_WITH_US, [client.processID ?? 0]).catch(() => {});
}

/**
 * Keeps a lost connection from ending the process. The running statement reports the loss, and so does an 'error' event, which
 * would be thrown if it had no listener. The pool emits it for idle connections, the client for acquired ones. Returns the
 * function that removes the listeners.
 */
export function tend(pool: Pool): () => void {
  const onAcquire = (client: PoolClient): void => {
    if (!client.listeners('error').includes(overhear)) client.on('error', overhear);
  };
  pool.on('error', overhear);
  pool.on('acquire', onAcquire);
  return () => {
    pool.off('error', overhear);
    pool.off('acquire', onAcquire);
  };
}

function overhear(): void {}

/** Runs `work` on one connection, and discards the connection if that fails. */
export async function onConnection<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/**
 * Creates the tables of a schema or upgrades them. A store does this itself when it opens. Call it from a deployment step if only
 * another database role may change tables.
 *
 * @param url The connection string, such as `postgres://localhost/agents`.
 * @returns The numbers of the migrations that were applied. Empty if the schema was up to date.
 * @throws Error if a newer version created the schema, or the database encoding cannot store every character.
 * @example
 * const applied = await migratePostgres('postgres://admin@localhost/agents', { schema: 'tandem' });
 */
export async function migratePostgres(
  url: string,
  {
    schema = DEFAULT_SCHEMA,
  }: {
    /** The schema that contains the tables; `tandem` if not set. */
    readonly schema?: string;
  } = {},
): Promise<readonly number[]> {
  assertSchema(schema);
  const pool = await openPool(url);
  tend(pool);
  try {
    return await onConnection(pool, (client) => migrate(client, schema));
  } finally {
    await pool.end();
  }
}

/** Imported on demand: users who pass a pool may not need it. */
async function loadDriver(): Promise<typeof import('pg')> {
  try {
    return await import('pg');
  } catch (cause) {
    throw new MissingDriverError('PostgreSQL needs its driver: npm install pg', { cause });
  }
}

class MissingDriverError extends Error {
  override readonly name = 'MissingDriverError';
}
