import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

import type { Log } from '../../../observe/log.ts';
import { knownCallers } from '../calls.ts';
import { knownNodes } from '../claim.ts';
import { Connection } from './connection.ts';
import type { Driver } from './driver.ts';
import { RESULT, troubleOf } from './failure.ts';
import { OpenFiles, identify } from './file-identity.ts';
import { assertUnused, type FileLock, lockFile } from './lock.ts';
import { LogSync, type SyncFile } from './log-sync.ts';
import { migrate, schemaVersion } from '../migrate.ts';
import { knownNotifiers } from '../outbox.ts';
import { makePrivateFile } from './private-file.ts';

/** An open, locked and migrated database file. */
export interface OpenFile {
  readonly connection: Connection;
  readonly boot: number;
  /** The nodes that earlier processes left in the rows. */
  readonly nodes: readonly string[];
  readonly lock: FileLock;
  /** Syncs the write-ahead log after every commit, before the commit is acknowledged. */
  readonly log: LogSync;
  /** The database and its write-ahead log. */
  readonly files: OpenFiles;
}

/**
 * `synchronous = FULL`: a commit is on the disk when it returns, so that a power failure loses nothing of an upgrade. The other
 * values are measured: a cache that holds the hot pages, and a write-ahead log that shrinks after a peak. `secure_delete` overwrites
 * removed rows with zeros, so that credentials of ended tasks do not stay in the file. It has no measurable cost: a send with its
 * later clean-up takes 254 µs of CPU with and without it (80,000 sends each, interleaved).
 */
const PRAGMAS = `
  PRAGMA synchronous = FULL;
  PRAGMA cache_size = -65536;
  PRAGMA temp_store = MEMORY;
  PRAGMA mmap_size = 0;
  PRAGMA wal_autocheckpoint = 1000;
  PRAGMA journal_size_limit = 67108864;
  PRAGMA trusted_schema = OFF;
  PRAGMA secure_delete = ON;`;

/** On macOS, fsync leaves data in the cache of the disk unless a full sync is requested. */
const MACOS_PRAGMAS = 'PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;';

/** After the upgrade a commit only writes, and `LogSync` syncs the log. SQLite still syncs at each checkpoint. */
const SYNCED_BY_US = 'PRAGMA synchronous = NORMAL;';

/** At startup we can wait for another program. Later, waiting would block the event loop. */
const PATIENCE_AT_START_MS = 5000;
const PATIENCE_MS = 50;

const REFUSALS: Readonly<Record<number, string>> = {
  [RESULT.BUSY]: 'is locked by another program: try again after that program has finished',
  [RESULT.READONLY]: 'cannot be written: check the permissions of the file and its directory',
  [RESULT.CANTOPEN]: 'cannot be opened: check that its directory exists and is writable',
  [RESULT.IOERR]: 'cannot be read or written: the disk reports an error or is full',
  [RESULT.CORRUPT]: 'is damaged: restore it from a backup, or use another file',
  [RESULT.FULL]: 'is on a full disk: free some space',
  [RESULT.NOTADB]: 'is not a SQLite database: use another file. This file was not changed',
};

/** Opens, locks and migrates a database file. @throws Error with a message that contains the fix. A rejected file is not changed. */
export function openFile(driver: Driver, path: string, log: Log, syncFile?: SyncFile): OpenFile {
  if (path === '' || path === ':memory:') {
    throw new Error(
      `sqlite() needs a file path, got ${JSON.stringify(path)}. To keep tasks in memory, use memoryStore()`,
    );
  }
  const file = realPath(path);
  try {
    return lockAndOpen(driver, file, log, syncFile);
  } catch (error) {
    const refusal = REFUSALS[troubleOf(error) ?? -1];
    throw refusal === undefined ? error : new Error(`${file} ${refusal}`, { cause: error });
  }
}

export function closeFile({ log, connection, lock }: OpenFile): void {
  try {
    // First, because closing the database deletes the log, and Windows cannot delete an open file.
    log.close();
  } finally {
    try {
      connection.close();
    } finally {
      lock.release();
    }
  }
}

function lockAndOpen(driver: Driver, file: string, log: Log, syncFile: SyncFile | undefined): OpenFile {
  makePrivateFile(file);
  const identity = existsSync(file) ? identify(file) : undefined;
  const lock = lockFile(driver, file, identity);
  let connection: Connection | undefined;
  try {
    if (identity !== undefined && identity.links > 1) {
      // A library may keep a closed file locked until its statements are garbage-collected.
      if (!lock.isAgain) assertUnused(driver, file, identity);
      log.warn(
        'The SQLite file has several hard links. Always open it by the same path, because its write-ahead log is next to that path',
        { file, links: identity.links },
      );
    }
    connection = new Connection(driver, file);
    connection.exec(`PRAGMA busy_timeout = ${PATIENCE_AT_START_MS}`);
    const version = schemaVersion(connection, file);
    setUp(connection, file);
    const boot = migrate(connection, version);
    connection.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}; ${SYNCED_BY_US}`);
    const nodes = [...knownNodes(connection), ...knownNotifiers(connection), ...knownCallers(connection)];
    const files = new OpenFiles(file, `${file}-wal`);
    return { connection, boot, nodes, lock, log: new LogSync(file, syncFile), files };
  } catch (error) {
    connection?.close();
    lock.release();
    throw error;
  }
}

function setUp(connection: Connection, file: string): void {
  const mode = connection.get('PRAGMA journal_mode = WAL')?.[0];
  if (mode !== 'wal')
    throw new Error(`${file} is on a file system that does not support write-ahead logs: use a local disk`);
  connection.exec(process.platform === 'darwin' ? PRAGMAS + MACOS_PRAGMAS : PRAGMAS);
}

/** Resolves symbolic links, so that a file has one lock. */
function realPath(path: string): string {
  const absolute = resolve(path);
  if (existsSync(absolute)) return realpathSync(absolute);
  const folder = dirname(absolute);
  return existsSync(folder) ? join(realpathSync(folder), basename(absolute)) : absolute;
}
