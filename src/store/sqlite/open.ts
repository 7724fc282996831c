import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

import type { Log } from '../../observe/log.ts';
import { knownNodes } from './claim.ts';
import { Connection } from './connection.ts';
import type { Driver } from './driver.ts';
import { RESULT, troubleOf } from './failure.ts';
import { FilesInPlace, identify } from './file-identity.ts';
import { assertUnused, type FileLock, lockFile } from './lock.ts';
import { LogSync, type SyncFile } from './log-sync.ts';
import { migrate, schemaVersion } from './migrate.ts';
import { knownTellers } from './outbox.ts';
import { makePrivateFile } from './private-file.ts';

/** A file of ours, open, locked and up to date. */
export interface OpenFile {
  readonly connection: Connection;
  readonly boot: number;
  /** Nodes that earlier processes left in the rows. */
  readonly nodes: readonly string[];
  readonly lock: FileLock;
  /** To be asked after every commit, and before anybody hears of it. */
  readonly log: LogSync;
  /** The database and its write-ahead log. */
  readonly files: FilesInPlace;
}

/**
 * FULL: a commit is on the disk when it returns, so that a power cut takes nothing of an upgrade. The rest is measured: a
 * cache that holds the hot pages, and a write-ahead log that does not stay at the size of its worst day. `secure_delete` overwrites
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

/** On macOS fsync leaves data in the cache of the disk unless it is asked not to. */
const MACOS_PRAGMAS = 'PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;';

/** From then on a commit only writes, and we put it on the disk ourselves; SQLite still does at each checkpoint. */
const SYNCED_BY_US = 'PRAGMA synchronous = NORMAL;';

/** At the start we may wait for another program; later, waiting would hold up the whole process. */
const PATIENCE_AT_START_MS = 5000;
const PATIENCE_MS = 50;

const REFUSALS: Readonly<Record<number, string>> = {
  [RESULT.BUSY]: 'is locked by another program: try again when that has finished',
  [RESULT.READONLY]: 'cannot be written: check the rights of the file and of its folder',
  [RESULT.CANTOPEN]: 'cannot be opened: check that its folder exists and can be written',
  [RESULT.IOERR]: 'cannot be read or written: the disk reports an error, or is full',
  [RESULT.CORRUPT]: 'is damaged: restore it from a copy, or choose another file',
  [RESULT.FULL]: 'is on a disk that is full: make room first',
  [RESULT.NOTADB]: 'is not a SQLite database: choose another file. It was left as it is',
};

/** Opens, locks and upgrades a database file, or says in a sentence why not. A file that is refused is not changed. */
export function openFile(driver: Driver, path: string, log: Log, syncFile?: SyncFile): OpenFile {
  if (path === '' || path === ':memory:') {
    throw new Error('A SQLite store needs a file. To keep tasks in memory, use the memory store');
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
    // First, for SQLite removes the log, and Windows no file that is open.
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
      // A library may keep a closed file, with its locks, until its statements are collected.
      if (!lock.isAgain) assertUnused(driver, file, identity);
      log.warn(
        'The SQLite file has several hard links. Open it by one path only: its write-ahead log lies beside that path',
        { file, links: identity.links },
      );
    }
    connection = new Connection(driver, file);
    connection.exec(`PRAGMA busy_timeout = ${PATIENCE_AT_START_MS}`);
    const version = schemaVersion(connection, file);
    setUp(connection, file);
    const boot = migrate(connection, version);
    connection.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}; ${SYNCED_BY_US}`);
    const nodes = [...knownNodes(connection), ...knownTellers(connection)];
    const files = new FilesInPlace(file, `${file}-wal`);
    return { connection, boot, nodes, lock, log: new LogSync(file, syncFile), files };
  } catch (error) {
    connection?.close();
    lock.release();
    throw error;
  }
}

function setUp(connection: Connection, file: string): void {
  const mode = connection.get('PRAGMA journal_mode = WAL')?.[0];
  if (mode !== 'wal') throw new Error(`${file} is on a file system without write-ahead logs: choose a local disk`);
  connection.exec(process.platform === 'darwin' ? PRAGMAS + MACOS_PRAGMAS : PRAGMAS);
}

/** One file has one name, also if a link leads to it, so that it has one lock. */
function realPath(path: string): string {
  const absolute = resolve(path);
  if (existsSync(absolute)) return realpathSync(absolute);
  const folder = dirname(absolute);
  return existsSync(folder) ? join(realpathSync(folder), basename(absolute)) : absolute;
}
