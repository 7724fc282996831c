import { closeSync, fdatasync, openSync } from 'node:fs';

/** Puts what was written on the disk, and says when it is there or why not. */
export type Sync = (done: (error: Error | null) => void) => void;

/** `fdatasync` of Node, which asks macOS for what that calls a full one. */
export type SyncFile = (descriptor: number, done: (error: Error | null) => void) => void;

/**
 * The write-ahead log of an open database, to be put on the disk in another thread: SQLite would hold up the loop
 * meanwhile. One file has one state, whoever wrote to it and by which handle, so that of SQLite is not needed. It keeps
 * the file as long as it is open. What a checkpoint has taken out of the log, SQLite has put on the disk by itself.
 */
export class LogSync {
  readonly #descriptor: number;
  readonly #syncFile: SyncFile;

  /** @param file The database, to which something was written. */
  constructor(file: string, syncFile: SyncFile = fdatasync) {
    // Windows syncs only what may be written.
    this.#descriptor = openSync(`${file}-wal`, 'r+');
    this.#syncFile = syncFile;
  }

  readonly sync: Sync = (done) => this.#syncFile(this.#descriptor, done);

  close(): void {
    closeSync(this.#descriptor);
  }
}
