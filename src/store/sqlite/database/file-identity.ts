import { statSync } from 'node:fs';

/**
 * Identifies the file at a path. It is read by path and never through a handle, because closing any handle of a file releases the
 * POSIX locks that SQLite holds on it in this process.
 */
export interface FileIdentity {
  /** Device and inode: the same for all paths and links to one file. */
  readonly key: string;
  /** The number of hard links. */
  readonly links: number;
}

/** `undefined` if there is no such file. */
export function identify(path: string): FileIdentity | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && { key: `${stats.dev}:${stats.ino}`, links: Number(stats.nlink) };
}

/**
 * The files of an open database. SQLite continues without an error on a file that was deleted or replaced, but its writes are
 * lost when the process ends.
 */
export class OpenFiles {
  readonly #keys: readonly (readonly [path: string, key: string | undefined])[];

  /** @param paths Files that exist. */
  constructor(...paths: readonly string[]) {
    this.#keys = paths.map((path) => [path, identify(path)?.key]);
  }

  /** The first file that was deleted or replaced, if any. */
  missing(): string | undefined {
    return this.#keys.find(([path, key]) => !isThere(path, key))?.[0];
  }
}

/** An error of the disk does not mean that the file is missing. */
function isThere(path: string, key: string | undefined): boolean {
  try {
    return identify(path)?.key === key;
  } catch {
    return true;
  }
}
