import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';

type Done = (error: Error | null) => void;

/** Puts what was written on the disk, at once or later, and says when it is there or why not. */
export type Sync = (isUrgent: boolean, done: Done) => void;

export type SyncFile = (descriptor: number, isUrgent: boolean, done: Done) => void;

/** On macOS both ask for what that calls a full one. What is urgent is there before another thread would have begun. */
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
 * The write-ahead log of an open database, to be put on the disk in another thread: SQLite would hold up the loop
 * meanwhile. One file has one state, whoever wrote to it and by which handle, so that of SQLite is not needed. It keeps
 * the file as long as it is open. What a checkpoint has taken out of the log, SQLite has put on the disk by itself.
 */
export class LogSync {
  readonly #descriptor: number;
  readonly #syncFile: SyncFile;

  /** @param file The database, to which something was written. */
  constructor(file: string, sync: SyncFile = syncFile) {
    // Windows syncs only what may be written.
    this.#descriptor = openSync(`${file}-wal`, 'r+');
    this.#syncFile = sync;
  }

  readonly sync: Sync = (isUrgent, done) => this.#syncFile(this.#descriptor, isUrgent, done);

  close(): void {
    closeSync(this.#descriptor);
  }
}
