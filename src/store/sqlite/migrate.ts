import { readFileSync } from 'node:fs';

import { type Connection, getNumber } from './connection.ts';

/** In the order of their numbers, which start at 1 and have no gaps. Never edited once released. */
export const MIGRATIONS = [
  '0001_init.sql',
  '0002_push_config.sql',
  '0003_list_by_agent.sql',
  '0004_journal_in_order.sql',
  '0005_outbox.sql',
  '0006_fair_claims.sql',
  '0007_history_bytes.sql',
  '0008_suspects.sql',
] as const;

/** Stands in the header of our files, see the first migration. */
const APPLICATION_ID = 1_414_415_409;

/** Stood there while the first migration still changed: such a file may lack what we ask of it. */
const PRE_RELEASE_ID = 1_413_566_020;

/**
 * The number of the last migration that a file has seen; 0 for an empty one. Refuses files that are not ours and files
 * from the future. Changes nothing.
 */
export function schemaVersion(connection: Connection, path: string): number {
  const tables = getNumber(connection, 'SELECT count(*) FROM sqlite_schema');
  if (tables === 0) return 0;
  const application = getNumber(connection, 'PRAGMA application_id');
  if (application === PRE_RELEASE_ID) {
    throw new Error(`${path} was written by a pre-release of tandem-a2a: delete it, or choose another file`);
  }
  if (application !== APPLICATION_ID) {
    throw new Error(`${path} is a database of another program: choose another file. It was left as it is`);
  }
  const version = readMeta(connection, 'schema');
  if (version > MIGRATIONS.length) {
    throw new Error(
      `${path} was written by a newer version of tandem-a2a (its schema is ${version}, this one knows ` +
        `${MIGRATIONS.length}): update the package, or choose another file. It was left as it is`,
    );
  }
  return version;
}

/**
 * Brings a file up to date and counts its opening, all in one transaction. Gives the number of the boot, which tells
 * this opening from every other.
 */
export function migrate(connection: Connection, version: number): number {
  connection.exec('BEGIN IMMEDIATE');
  try {
    for (const name of MIGRATIONS.slice(version)) {
      connection.exec(readFileSync(new URL(`migrations/${name}`, import.meta.url), 'utf8'));
    }
    connection.run("UPDATE meta SET value = ? WHERE name = 'schema'", MIGRATIONS.length);
    connection.run("UPDATE meta SET value = value + 1 WHERE name = 'boot'");
    const boot = currentBoot(connection);
    connection.exec('COMMIT');
    return boot;
  } catch (error) {
    connection.rollback();
    throw error;
  }
}

/** The number of the last opening, by whomever. */
export function currentBoot(connection: Connection): number {
  return readMeta(connection, 'boot');
}

function readMeta(connection: Connection, name: 'schema' | 'boot'): number {
  return getNumber(connection, 'SELECT value FROM meta WHERE name = ?', name);
}
