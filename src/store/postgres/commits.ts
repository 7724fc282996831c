import type { PoolClient } from 'pg';
import { type Database, giveBack } from './database.ts';
import type { Desk } from './desk.ts';
import { isConnectionLost, isConflict, isHeldUp, toCommitError, toStoreError, tooSlow } from './failure.ts';
import { begin, commit, hasCommitted, type Needs, type Transaction } from './transaction.ts';

/** A write that waits for the next transaction. */
export interface Job<T = unknown> {
  readonly taskId: string;
  readonly key?: string | undefined;
  readonly alias?: string | undefined;
  /** Whether it asks which nodes live. */
  readonly nodes?: boolean;
  /** Runs on what the transaction has locked. Throws before it has changed anything, or not at all. */
  readonly run: (desk: Desk) => T;
  readonly resolve: (result: T) => void;
  readonly reject: (error: unknown) => void;
}

interface Waiting {
  readonly job: Job;
  readonly since: number;
}

/** More than this in one transaction would hold its locks for too long. */
const MAX_JOBS = 256;
/** How long one of several waits for what somebody holds, when all of them have waited for it already. */
const ALONE_MS = 250;

/**
 * Puts the writes of one moment into one transaction, one after the other: while one is on its way, the next ones gather.
 * So the more there is to do, the less each write costs.
 */
export class Commits {
  readonly #database: Database;
  #waiting: Waiting[] = [];
  #working: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  submit<T>(job: Omit<Job<T>, 'resolve' | 'reject'>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ job: { ...job, resolve, reject } as Job, since: performance.now() });
      this.#working ??= this.#work();
    });
  }

  /** Resolves when nothing waits any more. */
  async drain(): Promise<void> {
    await this.#working;
  }

  async #work(): Promise<void> {
    // Whatever else is written in this turn of the loop comes along.
    await Promise.resolve();
    const impatience = setInterval(() => this.#turnAway(), this.#database.queueMs / 10);
    while (this.#waiting.length > 0) {
      const jobs = this.#waiting.splice(0, MAX_JOBS).map(({ job }) => job);
      await this.#store(jobs);
    }
    clearInterval(impatience);
    this.#working = undefined;
  }

  /** A database that hangs must not make those wait who have not even begun. */
  #turnAway(): void {
    const longest = performance.now() - this.#database.queueMs;
    const count = this.#waiting.findIndex(({ since }) => since > longest);
    for (const { job } of this.#waiting.splice(0, count < 0 ? this.#waiting.length : count)) job.reject(tooSlow());
  }

  /** Never rejects: each job learns what became of it. */
  async #store(jobs: readonly Job[], lockMs = this.#database.lockMs): Promise<void> {
    const error = await this.#attempt(jobs, lockMs);
    if (error === undefined) return;
    // One write that the database refuses, or that has to wait, must not take the others with it.
    if (jobs.length > 1 && (isConflict(error) || isHeldUp(error))) {
      for (const job of jobs) await this.#store([job], Math.min(lockMs, ALONE_MS));
      return;
    }
    const shown = isConflict(error) ? toStoreError(error) : toCommitError(error);
    for (const job of jobs) job.reject(shown);
  }

  /** Gives what went wrong, if anything did. */
  async #attempt(jobs: readonly Job[], lockMs: number): Promise<unknown> {
    let client: PoolClient;
    try {
      client = await this.#database.pool.connect();
    } catch (error) {
      return error;
    }
    let answers: readonly (() => void)[] = [];
    let begun: Transaction | undefined;
    try {
      begun = await begin(client, this.#database, needsOf(jobs), lockMs);
      const { desk } = begun;
      answers = jobs.map((job) => answerOf(job, desk));
      await commit(client, this.#database, desk);
      client.release();
    } catch (error) {
      await giveBack(client, error);
      if (begun === undefined || !isConnectionLost(error)) return error;
      if (!(await hasCommitted(this.#database, begun))) return error;
    }
    for (const answer of answers) answer();
    return undefined;
  }
}

/** Runs a job, and gives what tells its sender once it is stored. */
function answerOf(job: Job, desk: Desk): () => void {
  try {
    const result = job.run(desk);
    return () => job.resolve(result);
  } catch (error) {
    return () => job.reject(error);
  }
}

function needsOf(jobs: readonly Job[]): Needs {
  const taskIds = new Set<string>();
  const keys = new Set<string>();
  const aliases = new Set<string>();
  let nodes = false;
  for (const job of jobs) {
    taskIds.add(job.taskId);
    if (job.key !== undefined) keys.add(job.key);
    if (job.alias !== undefined) aliases.add(job.alias);
    nodes ||= job.nodes === true;
  }
  return { taskIds, keys, aliases, nodes };
}
