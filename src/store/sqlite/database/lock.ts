import { Connection } from './connection.ts';
import type { Driver } from './driver.ts';
import { RESULT, troubleOf } from './failure.ts';
import type { FileIdentity } from './file-identity.ts';
import { makePrivateFile } from './private-file.ts';

/** The exclusive right to open a database file. */
export interface FileLock {
  /** Whether this process had the file open before. */
  readonly isAgain: boolean;
  release(): void;
}

/** Files that this process has open, by device and inode. */
const held = new Set<string>();

/** Files that this process has recently closed. */
const closed = new Set<string>();
const MAX_CLOSED = 1000;

/** A previous process that is shutting down may need a moment. */
const PATIENCE_MS = 250;

/**
 * Allows one process per file. The lock is an open transaction on an empty SQLite file next to the database. The operating
 * system releases it whenever the process ends, and it works wherever SQLite works, without checking process ids. The lock is
 * not on the database file itself, so that other programs can read that file, and because closing any other handle of a file
 * releases its POSIX locks. Nothing else opens the lock file.
 *
 * A hard link in another directory has a different lock file, so a file with several links needs `assertUnused`, too.
 *
 * @param identity The identity of the file at `path`, if it exists.
 */
export function lockFile(driver: Driver, path: string, identity: FileIdentity | undefined): FileLock {
  const key = identity?.key ?? path;
  if (held.has(key)) throw new Error(`${path} is already open in this process: share the store that opened it`);
  const lock = `${path}.lock`;
  // Every user who can read the file could hold the lock.
  makePrivateFile(lock);
  const connection = new Connection(driver, lock);
  try {
    // No journal file, because nothing is ever written.
    connection.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE`);
  } catch (error) {
    connection.close();
    throw refusal(error, `${path} is in use by another process: ${ADVICE}`);
  }
  held.add(key);
  return {
    isAgain: closed.has(key),
    release() {
      held.delete(key);
      if (closed.size === MAX_CLOSED) closed.clear();
      closed.add(key);
      connection.close();
    },
  };
}

const ADVICE = 'stop that process, or use another file';

/**
 * Checks that no process has the file open by another hard link. A connection in WAL mode holds a shared lock on the inode, so
 * an exclusive lock fails. The exclusive lock is released at once, so that other programs can read the file while we run.
 */
export function assertUnused(driver: Driver, path: string, { links }: FileIdentity): void {
  const connection = new Connection(driver, path);
  try {
    connection.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK`);
  } catch (error) {
    throw refusal(error, `${path} has ${links} hard links and is in use by another process: ${ADVICE}`);
  } finally {
    connection.close();
  }
}

function refusal(error: unknown, message: string): unknown {
  return troubleOf(error) === RESULT.BUSY ? new Error(message, { cause: error }) : error;
}
