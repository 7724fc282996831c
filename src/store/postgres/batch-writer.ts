import type { PoolClient } from 'pg';
import { settled } from '../../support/settled.ts';
import { TransactionAhead } from './ahead.ts';
import type { Database } from './database.ts';
import { Desk, NOTHING_LOCKED } from './desk.ts';
import { isConflict, isConnectionLost, isOutdated } from './failure.ts';
import type { Change } from './hint-payload.ts';
import type { Hints } from './hints.ts';
import { type Job, needsOf } from './jobs.ts';
import { KnownTasks } from './known-tasks.ts';
import { canSendAhead, giveBack } from './statements.ts';
import type { FoundTask } from './task-row.ts';
import { begin, commit, committed, hasCommitted, type Needs, type Transaction } from './transaction.ts';
import { shortNumber } from './witness.ts';

/** Writes for one transaction. */
export interface Batch {
  /** Until they are run, those that have waited for too long are taken out. */
  readonly jobs: Job[];
  /** Whether they are run: from then on they may be stored. */
  isRun?: boolean;
  readonly lockMs: number;
  /** Those who have come meanwhile and need nothing that is not locked already. */
  readonly join: (needs: Needs) => readonly Job[];
}

/** Stores batches of writes, each in one transaction, and tells of them. */
export class BatchWriter {
  readonly #database: Database;
  readonly #hints: Hints;
  readonly #known = new KnownTasks();
  #client: PoolClient | undefined;
  /** Hints of what is committed, which no write waits for. */
  #telling: Promise<unknown> = Promise.resolve();

  constructor(database: Database, hints: Hints) {
    this.#database = database;
    this.#hints = hints;
  }

  /** Gives what went wrong, if anything did. Else each job has its answer. */
  async write(batch: Batch): Promise<unknown> {
    try {
      const client = await this.#connect();
      const needs = needsOf(batch.jobs);
      const known = this.#known.find(client, needs);
      this.#known.forget(needs.taskIds);
      if (known === undefined) return await this.#writeLocked(client, needs, batch);
      const error = await this.#writeAhead(client, known, batch);
      if (!isOutdated(error) && !isConflict(error)) return error;
      // Somebody else has written to one of the tasks.
      return await this.#writeLocked(await this.#connect(), needs, batch);
    } catch (error) {
      return error;
    }
  }

  /** Resolves when all is told that was stored by now. */
  async told(): Promise<void> {
    await this.#telling;
  }

  /** In one round trip: the tasks are taken to be as they were left. */
  async #writeAhead(
    client: PoolClient,
    known: ReadonlyMap<string, FoundTask>,
    { jobs, lockMs }: Batch,
  ): Promise<unknown> {
    const draft = draftOf(jobs, new Desk({ ...NOTHING_LOCKED, tasks: known }, this.#database.aboutNow));
    const transaction = new TransactionAhead(client, this.#database, known, draft.desk);
    try {
      const { isTold } = await transaction.commit(this.#hints.statements(draft.changes, transaction.proof), lockMs);
      this.#release(client, isTold);
    } catch (error) {
      // One that could not begin may have left its connection in any state.
      if (transaction.begun === undefined) client.release(true);
      else await giveBack(client, error);
      if (!(await this.#isStored(transaction.begun, error))) return error;
      this.#hints.send(draft.changes);
    }
    this.#finish(draft, transaction.begun);
    return undefined;
  }

  /** In two: looks first, with all locked that the writes need. */
  async #writeLocked(client: PoolClient, needs: Needs, batch: Batch): Promise<unknown> {
    const { jobs, lockMs, join } = batch;
    let begun: Transaction | undefined;
    let draft: Draft | undefined;
    try {
      begun = await begin(client, this.#database, needs, { lockMs, answerMs: this.#answerMs(jobs) });
      // What runs say right after they were created comes while the database is asked for the locks.
      jobs.push(...join(needs));
      batch.isRun = true;
      draft = draftOf(jobs, begun.desk);
      const hints = this.#hints.statements(draft.changes, committed(begun));
      const statements = begun.desk.statements(this.#database);
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

  /** Where only callers wait, the next one shall not wait for a connection that is dead: a run would lose its work by that. */
  #answerMs(jobs: readonly Job[]): number | undefined {
    return jobs.some(({ isPatient }) => isPatient === true) ? undefined : this.#database.answerMs;
  }

  /** Whether it was stored after all, although there was an error. */
  async #isStored(begun: Transaction | undefined, error: unknown): Promise<boolean> {
    return begun !== undefined && isConnectionLost(error) && hasCommitted(this.#database, begun);
  }

  /** The connection of the batch before, if hints are still on their way there: what comes next is sent behind them. */
  async #connect(): Promise<PoolClient> {
    const telling = this.#client;
    this.#client = undefined;
    return telling ?? this.#database.pool.connect();
  }

  /** Gives a connection back when nothing is on its way there any more, unless the next batch has it by then. */
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

  #finish({ desk, changes, answers }: Draft, begun: Transaction | undefined): void {
    if (begun !== undefined) this.#remember(desk, changes, shortNumber(begun.id));
    this.#hints.tellHere(changes);
    for (const answer of answers) answer();
  }

  /** Those that are run by who has written. */
  #remember(desk: Desk, changes: readonly Change[], version: string): void {
    for (const { taskId, by } of changes) {
      const task = desk.left(taskId, version);
      if (task !== undefined && task.record.node === by) this.#known.keep(task);
    }
  }
}

/** Writes that have run, and what to say once what they left on the desk is stored. */
interface Draft {
  readonly desk: Desk;
  readonly changes: readonly Change[];
  readonly answers: readonly (() => void)[];
}

function draftOf(jobs: readonly Job[], desk: Desk): Draft {
  const changes: Change[] = [];
  return { desk, changes, answers: jobs.map((job) => answerOf(job, desk, changes)) };
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
