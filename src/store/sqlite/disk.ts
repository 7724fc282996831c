import type { A2AError } from '../../errors.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import { toStalledError, toSyncError } from './failure.ts';
import type { Sync } from './log-sync.ts';

/** How long a disk may take before nobody is kept waiting for it any more. */
const STALL_MS = 10_000;

/** Taken at the start, before a test can put a false one in its place. */
const { setTimeout: later, clearTimeout: never } = globalThis;

export interface DiskOptions {
  /** Puts what is committed on the disk. Without it a commit has done so. */
  readonly sync?: Sync | undefined;
  readonly stallMs?: number | undefined;
  /** Hears that the disk does not answer, for those who wait for their turn. */
  readonly onStalled: (error: A2AError) => void;
}

/** Where commits go, one after the other; and whether what is committed is there yet. */
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

  /** Whether it writes. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Why nothing can be written or told any more. */
  get failure(): A2AError | undefined {
    return this.#failure;
  }

  /** Why nothing can be written or told until it answers again. */
  get stall(): A2AError | undefined {
    return this.#stall;
  }

  /** From now on all writes and reads fail, those that are under way too. */
  fail(error: A2AError): void {
    this.#failure ??= error;
  }

  /** Resolves when all that is committed is there; nothing if it is. */
  synced(): Promise<void> | undefined {
    return this.#isBusy ? (this.#onIdle ??= deferred<void>()).promise : undefined;
  }

  /**
   * Puts there what is committed, and then calls `done`, with what went wrong if something did.
   *
   * @param isUrgent Whether to do so in this turn of the loop.
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
      // The system may have dropped what it could not write, and says so only once: to try again would prove nothing.
      if (error) this.#failure ??= toSyncError(error);
      done(this.#failure);
      this.#tellReaders(this.#failure);
    });
  }

  /** What is on its way may still get there, so those who wrote it wait on. All others need not. */
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
