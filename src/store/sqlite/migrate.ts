import { readFileSync } from 'node:fs';

import { type Connection, getNumber } from './database/connection.ts';

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
  '0009_kept_journals.sql',
  '0010_calls.sql',
  '0011_packed_history.sql',
] as const;

/** The application id in the header of our files; the first migration sets it. */
const APPLICATION_ID = 1_414_415_409;

/** The application id of pre-releases, whose first migration was still changing: such a file may lack columns. */
const PRE_RELEASE_ID = 1_413_566_020;

/**
 * The number of the last migration of a file, or 0 for an empty file. Changes nothing.
 *
 * @throws Error for files of other programs, of pre-releases and of newer versions.
 */
export function schemaVersion(connection: Connection, path: string): number {
  const tables = getNumber(connection, 'SELECT count(*) FROM sqlite_schema');
  if (tables === 0) return 0;
  const application = getNumber(connection, 'PRAGMA application_id');
  if (application === PRE_RELEASE_ID) {
    throw new Error(`${path} was written by a pre-release of tandem-a2a: delete it, or use another file`);
  }
  if (application !== APPLICATION_ID) {
    throw new Error(`${path} belongs to another program: use another file. This file was not changed`);
  }
  const version = readMeta(connection, 'schema');
  if (version > MIGRATIONS.length) {
    throw new Error(
      `${path} was written by a newer version of tandem-a2a (schema version ${version}, this version supports up to ` +
        `${MIGRATIONS.length}): update the package, or use another file. This file was not changed`,
    );
  }
  return version;
}

/**
 * Migrates a file and increments its boot number, in one transaction. Returns the boot number, which identifies this opening
 * of the file.
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

/** The boot number of the latest opening, by any process. */
export function currentBoot(connection: Connection): number {
  return readMeta(connection, 'boot');
}

function readMeta(connection: Connection, name: 'schema' | 'boot'): number {
  return getNumber(connection, 'SELECT value FROM meta WHERE name = ?', name);
}
