import { closeSync, openSync } from 'node:fs';

/** Readable and writable by the owner only. SQLite creates the log and its index with the permissions of the database. */
const OWNER_ONLY = 0o600;

/**
 * Creates an empty file that other users of the machine cannot read, because the store keeps messages, credentials of receivers
 * and other secrets in plain text. An existing file keeps its permissions. If the file cannot be created, SQLite reports the error.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch {
    // It already exists, or opening it reports the error.
  }
}
