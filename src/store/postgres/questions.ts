import type { Pool, PoolClient } from 'pg';
import { isSpent } from './failure.ts';
import { isStraight, notePeer, type Row, run, type Statement } from './statements.ts';

/** More than this on one connection would wait for each other for too long. */
const MAX_TOGETHER = 64;

/** What is estimated to be dear for want of another way is not worth compiling either. */
const FOR_KEYS = "SELECT set_config('enable_seqscan', 'off', false), set_config('jit', 'off', false)";

interface Question {
  readonly statement: Statement;
  /** When it came, by the clock that only goes on. */
  readonly since: number;
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Asks what is answered quickly, on connections of our own. All questions of one turn of the loop share a connection and
 * a round trip: a hint makes each reader ask for a task and for its events, and often it tells of many tasks.
 */
export class Questions {
  readonly #pool: Pool;
  /** Connections on which statements may have names, as far as they can. */
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

  /** Never rejects: each question has its own answer. */
  async #askTogether(): Promise<void> {
    const begunAt = performance.now();
    let client: PoolClient;
    try {
      // Takes until the end of this turn at least. Whoever asks meanwhile comes along.
      client = await this.#pool.connect();
    } catch (error) {
      this.#giveUp(error, begunAt);
      return;
    }
    const isMet = this.#met.has(client);
    const answers = this.#take().map((question) => answered(client, question, isMet));
    if (!isMet) answers.push(this.#meet(client));
    const failures = await Promise.all(answers);
    client.release(failures.some((error) => error !== undefined && isSpent(error)));
  }

  /** Those who came later have not waited for as long, and may have better luck. */
  #giveUp(error: unknown, begunAt: number): void {
    const questions = this.#take();
    const others = questions.filter(({ since }) => since > begunAt);
    this.#waiting.unshift(...others);
    if (others.length > 0) void this.#askTogether();
    for (const { since, reject } of questions) if (since <= begunAt) reject(error);
  }

  /**
   * From the next time on statements may have names. A plan that is made while a table is small would read all of it, and
   * is kept when it is large: all that has a name here is found by its key.
   */
  async #meet(client: PoolClient): Promise<unknown> {
    try {
      const [row] = (await run(client, { text: 'SELECT pg_backend_pid()' })).rows;
      notePeer(client, Number(row?.[0]));
      if (isStraight(client)) await run(client, { text: FOR_KEYS });
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

/** Gives what went wrong, if anything did. */
async function answered(client: PoolClient, question: Question, isMet: boolean): Promise<unknown> {
  const { statement, resolve, reject } = question;
  const { text, values = [], answerMs } = statement;
  try {
    resolve((await run(client, isMet ? statement : { text, values, answerMs })).rows);
    return undefined;
  } catch (error) {
    reject(error);
    return error;
  }
}
