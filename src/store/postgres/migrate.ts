import { readFileSync } from 'node:fs';
import type { ClientBase } from 'pg';

/** In the order of their numbers, which start at 1 and have no gaps. Never edited once released. */
export const MIGRATIONS = [
  '0001_init.sql',
  '0002_channel.sql',
  '0003_fair_claims.sql',
  '0004_history_bytes.sql',
  '0005_suspects.sql',
  '0006_outdated_error.sql',
  '0007_kept_journals.sql',
  '0008_calls.sql',
] as const;

/** The advisory lock of migrations. Arbitrary, but the same for all nodes. */
const LOCK = 1_414_415_409;

/**
 * Upgrades a schema in one transaction. If several nodes start at once, the others wait for the first.
 *
 * @returns The numbers of the migrations that were applied.
 * @throws UnusableDatabaseError if a newer version created the schema, or the encoding cannot store every character.
 */
export async function migrate(client: ClientBase, schema: string): Promise<readonly number[]> {
  const name = quoted(schema);
  await assertEncoding(client);
  await client.query('BEGIN');
  try {
    // A process that stops during a migration must not keep the others from starting.
    await client.query("SELECT set_config('idle_in_transaction_session_timeout', '5000', true)");
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK}, hashtext($1))`, [schema]);
    const version = await schemaVersion(client, schema);
    if (version > MIGRATIONS.length) throw newerSchema(schema, version);
    const missing = MIGRATIONS.slice(version);
    if (version === 0) {
      await makeSchema(client, schema);
      await client.query(
        `CREATE TABLE ${name}.migration (number integer PRIMARY KEY, applied_at timestamptz NOT NULL)`,
      );
    }
    for (const [index, file] of missing.entries()) {
      const sql = readFileSync(new URL(`migrations/${file}`, import.meta.url), 'utf8');
      await client.query(sql.replaceAll('{schema}', name));
      await client.query(`INSERT INTO ${name}.migration VALUES ($1, now())`, [version + index + 1]);
    }
    await client.query('COMMIT');
    return missing.map((_, index) => version + index + 1);
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Creates the schema only if it is missing, because the role may lack the permission to create schemas. */
async function makeSchema(client: ClientBase, schema: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rowCount === 0) await client.query(`CREATE SCHEMA ${quoted(schema)}`);
}

/** The number of the last migration of a schema, or 0 if it has none of our tables. */
async function schemaVersion(client: ClientBase, schema: string): Promise<number> {
  const { rows } = await client.query<{ found: boolean }>(
    "SELECT count(*) > 0 AS found FROM pg_tables WHERE schemaname = $1 AND tablename = 'migration'",
    [schema],
  );
  if (rows[0]?.found !== true) return 0;
  const last = await client.query<{ last: number | null }>(
    `SELECT max(number) AS last FROM ${quoted(schema)}.migration`,
  );
  return last.rows[0]?.last ?? 0;
}

/** With any other encoding, some texts of callers would fail. */
const ENCODINGS: ReadonlySet<string | undefined> = new Set([
  'UTF8',
  // Stores bytes unchanged, and ours are UTF-8.
  'SQL_ASCII',
]);

async function assertEncoding(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>("SELECT current_setting('server_encoding') AS encoding");
  const encoding = rows[0]?.encoding;
  if (ENCODINGS.has(encoding)) return;
  throw new UnusableDatabaseError(
    `The encoding of the database is ${encoding}, which cannot store every character: use a database created with ` +
      `CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8'`,
  );
}

/** A problem that does not pass by itself. The message contains the fix. */
export class UnusableDatabaseError extends Error {}

function newerSchema(schema: string, version: number): UnusableDatabaseError {
  return new UnusableDatabaseError(
    `The schema ${schema} was created by a newer version of tandem-a2a (schema version ${version}, this version supports up to ` +
      `${MIGRATIONS.length}): update the package, or use another schema. The schema was not changed`,
  );
}

/** A quoted SQL identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
