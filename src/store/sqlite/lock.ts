import { Connection } from './connection.ts';
import type { Driver } from './driver.ts';
import { RESULT, troubleOf } from './failure.ts';
import type { FileIdentity } from './file-identity.ts';
import { makePrivateFile } from './private-file.ts';

/** The right to a database file. */
export interface FileLock {
  /** Whether this process has had the file open before. */
  readonly isAgain: boolean;
  release(): void;
}

/** Files that this process has open, by device and inode. */
const held = new Set<string>();

/** Files that it has closed, the latest of them. */
const closed = new Set<string>();
const MAX_CLOSED = 1000;

/** A predecessor that was just told to end may need a moment. */
const PATIENCE_MS = 250;

/**
 * One process per file. The lock is an open transaction on an empty SQLite file beside the real one: the operating
 * system lets go of it when the process dies, however it dies, and it works wherever SQLite does, without a pid to check.
 * It is not taken on the file itself, so that other programs can look into that while we run; and because closing any
 * other handle to a file takes its POSIX locks away, which nobody will do to this one.
 *
 * A hard link in another folder has another lock beside it, so a file with several links is also checked by itself.
 *
 * @param identity Of the file at `path`, if it exists.
 */
export function lockFile(driver: Driver, path: string, identity: FileIdentity | undefined): FileLock {
  const key = identity?.key ?? path;
  if (held.has(key)) throw new Error(`${path} is already open in this process: use the store that has it`);
  const lock = `${path}.lock`;
  // Whoever can read it can hold it.
  makePrivateFile(lock);
  const connection = new Connection(driver, lock);
  try {
    // No journal file: nothing is ever written.
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

const ADVICE = 'stop it, or give this one a file of its own';

/**
 * Makes sure that no process has the file open by another of its links. A connection in WAL mode holds a shared lock on the
 * file itself, which belongs to the inode, so an exclusive one cannot be had meanwhile. It is given back at once: other
 * programs may read the file while we run.
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
