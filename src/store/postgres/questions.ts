import type { Pool, PoolClient } from 'pg';
import { isSpent } from './failure.ts';
import { isPeerKnown, notePeer, type Row, run, type Statement } from './statements.ts';

/** More than this on one connection would wait for each other for too long. */
const MAX_TOGETHER = 64;

interface Question {
  readonly statement: Statement;
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Asks what is answered quickly, on connections of our own. All questions of one turn of the loop share a connection and
 * a round trip: a hint makes each reader ask for a task and for its events, and often it tells of many tasks.
 */
export class Questions {
  readonly #pool: Pool;
  #waiting: Question[] = [];

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  ask(statement: Statement): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statement, resolve, reject });
      if (this.#waiting.length % MAX_TOGETHER === 1) void this.#askTogether();
    });
  }

  /** Never rejects: each question has its own answer. */
  async #askTogether(): Promise<void> {
    let client: PoolClient;
    try {
      // Takes until the end of this turn at least. Whoever asks meanwhile comes along.
      client = await this.#pool.connect();
    } catch (error) {
      for (const { reject } of this.#take()) reject(error);
      return;
    }
    const questions = this.#take();
    const answers = questions.map((question) => answered(client, question));
    if (!isPeerKnown(client)) answers.push(meet(client));
    const failures = await Promise.all(answers);
    client.release(failures.some((error) => error !== undefined && isSpent(error)));
  }

  #take(): readonly Question[] {
    return this.#waiting.splice(0, MAX_TOGETHER);
  }
}

/** Gives what went wrong, if anything did. */
async function answered(client: PoolClient, { statement, resolve, reject }: Question): Promise<unknown> {
  try {
    resolve((await run(client, statement)).rows);
    return undefined;
  } catch (error) {
    reject(error);
    return error;
  }
}

/** From the next time on statements may have names. */
async function meet(client: PoolClient): Promise<unknown> {
  try {
    const [row] = (await run(client, { text: 'SELECT pg_backend_pid()' })).rows;
    notePeer(client, Number(row?.[0]));
    return undefined;
  } catch (error) {
    return error;
  }
}
