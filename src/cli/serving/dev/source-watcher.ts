import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname, extname, join } from 'node:path';

const SOURCES: ReadonlySet<string> = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json']);

/**
 * Watches source files. It watches their folders and not the files, because editors replace a file when they save it. Files in
 * `node_modules` are left out.
 */
export class SourceWatcher {
  readonly #onChange: (file: string) => void;
  readonly #folders = new Map<string, FSWatcher>();
  /** The files with the times of their last changes. */
  readonly #files = new Map<string, number>();
  /** Whether every source file in a watched folder counts, because the list of files may be incomplete. */
  watchesFolders = true;

  constructor(onChange: (file: string) => void) {
    this.#onChange = onChange;
  }

  add(file: string): void {
    if (/[\\/]node_modules[\\/]/.test(file)) return;
    if (!this.#files.has(file)) this.#files.set(file, changedAt(file));
    const folder = dirname(file);
    if (this.#folders.has(folder)) return;
    try {
      const watcher = watch(folder, (_, name) => this.#changed(folder, name));
      // A folder that is removed ends its watcher.
      watcher.on('error', () => this.#forget(folder));
      this.#folders.set(folder, watcher);
    } catch {
      // The folder does not exist. It is added again when the file is loaded.
    }
  }

  close(): void {
    for (const folder of this.#folders.keys()) this.#forget(folder);
  }

  #changed(folder: string, name: string | null): void {
    if (name === null) return;
    const file = join(folder, name);
    const isKnown = this.#files.has(file);
    if (!isKnown && !(this.watchesFolders && SOURCES.has(extname(name)))) return;
    const time = changedAt(file);
    // Systems report a change more than once, and reading a file may count as one.
    if (time === this.#files.get(file)) return;
    if (isKnown) this.#files.set(file, time);
    this.#onChange(file);
  }

  #forget(folder: string): void {
    this.#folders.get(folder)?.close();
    this.#folders.delete(folder);
  }
}

/** 0 if the file does not exist. */
function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
