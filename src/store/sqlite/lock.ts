import { Connection } from './connection.ts';
import type { Driver } from './driver.ts';
import { RESULT, troubleOf } from './failure.ts';
import { makePrivateFile } from './private-file.ts';

/** The right to a database file. */
export interface FileLock {
  release(): void;
}

/** Files that this process has open. */
const held = new Set<string>();

/** A predecessor that was just told to end may need a moment. */
const PATIENCE_MS = 250;

/**
 * One process per file. The lock is an open transaction on an empty SQLite file beside the real one: the operating
 * system lets go of it when the process dies, however it dies, and it works wherever SQLite does, without a pid to check.
 * It is not taken on the file itself, so that other programs can look into that while we run; and because closing any
 * other handle to a file takes its POSIX locks away, which nobody will do to this one.
 */
export function lockFile(driver: Driver, path: string): FileLock {
  if (held.has(path)) throw new Error(`${path} is already open in this process: use the store that has it`);
  const lock = `${path}.lock`;
  // Whoever can read it can hold it.
  makePrivateFile(lock);
  const connection = new Connection(driver, lock);
  try {
    // No journal file: nothing is ever written.
    connection.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE`);
  } catch (error) {
    connection.close();
    if (troubleOf(error) !== RESULT.BUSY) throw error;
    const advice = 'stop it, or give this one a file of its own';
    throw new Error(`${path} is in use by another process: ${advice}`, { cause: error });
  }
  held.add(path);
  return {
    release() {
      held.delete(path);
      connection.close();
    },
  };
}
