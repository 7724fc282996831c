import type { Writable } from 'node:stream';
import type { PoolClient, QueryArrayConfig, QueryConfig } from 'pg';
import type { Writable as Draft } from '../../support/writable.ts';
import { isSpent } from './failure.ts';

/** A row as a list of its columns. */
export type Row = readonly unknown[];

/** Anything that takes a statement: a pool, or one connection of it. */
export type Queryable = Pick<PoolClient, 'query'>;

const INT8 = 20;
const JSON_TYPES = new Set([114, 3802]);

/** Numbers are ours and small enough; JSON stays the text that it is. */
const TYPES: NonNullable<QueryConfig['types']> = {
  getTypeParser: ((oid: number) => (oid === INT8 ? Number : JSON_TYPES.has(oid) ? String : parserOf(oid))) as never,
};

/** The types that our tables have, beside those above. */
function parserOf(oid: number): (text: string) => unknown {
  if (oid === 16) return (text) => text === 't';
  if (oid === 21 || oid === 23) return Number;
  return String;
}

export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** By which a connection that is nobody else's knows it again, for text that never changes. */
  readonly name?: string;
  /** How long to wait for the answer, if not as long as for any other. */
  readonly answerMs?: number | undefined;
}

/** What a statement came to. */
export interface Outcome {
  readonly rows: Row[];
  readonly command: string;
}

export async function run(on: Queryable, { text, values = [], name, answerMs }: Statement): Promise<Outcome> {
  const query: Draft<QueryArrayConfig> & { query_timeout?: number } = {
    text,
    values: values as unknown[],
    rowMode: 'array',
    types: TYPES,
  };
  if (name !== undefined && straight.has(on)) query.name = name;
  if (answerMs !== undefined) query.query_timeout = answerMs;
  return on.query<unknown[]>(query);
}

/** Connections where a statement with a name meets the process of the database that has parsed it. */
const straight = new WeakSet<Queryable>();

/**
 * Notes which process of the database answers on a connection of our own. A pooler gives each transaction to another one,
 * and makes up the number that it names when a connection is made.
 */
export function notePeer(client: Queryable & { readonly processID?: number | null }, answering: number): void {
  if (client.processID === answering) straight.add(client);
  else straight.delete(client);
}

export function isStraight(client: Queryable): boolean {
  return straight.has(client);
}

export async function rowsOf(on: Queryable, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  return (await run(on, { text, values })).rows;
}

/**
 * Runs statements one after the other. A connection that can send ahead, as ours can, makes one round trip of it; one of
 * somebody else's pool may not be able to.
 *
 * @param answerMs How long to wait for each answer, if not as long as for any other.
 */
export async function inOrder(
  client: Queryable,
  statements: readonly Statement[],
  answerMs?: number,
): Promise<readonly Outcome[]> {
  const each = answerMs === undefined ? statements : statements.map((statement) => ({ ...statement, answerMs }));
  if (canSendAhead(client)) {
    sendTogether(client);
    return Promise.all(each.map((statement) => run(client, statement)));
  }
  const outcomes: Outcome[] = [];
  for (const statement of each) outcomes.push(await run(client, statement));
  return outcomes;
}

export function canSendAhead(client: Queryable & { readonly pipeline?: boolean }): boolean {
  return client.pipeline === true;
}

/**
 * What is sent on a connection before this turn is over goes out at once. A packet for each statement is a third of what a
 * small transaction costs the process, and the database wakes up for each of them.
 */
function sendTogether(client: Queryable & { readonly connection?: { readonly stream?: Partial<Writable> } }): void {
  const stream = client.connection?.stream;
  if (stream?.cork === undefined || stream.writableCorked !== 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork?.());
}

/** Gives a connection back after an error, with the transaction ended in any case. */
export async function giveBack(client: PoolClient, error: unknown): Promise<void> {
  if (isSpent(error)) {
    client.release(true);
    return;
  }
  try {
    await client.query('ROLLBACK');
  } catch {
    client.release(true);
    return;
  }
  client.release();
}
