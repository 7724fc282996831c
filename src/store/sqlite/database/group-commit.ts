import type { A2AError } from '../../../errors.ts';
import { type Connection, getNumber } from './connection.ts';
import { Disk } from './disk.ts';
import { RESULT, toCommitError, toStoreError, troubleOf } from './failure.ts';
import type { Sync } from './log-sync.ts';

/**
 * A flush ends after this many writes or this much work, whichever comes first, and yields to the event loop. If a commit takes
 * longer than that, the work before it may take as long as the commit: on a slow disk this gives 1.4 times the writes, and each
 * write waits for fewer commits.
 */
const MAX_WRITES = 256;
const WORK_MS = 2;
const MAX_WORK_MS = 10;
/** If commits are faster than this, a single write is synced in the same turn of the loop, because a thread switch takes longer. */
const QUICK_MS = 1;
/** How often a flush retries while another program has locked the file. */
const LOOK_AGAIN_MS = 50;

/** Captured on load, before a test can install fake timers. */
const { setImmediate: nextTurn, setTimeout: later, performance: timer } = globalThis;

interface Pending {
  /** May run twice, so it must change only the database and state that `onRollback` resets. */
  run(): void;
  committed(): void;
  succeed(): void;
  readonly fail: (error: A2AError) => void;
}

class Submitted<T> implements Pending {
  readonly #work: () => T;
  readonly #onCommitted: ((result: T) => void) | undefined;
  readonly #resolve: (result: T) => void;
  readonly fail: (error: A2AError) => void;
  #result: T | undefined;

  constructor(
    work: () => T,
    onCommitted: ((result: T) => void) | undefined,
    resolve: (result: T) => void,
    reject: (error: A2AError) => void,
  ) {
    this.#work = work;
    this.#onCommitted = onCommitted;
    this.#resolve = resolve;
    this.fail = reject;
  }

  run(): void {
    this.#result = this.#work();
  }

  committed(): void {
    this.#onCommitted?.(this.#result as T);
  }

  succeed(): void {
    this.#resolve(this.#result as T);
  }
}

export interface GroupCommitOptions {
  /** Runs first in every transaction. If it throws, the whole transaction fails. */
  readonly check: () => void;
  /** Runs last in every transaction, and after each write with its own savepoint: writes deferred changes. */
  readonly finish?: () => void;
  /** Called when one or all writes of a transaction were rolled back. */
  readonly onRollback?: () => void;
  /** Called with the error of a transaction that failed. */
  readonly failed?: (error: unknown) => void;
  /** Syncs committed data to the disk. Without it, a commit includes the sync. */
  readonly sync?: Sync;
  /** How long writes wait while another program has locked the file. */
  readonly busyTimeoutMs?: number;
  /** How long writes wait for the sync of earlier writes. */
  readonly stallMs?: number | undefined;
}

/** The outcome of a transaction. */
interface Committed {
  readonly batch: readonly Pending[];
  /** The failed writes with their errors. */
  readonly failed: ReadonlyMap<Pending, A2AError>;
  /** Whether the transaction changed anything that must be synced. */
  readonly isChanged: boolean;
}

/**
 * Puts the writes of one turn of the event loop into one transaction: fsync is by far the most expensive part of a write, and
 * this way many writes share one. The writes of a turn are collected until its check phase (`setImmediate`), so none waits for a
 * timer.
 *
 *     submit ──► queue ──► BEGIN ─ write ─ write ─ … ─ COMMIT ──► sync ──► promises resolve
 *                  ▲                                     │          │ fails: the outcome is unknown, all later calls fail
 *                  │                                     │ fails: all of them reject, nothing is stored
 *                  └──── writes that did not fit or came meanwhile: the next turn
 *
 * A flush is synchronous from BEGIN to COMMIT, so no read on the same connection can see uncommitted data. A read can see data
 * that is not yet on the disk, and has to wait for the sync (`disk.synced`) before it returns. The event loop continues meanwhile,
 * so that handlers are not blocked, and their outputs until then become one write instead of many.
 */
export class GroupCommit {
  readonly #connection: Connection;
  readonly #check: () => void;
  readonly #finish: () => void;
  readonly #onRollback: () => void;
  readonly #failed: (error: unknown) => void;
  readonly #patienceMs: number;
  /** Whether committed data is durable. */
  readonly disk: Disk;
  #queue: Pending[] = [];
  /** When the first write of the queue was submitted. */
  #since = 0;
  #isScheduled = false;
  /** The value of `total_changes()` after the last transaction. */
  #changes = 0;
  #commitStart = 0;
  #lastCommitMs = 0;
  #onDrained: (() => void) | undefined;

  constructor(connection: Connection, options: GroupCommitOptions) {
    const { check, finish = () => {}, onRollback = () => {}, failed = () => {}, busyTimeoutMs = 5000 } = options;
    this.#connection = connection;
    this.#check = check;
    this.#finish = finish;
    this.#onRollback = onRollback;
    this.#failed = failed;
    this.#patienceMs = busyTimeoutMs;
    this.disk = new Disk({ sync: options.sync, stallMs: options.stallMs, onStalled: (error) => this.#failAll(error) });
  }

  /**
   * Resolves with the result of `work` after the commit and the sync. If `work` throws, only this write fails and nothing of it is
   * stored. `committed` runs right after the commit, before any promise of its writes settles.
   */
  submit<T>(work: () => T, committed?: (result: T) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#queue.length === 0) this.#since = timer.now();
      this.#queue.push(new Submitted(work, committed, resolve, reject));
      this.#schedule();
    });
  }

  /** Resolves when the queue is empty and no sync is running. */
  async drain(): Promise<void> {
    if (this.#queue.length > 0 || this.disk.isBusy) await new Promise<void>((resolve) => (this.#onDrained = resolve));
  }

  #schedule(): void {
    if (this.#isScheduled || this.disk.isBusy) return;
    this.#isScheduled = true;
    nextTurn(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    try {
      this.#connection.exec('BEGIN IMMEDIATE');
    } catch (error) {
      this.#beginFailed(error);
      return;
    }
    const { batch, failed, isChanged } = this.#commit();
    this.#queue.splice(0, batch.length);
    if (this.#queue.length > 0) this.#since = timer.now();
    for (const one of batch) {
      if (!failed.has(one)) one.committed();
    }
    // Failed guards and repeats changed nothing, and all earlier writes are synced.
    if (!isChanged) {
      this.#settle(batch, failed);
      return;
    }
    const isUrgent = batch.length === 1 && this.#queue.length === 0 && this.#lastCommitMs < QUICK_MS;
    this.disk.put(isUrgent, (error) => {
      if (error === undefined) {
        this.#lastCommitMs = timer.now() - this.#commitStart;
        this.#settle(batch, failed);
      } else {
        this.#queue.unshift(...batch);
        this.#failAll(error);
      }
    });
  }

  #settle(batch: readonly Pending[], failed: ReadonlyMap<Pending, A2AError>): void {
    if (this.#queue.length > 0) {
      // The busy timeout is for other programs. It starts with the first attempt to begin a transaction.
      this.#since = timer.now();
      this.#schedule();
    }
    for (const one of batch) {
      const error = failed.size === 0 ? undefined : failed.get(one);
      if (error === undefined) one.succeed();
      else one.fail(error);
    }
    this.#tellDrained();
  }

  /** Runs as many writes as fit and commits them. */
  #commit(): Committed {
    const changes = this.#changes;
    const failed = new Map<Pending, A2AError>();
    let batch: readonly Pending[] = this.#queue.slice(0, MAX_WRITES);
    try {
      this.#check();
      const done = this.#runAll(batch);
      // Writes rarely throw, and a savepoint costs an eighth of a write. So savepoints are used only now, in a second run.
      if (done === undefined) {
        this.#rollback();
        this.#connection.exec('BEGIN IMMEDIATE');
        this.#check();
        for (const one of batch) this.#runAlone(one, failed);
      } else {
        batch = batch.slice(0, done);
      }
      this.#changes = getNumber(this.#connection, 'SELECT total_changes()');
      this.#commitStart = timer.now();
      this.#connection.exec('COMMIT');
    } catch (error) {
      this.#rollback();
      this.#failed(error);
      for (const one of batch) failed.set(one, toCommitError(error));
      return { batch, failed, isChanged: false };
    }
    return { batch, failed, isChanged: this.#changes !== changes };
  }

  /** Returns how many writes ran, or undefined if one of them threw. */
  #runAll(batch: readonly Pending[]): number | undefined {
    const end = timer.now() + Math.min(Math.max(WORK_MS, this.#lastCommitMs), MAX_WORK_MS);
    let done = 0;
    try {
      for (const one of batch) {
        one.run();
        done += 1;
        if (timer.now() > end) break;
      }
      this.#finish();
    } catch {
      return undefined;
    }
    return done;
  }

  #runAlone(one: Pending, failed: Map<Pending, A2AError>): void {
    this.#connection.exec('SAVEPOINT one');
    try {
      one.run();
      this.#finish();
    } catch (error) {
      if (troubleOf(error) !== undefined) throw error;
      failed.set(one, toStoreError(error));
      this.#connection.exec('ROLLBACK TO one');
      this.#onRollback();
    }
    this.#connection.exec('RELEASE one');
  }

  #rollback(): void {
    this.#connection.rollback();
    this.#onRollback();
  }

  /** Retries on a lock, without blocking the event loop. Any other error fails all writes of the queue. */
  #beginFailed(error: unknown): void {
    const waited = timer.now() - this.#since;
    if (troubleOf(error) === RESULT.BUSY && waited < this.#patienceMs) {
      this.#isScheduled = true;
      later(() => this.#flush(), LOOK_AGAIN_MS);
      return;
    }
    this.#failAll(toCommitError(error));
  }

  #failAll(error: A2AError): void {
    for (const one of this.#queue.splice(0)) one.fail(error);
    this.#tellDrained();
  }

  #tellDrained(): void {
    if (this.#queue.length > 0 || this.disk.isBusy) return;
    this.#onDrained?.();
    this.#onDrained = undefined;
  }
}
