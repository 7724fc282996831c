import { closeSync, openSync } from 'node:fs';

/** Read and written by its owner alone. SQLite gives its log and index the rights of the file that they belong to. */
const OWNER_ONLY = 0o600;

/**
 * Makes an empty file that is closed to other users of the machine: messages, credentials of receivers and handed-over
 * secrets will lie in it as they are. One that is there keeps the rights that somebody gave it, and what cannot be made is
 * for SQLite to complain about.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch {
    // It is there already, or cannot be: opening it will tell.
  }
}
