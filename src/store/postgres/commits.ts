import { nextTurn, systemScheduler } from '../../support/scheduler.ts';
import { type Batch, BatchWriter } from './batch-writer.ts';
import type { Database } from './database.ts';
import { isDiskFull, isHeldUp, isRefusal, toCommitError, toStoreError, tooSlow } from './failure.ts';
import type { Hints } from './hints.ts';
import { type Job, Jobs, type NewJob, takeLate } from './jobs.ts';
import { DOUBT_MS, type Needs } from './transaction.ts';

/** How long one of several waits for what somebody holds, when all of them have waited for it already. */
const ALONE_MS = 250;

/**
 * Puts the writes of one moment into one transaction, one after the other: while one is on its way, the next ones gather.
 * So the more there is to do, the less each write costs.
 */
export class Commits {
  readonly #database: Database;
  readonly #writer: BatchWriter;
  readonly #onFull: () => void;
  readonly #waiting = new Jobs();
  #working: Promise<void> | undefined;
  /** What is on its way. */
  #batch: Batch | undefined;
  /** What could not be stored together, and waits to be stored one by one. */
  readonly #apart: Job[] = [];

  /** @param onFull Called when there was no room for a write. */
  constructor(database: Database, hints: Hints, onFull: () => void) {
    this.#database = database;
    this.#onFull = onFull;
    this.#writer = new BatchWriter(database, hints);
  }

  submit<T>(job: NewJob<T>): Promise<T> {
    const { taskId, isNew, isHolders, isPatient, key, alias, nodes, isPushed, by, size, run } = job;
    return new Promise<T>((resolve, reject) => {
      const since = performance.now();
      const kind = { isNew, isHolders, isPatient, nodes, isPushed };
      const asked = { taskId, ...kind, key, alias, by, size, since, run, resolve, reject };
      this.#waiting.add(asked as Job);
      this.#working ??= this.#work();
    });
  }

  /** Resolves when nothing waits any more. */
  async drain(): Promise<void> {
    await this.#working;
    await this.#writer.told();
  }

  async #work(): Promise<void> {
    // Whatever else is written in this turn of the loop comes along: timers and sockets often have several at once.
    await nextTurn(systemScheduler);
    const impatience = setInterval(() => this.#turnAway(), this.#database.callerMs / 10);
    while (this.#waiting.size > 0) await this.#store(this.#waiting.take());
    clearInterval(impatience);
    this.#working = undefined;
  }

  /**
   * A database that hangs must not make those wait who have not even begun: they are told that nothing was stored. Callers
   * whose write may be stored are told when it has been in doubt for as long as it would be asked for; what runs write
   * goes on.
   */
  #turnAway(): void {
    const batch = this.#batch;
    const late = [...this.#waiting.takeLate(this.#isLate), ...takeLate(this.#apart, this.#isLate)];
    if (batch?.isRun === true) late.push(...batch.jobs.filter((job) => this.#isGivenUp(job)));
    else if (batch !== undefined)
      late.push(...takeLate(batch.jobs, (job) => job.isPatient !== true && this.#isLate(job)));
    for (const { reject } of late) reject(tooSlow());
  }

  readonly #isLate = ({ isPatient, since }: Job): boolean => {
    const { queueMs, callerMs } = this.#database;
    return performance.now() - since > (isPatient === true ? queueMs : callerMs);
  };

  #isGivenUp({ isPatient, since }: Job): boolean {
    return isPatient !== true && performance.now() - since > this.#database.callerMs + DOUBT_MS;
  }

  /** Never rejects: each job learns what became of it. */
  async #store(jobs: Job[], lockMs = this.#database.lockMs, { isAlone = false } = {}): Promise<void> {
    const join = (needs: Needs): readonly Job[] => (isAlone ? [] : this.#waiting.takeCovered(needs, jobs));
    this.#batch = { jobs, lockMs, join };
    const error = await this.#writer.write(this.#batch);
    this.#batch = undefined;
    if (error === undefined) return;
    if (isDiskFull(error)) this.#onFull();
    // One write that the database refuses, or that has to wait, must not take the others with it.
    if (jobs.length > 1 && (isRefusal(error) || isHeldUp(error))) {
      await this.#storeEach(jobs, Math.min(lockMs, ALONE_MS));
      return;
    }
    const shown = isRefusal(error) ? toStoreError(error) : toCommitError(error);
    for (const job of jobs) job.reject(shown);
  }

  /** Nobody joins them meanwhile: who comes later would be stored before those that still wait. */
  async #storeEach(jobs: readonly Job[], lockMs: number): Promise<void> {
    this.#apart.push(...jobs);
    for (let job = this.#apart.shift(); job !== undefined; job = this.#apart.shift()) {
      if (this.#isLate(job)) job.reject(tooSlow());
      else await this.#store([job], lockMs, { isAlone: true });
    }
  }
}
