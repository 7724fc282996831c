import type { PoolClient } from 'pg';
import type { Database } from './database.ts';
import { giveBack } from './statements.ts';
import type { Desk } from './desk.ts';
import { isConnectionLost, isConflict, isHeldUp, toCommitError, toStoreError, tooSlow } from './failure.ts';
import type { Change } from './hint-payload.ts';
import type { Hints } from './hints.ts';
import { settled } from '../../support/settled.ts';
import { Jobs, type Job, needsOf, type NewJob } from './jobs.ts';
import { begin, commit, committed, hasCommitted, type Transaction } from './transaction.ts';

/** How long one of several waits for what somebody holds, when all of them have waited for it already. */
const ALONE_MS = 250;

/**
 * Puts the writes of one moment into one transaction, one after the other: while one is on its way, the next ones gather.
 * So the more there is to do, the less each write costs.
 */
export class Commits {
  readonly #database: Database;
  readonly #hints: Hints;
  readonly #waiting = new Jobs();
  #working: Promise<void> | undefined;
  /** Hints of what is committed, which no write waits for. */
  #telling: Promise<unknown> = Promise.resolve();

  constructor(database: Database, hints: Hints) {
    this.#database = database;
    this.#hints = hints;
  }

  submit<T>(job: NewJob<T>): Promise<T> {
    const { taskId, isNew, key, alias, nodes, by, size, run } = job;
    return new Promise<T>((resolve, reject) => {
      const since = performance.now();
      this.#waiting.add({ taskId, isNew, key, alias, nodes, by, size, since, run, resolve, reject } as Job);
      this.#working ??= this.#work();
    });
  }

  /** Resolves when nothing waits any more. */
  async drain(): Promise<void> {
    await this.#working;
    await this.#telling;
  }

  async #work(): Promise<void> {
    // Whatever else is written in this turn of the loop comes along.
    await Promise.resolve();
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
    const error = await this.#attempt(jobs, lockMs, isAlone);
    if (error === undefined) return;
    // One write that the database refuses, or that has to wait, must not take the others with it.
    if (jobs.length > 1 && (isConflict(error) || isHeldUp(error))) {
      await this.#storeEach(jobs, Math.min(lockMs, ALONE_MS));
      return;
    }
    const shown = isConflict(error) ? toStoreError(error) : toCommitError(error);
    for (const job of jobs) job.reject(shown);
  }

  /** Nobody joins them meanwhile: who comes later would be stored before those that still wait. */
  async #storeEach(jobs: readonly Job[], lockMs: number): Promise<void> {
    for (const job of jobs) {
      if (performance.now() - job.since > this.#database.queueMs) job.reject(tooSlow());
      else await this.#store([job], lockMs, { isAlone: true });
    }
  }

  /** Gives what went wrong, if anything did. Those who come in time are added to the jobs, unless they are to be alone. */
  async #attempt(jobs: Job[], lockMs: number, isAlone: boolean): Promise<unknown> {
    let client: PoolClient;
    try {
      client = await this.#database.pool.connect();
    } catch (error) {
      return error;
    }
    const needs = needsOf(jobs);
    const changes: Change[] = [];
    let answers: readonly (() => void)[] = [];
    let begun: Transaction | undefined;
    try {
      begun = await begin(client, this.#database, needs, lockMs);
      const { desk } = begun;
      // What runs say right after they were created comes while the database is asked for the locks.
      if (!isAlone) jobs.push(...this.#waiting.takeCovered(needs, jobs));
      answers = jobs.map((job) => answerOf(job, desk, changes));
      const { isTold } = await commit(client, this.#database, desk, this.#hints.statements(changes, committed(begun)));
      const given = isTold.then(
        () => client.release(),
        (error: unknown) => giveBack(client, error),
      );
      this.#telling = settled([this.#telling, given]);
    } catch (error) {
      await giveBack(client, error);
      if (begun === undefined || !isConnectionLost(error)) return error;
      if (!(await hasCommitted(this.#database, begun))) return error;
      this.#hints.send(changes);
    }
    this.#hints.tellHere(changes);
    for (const answer of answers) answer();
    return undefined;
  }
}

/** Runs a job, and gives what tells its sender once it is stored. */
function answerOf(job: Job, desk: Desk, changes: Change[]): () => void {
  try {
    const { result, hint } = job.run(desk);
    if (hint !== undefined) {
      const { isLeft, progress } = hint;
      changes.push({ taskId: job.taskId, by: job.by, isLeft, progress });
    }
    return () => job.resolve(result);
  } catch (error) {
    return () => job.reject(error);
  }
}
