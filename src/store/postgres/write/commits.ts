import { nextTurn, systemScheduler } from '../../../support/time/scheduler.ts';
import { type Batch, BatchWriter } from './batch-writer.ts';
import type { Database } from '../database.ts';
import { isDiskFull, isHeldUp, isRefusal, toCommitError, toStoreError, tooSlow } from '../failure.ts';
import type { Hints } from '../hints/hints.ts';
import { type Job, Jobs, type NewJob, takeLate } from './jobs.ts';
import { COMMIT_CHECK_MS, type Needs } from './transaction.ts';

/** The lock timeout of a single write after its whole batch has already waited for a lock. */
const ALONE_MS = 250;

/**
 * Combines concurrent writes in one transaction. While a transaction is in progress, the next writes are collected. So the cost per
 * write falls with the load.
 */
export class Commits {
  readonly #database: Database;
  readonly #writer: BatchWriter;
  readonly #onFull: () => void;
  readonly #waiting = new Jobs();
  #working: Promise<void> | undefined;
  /** The batch in progress. */
  #batch: Batch | undefined;
  /** The jobs of a failed batch, which are stored one by one. */
  readonly #isolated: Job[] = [];

  /** @param onFull Called when a write failed because the disk is full. */
  constructor(database: Database, hints: Hints, onFull: () => void) {
    this.#database = database;
    this.#onFull = onFull;
    this.#writer = new BatchWriter(database, hints);
  }

  submit<T>(job: NewJob<T>): Promise<T> {
    const {
      taskId,
      isNew,
      isLeaseHolder,
      isBackground,
      key,
      alias,
      nodes,
      isPushed,
      callIds,
      isSilent,
      by,
      size,
      run,
    } = job;
    return new Promise<T>((resolve, reject) => {
      const since = performance.now();
      const kind = { isNew, isLeaseHolder, isBackground, nodes, isPushed, callIds, isSilent };
      const asked = { taskId, ...kind, key, alias, by, size, since, run, resolve, reject };
      this.#waiting.add(asked as Job);
      this.#working ??= this.#work();
    });
  }

  /** Resolves when all writes are stored and their hints sent. */
  async drain(): Promise<void> {
    await this.#working;
    await this.#writer.told();
  }

  async #work(): Promise<void> {
    // Collects the other writes of this turn of the loop: timers and sockets often produce several at once.
    await nextTurn(systemScheduler);
    const expiryCheck = setInterval(() => this.#rejectExpired(), this.#database.callerMs / 10);
    while (this.#waiting.size > 0) await this.#store(this.#waiting.take());
    clearInterval(expiryCheck);
    this.#working = undefined;
  }

  /**
   * Rejects late jobs, so that a database that hangs does not block jobs that have not started: nothing of them was stored. If the
   * write of a caller may already be stored, it is rejected only after the time in which its outcome would have been queried.
   * Started writes of runs continue.
   */
  #rejectExpired(): void {
    const batch = this.#batch;
    const late = [...this.#waiting.takeLate(this.#isLate), ...takeLate(this.#isolated, this.#isLate)];
    if (batch?.isRun === true) late.push(...batch.jobs.filter((job) => this.#isGivenUp(job)));
    else if (batch !== undefined)
      late.push(...takeLate(batch.jobs, (job) => job.isBackground !== true && this.#isLate(job)));
    for (const { reject } of late) reject(tooSlow());
  }

  readonly #isLate = ({ isBackground, since }: Job): boolean => {
    const { queueMs, callerMs } = this.#database;
    return performance.now() - since > (isBackground === true ? queueMs : callerMs);
  };

  #isGivenUp({ isBackground, since }: Job): boolean {
    return isBackground !== true && performance.now() - since > this.#database.callerMs + COMMIT_CHECK_MS;
  }

  /** Never rejects. Each job is resolved or rejected. */
  async #store(jobs: Job[], lockMs = this.#database.lockMs, { isAlone = false } = {}): Promise<void> {
    const join = (needs: Needs): readonly Job[] => (isAlone ? [] : this.#waiting.takeCovered(needs, jobs));
    this.#batch = { jobs, lockMs, join };
    const error = await this.#writer.write(this.#batch);
    this.#batch = undefined;
    if (error === undefined) return;
    if (isDiskFull(error)) this.#onFull();
    // A single write that is rejected or has to wait must not fail the others.
    if (jobs.length > 1 && (isRefusal(error) || isHeldUp(error))) {
      await this.#storeEach(jobs, Math.min(lockMs, ALONE_MS));
      return;
    }
    const shown = isRefusal(error) ? toStoreError(error) : toCommitError(error);
    for (const job of jobs) job.reject(shown);
  }

  /** No job joins these transactions, because a later job would be stored before those that still wait. */
  async #storeEach(jobs: readonly Job[], lockMs: number): Promise<void> {
    this.#isolated.push(...jobs);
    for (let job = this.#isolated.shift(); job !== undefined; job = this.#isolated.shift()) {
      if (this.#isLate(job)) job.reject(tooSlow());
      else await this.#store([job], lockMs, { isAlone: true });
    }
  }
}
