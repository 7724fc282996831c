import type { PoolClient } from 'pg';
import { settled } from '../../../support/settled.ts';
import { OptimisticTransaction } from './optimistic-transaction.ts';
import type { Database } from '../database.ts';
import { PostgresUnitOfWork, NOTHING_LOCKED } from './unit-of-work.ts';
import { isConflict, isConnectionLost, isOutdated } from '../failure.ts';
import type { Change } from '../hints/hint-payload.ts';
import type { Hints } from '../hints/hints.ts';
import { type Job, needsOf } from './jobs.ts';
import { KnownTasks } from './known-tasks.ts';
import { canSendAhead, giveBack } from '../statements.ts';
import type { FoundTask } from '../task-row.ts';
import { begin, commit, committed, hasCommitted, type Needs, type Transaction } from './transaction.ts';
import { shortNumber } from './commit-probe.ts';

/** Writes for one transaction. */
export interface Batch {
  /** Jobs that have waited too long are removed until the batch runs. */
  readonly jobs: Job[];
  /** Whether the jobs have run. From then on they may be stored. */
  isRun?: boolean;
  readonly lockMs: number;
  /** Returns the jobs that arrived in the meantime and need no further locks. */
  readonly join: (needs: Needs) => readonly Job[];
}

/** Stores batches of writes, each in one transaction, and sends hints about them. */
export class BatchWriter {
  readonly #database: Database;
  readonly #hints: Hints;
  readonly #known = new KnownTasks();
  #client: PoolClient | undefined;
  /** The sending of hints, which no write waits for. */
  #telling: Promise<unknown> = Promise.resolve();

  constructor(database: Database, hints: Hints) {
    this.#database = database;
    this.#hints = hints;
  }

  /** Returns the error if the batch failed. Otherwise each job is resolved or rejected. */
  async write(batch: Batch): Promise<unknown> {
    try {
      const client = await this.#connect();
      const needs = needsOf(batch.jobs);
      const known = this.#known.find(client, needs);
      this.#known.forget(needs.taskIds);
      if (known === undefined) return await this.#writeLocked(client, needs, batch);
      const error = await this.#writeAhead(client, known, batch);
      if (!isOutdated(error) && !isConflict(error)) return error;
      // Another node has written to one of the tasks.
      return await this.#writeLocked(await this.#connect(), needs, batch);
    } catch (error) {
      return error;
    }
  }

  /** Resolves when the hints of all stored writes are sent. */
  async told(): Promise<void> {
    await this.#telling;
  }

  /** One round trip: assumes that the cached tasks are current. */
  async #writeAhead(
    client: PoolClient,
    known: ReadonlyMap<string, FoundTask>,
    { jobs, lockMs }: Batch,
  ): Promise<unknown> {
    const draft = draftOf(jobs, new PostgresUnitOfWork({ ...NOTHING_LOCKED, tasks: known }, this.#database.aboutNow));
    const transaction = new OptimisticTransaction(client, this.#database, known, draft.unit);
    try {
      const { isTold } = await transaction.commit(this.#hints.statements(draft.changes, transaction.condition), lockMs);
      this.#release(client, isTold);
    } catch (error) {
      // If the transaction could not begin, the state of the connection is unknown.
      if (transaction.begun === undefined) client.release(true);
      else await giveBack(client, error);
      if (!(await this.#isStored(transaction.begun, error))) return error;
      this.#hints.send(draft.changes);
    }
    this.#finish(draft, transaction.begun);
    return undefined;
  }

  /** Two round trips: locks and reads first, then writes. */
  async #writeLocked(client: PoolClient, needs: Needs, batch: Batch): Promise<unknown> {
    const { jobs, lockMs, join } = batch;
    let begun: Transaction | undefined;
    let draft: Draft | undefined;
    try {
      begun = await begin(client, this.#database, needs, { lockMs, queryTimeoutMs: this.#answerMs(jobs) });
      // The first outputs of new runs arrive while the locks are requested.
      jobs.push(...join(needs));
      batch.isRun = true;
      draft = draftOf(jobs, begun.unit);
      const hints = this.#hints.statements(draft.changes, committed(begun));
      const statements = begun.unit.statements(this.#database);
      const { isTold } = await commit(client, statements, hints, this.#answerMs(jobs));
      this.#release(client, isTold);
    } catch (error) {
      await giveBack(client, error);
      if (draft === undefined || !(await this.#isStored(begun, error))) return error;
      this.#hints.send(draft.changes);
    }
    this.#finish(draft, begun);
    return undefined;
  }

  /**
   * The timeout of statements if only callers wait, so that a dead connection does not block the next batch. Batches with
   * writes of runs use the longer default, because a run would lose its work.
   */
  #answerMs(jobs: readonly Job[]): number | undefined {
    return jobs.some(({ isBackground }) => isBackground === true) ? undefined : this.#database.queryTimeoutMs;
  }

  /** Whether the transaction was committed despite the error. */
  async #isStored(begun: Transaction | undefined, error: unknown): Promise<boolean> {
    return begun !== undefined && isConnectionLost(error) && hasCommitted(this.#database, begun);
  }

  /** The connection of the previous batch, if it is still sending hints. The next batch is pipelined after them. */
  async #connect(): Promise<PoolClient> {
    const telling = this.#client;
    this.#client = undefined;
    return telling ?? this.#database.pool.connect();
  }

  /** Releases a connection after its hints are sent, unless the next batch has taken it over. */
  #release(client: PoolClient, isTold: Promise<unknown>): void {
    if (canSendAhead(client)) this.#client = client;
    const free = async (error?: unknown): Promise<void> => {
      if (canSendAhead(client) && this.#client !== client) return;
      this.#client = undefined;
      if (error === undefined) client.release();
      else await giveBack(client, error);
    };
    const given = isTold.then(() => free(), free);
    this.#telling = settled([this.#telling, given]);
  }

  #finish({ unit, changes, answers }: Draft, begun: Transaction | undefined): void {
    if (begun !== undefined) this.#remember(unit, changes, shortNumber(begun.id));
    this.#hints.tellHere(changes);
    for (const answer of answers) answer();
  }

  /** Caches the tasks that the writer itself runs. */
  #remember(unit: PostgresUnitOfWork, changes: readonly Change[], version: string): void {
    for (const { taskId, by } of changes) {
      const task = unit.left(taskId, version);
      if (task !== undefined && task.record.node === by) this.#known.keep(task);
    }
  }
}

/** Writes that have run but are not stored, with the responses to send once they are. */
interface Draft {
  readonly unit: PostgresUnitOfWork;
  readonly changes: readonly Change[];
  readonly answers: readonly (() => void)[];
}

function draftOf(jobs: readonly Job[], unit: PostgresUnitOfWork): Draft {
  const changes: Change[] = [];
  return { unit, changes, answers: jobs.map((job) => answerOf(job, unit, changes)) };
}

/** Runs a job. Returns the function that settles its promise once it is stored. */
function answerOf(job: Job, unit: PostgresUnitOfWork, changes: Change[]): () => void {
  try {
    const { result, hint } = unit.run(job.run);
    if (hint !== undefined && job.isSilent !== true) {
      changes.push({ taskId: job.taskId, by: job.by, ...hint });
    }
    return () => job.resolve(result);
  } catch (error) {
    return () => job.reject(error);
  }
}
