import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';

type Done = (error: Error | null) => void;

/** Syncs written data to the disk, synchronously if urgent, and calls `done` with the error or null. */
export type Sync = (isUrgent: boolean, done: Done) => void;

export type SyncFile = (descriptor: number, isUrgent: boolean, done: Done) => void;

/** On macOS both functions do a full sync. An urgent sync is faster than a thread switch. */
const syncFile: SyncFile = (descriptor, isUrgent, done) => {
  if (!isUrgent) {
    fdatasync(descriptor, done);
    return;
  }
  try {
    fdatasyncSync(descriptor);
  } catch (error) {
    done(error as Error);
    return;
  }
  done(null);
};

/**
 * Syncs the write-ahead log of an open database in another thread, because SQLite would block the event loop meanwhile. A sync
 * covers the whole file, regardless of the handle that wrote it, so the handle of SQLite is not needed. SQLite keeps the log file
 * as long as the database is open, and syncs at each checkpoint itself.
 */
export class LogSync {
  readonly #descriptor: number;
  readonly #syncFile: SyncFile;

  /** @param file A database that was written to, so that its log exists. */
  constructor(file: string, sync: SyncFile = syncFile) {
    // Windows syncs only files opened for writing.
    this.#descriptor = openSync(`${file}-wal`, 'r+');
    this.#syncFile = sync;
  }

  readonly sync: Sync = (isUrgent, done) => this.#syncFile(this.#descriptor, isUrgent, done);

  close(): void {
    closeSync(this.#descriptor);
  }
}
