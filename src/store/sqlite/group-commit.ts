import type { A2AError } from '../../errors.ts';
import { type Connection, getNumber } from './connection.ts';
import { Disk } from './disk.ts';
import { RESULT, toCommitError, toStoreError, troubleOf } from './failure.ts';
import type { Sync } from './log-sync.ts';

/**
 * A flush ends after so many writes or so much work, whichever comes first, and lets the loop have its turn. Where a
 * commit takes longer than that, the work before it may take as long: on a slow disk that is 1.4 times the writes, and
 * each of them waits for fewer commits.
 */
const MAX_WRITES = 256;
const WORK_MS = 2;
const MAX_WORK_MS = 10;
/** Below this a write that is alone is put on the disk in its own turn of the loop: to another thread and back takes longer. */
const QUICK_MS = 1;
/** How often writes look whether another program has let go of the file. */
const LOOK_AGAIN_MS = 50;

/** Taken at the start, before a test can put a false one in its place. */
const { setImmediate: nextTurn, setTimeout: later, performance: timer } = globalThis;

interface Pending {
  /** May run twice, so it changes nothing but the database and what `undone` can mend. */
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
  /** Runs first in every transaction; what it throws fails all of it. */
  readonly check: () => void;
  /** Runs last in every transaction, and after each write that runs alone: writes what was put off until then. */
  readonly finish?: () => void;
  /** Hears that writes which have run were taken back, all or one of them. */
  readonly undone?: () => void;
  /** Called with the error of a transaction that failed. */
  readonly failed?: (error: unknown) => void;
  /** Puts what is committed on the disk. Without it a commit has done so. */
  readonly sync?: Sync;
  /** How long writes wait for another program that has locked the file. */
  readonly patienceMs?: number;
  /** How long they wait for those before them to get onto the disk. */
  readonly stallMs?: number | undefined;
}

/** What became of the writes of a transaction. */
interface Committed {
  readonly batch: readonly Pending[];
  /** Those that failed, with why. */
  readonly failed: ReadonlyMap<Pending, A2AError>;
  /** Whether there is something to be put on the disk. */
  readonly isChanged: boolean;
}

/**
 * Puts the writes of one turn of the event loop into one transaction: fsync is by far the dearest part of a write, and
 * this way many share one. A turn's writes gather until its check phase (`setImmediate`), so nobody waits for a timer.
 *
 *     submit ──► queue ──► BEGIN ─ write ─ write ─ … ─ COMMIT ──► sync ──► promises resolve
 *                  ▲                                     │          │ fails: nobody can say what is stored, all is refused
 *                  │                                     │ fails: all of them reject, nothing of it is stored
 *                  └──── what did not fit, or came meanwhile: the turn after it
 *
 * A flush is synchronous from BEGIN to COMMIT. So no read on the same connection can fall in between and see what is not
 * yet committed. It can see what is not yet on the disk, and has to wait for that (`disk.synced`) before it tells anybody.
 * The loop goes on meanwhile, so that handlers are not held up, and what they say until then is one write and not many.
 */
export class GroupCommit {
  readonly #connection: Connection;
  readonly #check: () => void;
  readonly #finish: () => void;
  readonly #undone: () => void;
  readonly #failed: (error: unknown) => void;
  readonly #patienceMs: number;
  /** Whether what is committed is where it is safe. */
  readonly disk: Disk;
  #queue: Pending[] = [];
  /** Since when the first of them waits. */
  #since = 0;
  #isScheduled = false;
  /** How many rows were ever changed, as SQLite counts them. */
  #changes = 0;
  #commitStart = 0;
  #lastCommitMs = 0;
  #onDrained: (() => void) | undefined;

  constructor(connection: Connection, options: GroupCommitOptions) {
    const { check, finish = () => {}, undone = () => {}, failed = () => {}, patienceMs = 5000 } = options;
    this.#connection = connection;
    this.#check = check;
    this.#finish = finish;
    this.#undone = undone;
    this.#failed = failed;
    this.#patienceMs = patienceMs;
    this.disk = new Disk({ sync: options.sync, stallMs: options.stallMs, onStalled: (error) => this.#failAll(error) });
  }

  /**
   * Resolves with what `work` returned once that is committed. What it throws fails this write alone; all or nothing of
   * it is stored. `committed` runs right after the commit, before anybody hears of any of its writes.
   */
  submit<T>(work: () => T, committed?: (result: T) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#queue.length === 0) this.#since = timer.now();
      this.#queue.push(new Submitted(work, committed, resolve, reject));
      this.#schedule();
    });
  }

  /** Resolves when nothing waits any more. */
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
    // Refusals and repeats have changed nothing, and all before them is there.
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
      // Patience is for other programs, and begins when it is known whether there is one.
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
      // A write that throws is rare, and savepoints cost an eighth of a write: only now, all again with savepoints.
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

  /** Says how many ran, or nothing if one of them threw. */
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
      this.#undone();
    }
    this.#connection.exec('RELEASE one');
  }

  #rollback(): void {
    this.#connection.rollback();
    this.#undone();
  }

  /** A lock passes; waiting for it must not hold up the loop. Anything else fails all that waits. */
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
