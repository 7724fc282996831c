import type { Pool, PoolClient } from 'pg';
import { isSpent } from '../failure.ts';
import { isDirectConnection, noteBackendPid, type Row, run, type Statement } from '../statements.ts';

/** The maximum number of reads in one batch. More would wait too long for each other. */
const MAX_TOGETHER = 64;

/** Without sequential scans a plan may have a high estimated cost, which is not worth JIT compilation. */
const FOR_KEYS = "SELECT set_config('enable_seqscan', 'off', false), set_config('jit', 'off', false)";

interface Question {
  readonly statement: Statement;
  /** When it was submitted, by the monotonic clock. */
  readonly since: number;
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches fast reads on connections that the store owns. All reads of one turn of the event loop share a connection and a round
 * trip: after a hint each subscriber reads a task and its events, and a hint often announces many tasks.
 */
export class ReadBatcher {
  readonly #pool: Pool;
  /** The connections that are prepared for named statements. */
  readonly #met = new WeakSet<PoolClient>();
  #waiting: Question[] = [];

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  ask(statement: Statement): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statement, since: performance.now(), resolve, reject });
      if (this.#waiting.length % MAX_TOGETHER === 1) void this.#askTogether();
    });
  }

  /** Never rejects. Each read is resolved or rejected. */
  async #askTogether(): Promise<void> {
    const begunAt = performance.now();
    let client: PoolClient;
    try {
      // Takes at least until the end of this turn, so that later reads of the turn join.
      client = await this.#pool.connect();
    } catch (error) {
      this.#fail(error, begunAt);
      return;
    }
    const isMet = this.#met.has(client);
    const answers = this.#take().map((question) => answered(client, question, isMet));
    if (!isMet) answers.push(this.#meet(client));
    const failures = await Promise.all(answers);
    client.release(failures.some((error) => error !== undefined && isSpent(error)));
  }

  /** Rejects the reads that waited for this connection. Later reads are tried again with another connection. */
  #fail(error: unknown, begunAt: number): void {
    const questions = this.#take();
    const others = questions.filter(({ since }) => since > begunAt);
    this.#waiting.unshift(...others);
    if (others.length > 0) void this.#askTogether();
    for (const { since, reject } of questions) if (since <= begunAt) reject(error);
  }

  /**
   * Prepares a connection for named statements, which its next batch uses. A plan made while a table is small would scan the table,
   * and the plan is kept when the table has grown. All named statements here read by key.
   */
  async #meet(client: PoolClient): Promise<unknown> {
    try {
      const [row] = (await run(client, { text: 'SELECT pg_backend_pid()' })).rows;
      noteBackendPid(client, Number(row?.[0]));
      if (isDirectConnection(client)) await run(client, { text: FOR_KEYS });
      this.#met.add(client);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #take(): readonly Question[] {
    return this.#waiting.splice(0, MAX_TOGETHER);
  }
}

/** Runs a read. Returns the error if it failed. */
async function answered(client: PoolClient, question: Question, isMet: boolean): Promise<unknown> {
  const { statement, resolve, reject } = question;
  const { text, values = [], queryTimeoutMs } = statement;
  try {
    resolve((await run(client, isMet ? statement : { text, values, queryTimeoutMs })).rows);
    return undefined;
  } catch (error) {
    reject(error);
    return error;
  }
}
