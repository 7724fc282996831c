import type { A2AError } from '../../../errors.ts';
import { type Deferred, deferred } from '../../../support/deferred.ts';
import { toStalledError, toSyncError } from './failure.ts';
import type { Sync } from './log-sync.ts';

/** How long a sync may take before waiting calls fail. */
const STALL_MS = 10_000;

/** Captured on load, before a test can install fake timers. */
const { setTimeout: later, clearTimeout: never } = globalThis;

export interface DiskOptions {
  /** Syncs committed data to the disk. Without it, a commit includes the sync. */
  readonly sync?: Sync | undefined;
  readonly stallMs?: number | undefined;
  /** Called when the disk stalls, to fail the writes in the queue. */
  readonly onStalled: (error: A2AError) => void;
}

/** Syncs commits to the disk, one at a time, and tracks whether committed data is durable. */
export class Disk {
  readonly #sync: Sync | undefined;
  readonly #stallMs: number;
  readonly #onStalled: (error: A2AError) => void;
  #isBusy = false;
  #onIdle: Deferred<void> | undefined;
  #failure: A2AError | undefined;
  #stall: A2AError | undefined;

  constructor({ sync, stallMs = STALL_MS, onStalled }: DiskOptions) {
    this.#sync = sync;
    this.#stallMs = stallMs;
    this.#onStalled = onStalled;
  }

  /** Whether a sync is running. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Why all reads and writes fail from now on. */
  get failure(): A2AError | undefined {
    return this.#failure;
  }

  /** Why reads and writes fail until the disk responds again. */
  get stall(): A2AError | undefined {
    return this.#stall;
  }

  /** Makes all reads and writes fail from now on, including those in progress. */
  fail(error: A2AError): void {
    this.#failure ??= error;
  }

  /** Resolves when all committed data is on the disk. Undefined if it already is. */
  synced(): Promise<void> | undefined {
    return this.#isBusy ? (this.#onIdle ??= deferred<void>()).promise : undefined;
  }

  /**
   * Syncs committed data and then calls `done`, with the error if the sync failed.
   *
   * @param isUrgent Whether to sync in this turn of the event loop.
   */
  put(isUrgent: boolean, done: (error: A2AError | undefined) => void): void {
    if (this.#sync === undefined) {
      done(undefined);
      return;
    }
    this.#isBusy = true;
    const stalling = isUrgent ? undefined : later(() => this.#stalled(), this.#stallMs);
    stalling?.unref();
    this.#sync(isUrgent, (error) => {
      never(stalling);
      this.#isBusy = false;
      this.#stall = undefined;
      // The system may have dropped the data and reports that only once, so a second sync would prove nothing.
      if (error) this.#failure ??= toSyncError(error);
      done(this.#failure);
      this.#tellReaders(this.#failure);
    });
  }

  /** The sync may still succeed, so its own writes keep waiting. All other calls fail. */
  #stalled(): void {
    this.#stall = toStalledError();
    this.#onStalled(this.#stall);
    this.#tellReaders(this.#stall);
  }

  #tellReaders(error: A2AError | undefined): void {
    if (error === undefined) this.#onIdle?.resolve();
    else this.#onIdle?.reject(error);
    this.#onIdle = undefined;
  }
}
