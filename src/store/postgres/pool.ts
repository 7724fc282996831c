import type { Pool, PoolClient } from 'pg';
import { areNames } from '../names.ts';
import { migrate } from './migrate.ts';

export const DEFAULT_SCHEMA = 'tandem';
/** PostgreSQL cuts longer names off without a word. */
const MAX_SCHEMA_BYTES = 63;
/** A database that has vanished without a word; its own limits are shorter, and so is the time that callers have. */
const ANSWER_MS = 30_000;

/** @throws RangeError for a name that would not stay what it is. */
export function assertSchema(schema: string = DEFAULT_SCHEMA): void {
  const bytes = Buffer.byteLength(schema);
  if (bytes === 0 || bytes > MAX_SCHEMA_BYTES || !areNames(schema))
    throw new RangeError(`schema must be a name of 1 to ${MAX_SCHEMA_BYTES} bytes`);
}

/** Connections of our own, to be ended by us. */
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
    // What is sent ahead saves a round trip for each statement of a transaction.
    pipeline: true,
  });
  pool.on('connect', endWithUs);
  return pool;
}

/** Only where the process of the database is our own: a pooler would give it, and what it was told, to somebody else. */
const END_WITH_US = `SELECT set_config('client_connection_check_interval', '1000', false) WHERE pg_backend_pid() = $1`;

/**
 * What we have given up, the database gives up too: else each statement that waits for a lock would keep its process there,
 * and all connections would soon be taken. Not every system can tell that a client is gone.
 */
function endWithUs(client: PoolClient & { readonly processID?: number | null }): void {
  client.query(END_WITH_US, [client.processID ?? 0]).catch(() => {});
}

/**
 * Sees to it that a connection that is lost ends no process. Its loss is said by the statement under way, and again by an
 * event, which nobody may leave without a listener: neither while a connection is idle, when the pool tells of it, nor
 * from the moment on when it is handed out. Returns the function that ends it.
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

/** Does something on one connection, which is not used again if that fails. */
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
 * Makes the tables of a schema, or brings them up to date, as a store does by itself when it opens: for those who have
 * this done by somebody with more rights, before the new version starts.
 *
 * @returns the numbers of the migrations that were missing.
 */
export async function migratePostgres(
  url: string,
  { schema = DEFAULT_SCHEMA }: { readonly schema?: string } = {},
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

/** Loaded late: who brings a pool has it already. */
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
