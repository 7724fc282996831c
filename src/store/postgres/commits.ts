import { nextTurn, systemScheduler } from '../../support/scheduler.ts';
import { BatchWriter } from './batch-writer.ts';
import type { Database } from './database.ts';
import { isHeldUp, isRefusal, toCommitError, toStoreError, tooSlow } from './failure.ts';
import type { Hints } from './hints.ts';
import { Jobs, type Job, type NewJob } from './jobs.ts';
import type { Needs } from './transaction.ts';

/** How long one of several waits for what somebody holds, when all of them have waited for it already. */
const ALONE_MS = 250;

/**
 * Puts the writes of one moment into one transaction, one after the other: while one is on its way, the next ones gather.
 * So the more there is to do, the less each write costs.
 */
export class Commits {
  readonly #database: Database;
  readonly #writer: BatchWriter;
  readonly #waiting = new Jobs();
  #working: Promise<void> | undefined;

  constructor(database: Database, hints: Hints) {
    this.#database = database;
    this.#writer = new BatchWriter(database, hints);
  }

  submit<T>(job: NewJob<T>): Promise<T> {
    const { taskId, isNew, isHolders, key, alias, nodes, isPushed, by, size, run } = job;
    return new Promise<T>((resolve, reject) => {
      const since = performance.now();
      const asked = { taskId, isNew, isHolders, key, alias, nodes, isPushed, by, size, since, run, resolve, reject };
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
    const impatience = setInterval(() => this.#turnAway(), this.#database.queueMs / 10);
    while (this.#waiting.size > 0) await this.#store(this.#waiting.take());
    clearInterval(impatience);
    this.#working = undefined;
  }

  /** A database that hangs must not make those wait who have not even begun. */
  #turnAway(): void {
    for (const { reject } of this.#waiting.takeFrom(performance.now() - this.#database.queueMs)) reject(tooSlow());
  }

  /** Never rejects: each job learns what became of it. */
  async #store(jobs: Job[], lockMs = this.#database.lockMs, { isAlone = false } = {}): Promise<void> {
    const join = (needs: Needs): readonly Job[] => (isAlone ? [] : this.#waiting.takeCovered(needs, jobs));
    const error = await this.#writer.write({ jobs, lockMs, join });
    if (error === undefined) return;
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
    for (const job of jobs) {
      if (performance.now() - job.since > this.#database.queueMs) job.reject(tooSlow());
      else await this.#store([job], lockMs, { isAlone: true });
    }
  }
}
