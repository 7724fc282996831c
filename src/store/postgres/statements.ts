import type { Writable } from 'node:stream';
import type { PoolClient, QueryArrayConfig, QueryConfig } from 'pg';
import type { Writable as Draft } from '../../support/writable.ts';
import { isSpent } from './failure.ts';

/** A row as an array of its columns. */
export type Row = readonly unknown[];

/** A pool, or one of its connections. */
export type Queryable = Pick<PoolClient, 'query'>;

const INT8 = 20;
const JSON_TYPES = new Set([114, 3802]);

/** 64-bit integers become numbers, because ours are small enough. JSON stays text. */
const TYPES: NonNullable<QueryConfig['types']> = {
  getTypeParser: ((oid: number) => (oid === INT8 ? Number : JSON_TYPES.has(oid) ? String : parserOf(oid))) as never,
};

/** The other types of our tables. */
function parserOf(oid: number): (text: string) => unknown {
  if (oid === 16) return (text) => text === 't';
  if (oid === 21 || oid === 23) return Number;
  return String;
}

export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** The name of the prepared statement, for constant texts. Used only on direct connections. */
  readonly name?: string;
  /** The timeout of the response. The default of the connection if not set. */
  readonly queryTimeoutMs?: number | undefined;
}

/** The result of a statement. */
export interface Outcome {
  readonly rows: Row[];
  readonly command: string;
}

export async function run(on: Queryable, { text, values = [], name, queryTimeoutMs }: Statement): Promise<Outcome> {
  const query: Draft<QueryArrayConfig> & { query_timeout?: number } = {
    text,
    values: values as unknown[],
    rowMode: 'array',
    types: TYPES,
  };
  if (name !== undefined && straight.has(on)) query.name = name;
  if (queryTimeoutMs !== undefined) query.query_timeout = queryTimeoutMs;
  return on.query<unknown[]>(query);
}

/** The connections without a pooler, where a prepared statement always meets the backend that has parsed it. */
const straight = new WeakSet<Queryable>();

/**
 * Records which backend responds on a connection of our own. A pooler passes each transaction to a different backend, and invents
 * the process id that it reports when connecting.
 */
export function noteBackendPid(client: Queryable & { readonly processID?: number | null }, answering: number): void {
  if (client.processID === answering) straight.add(client);
  else straight.delete(client);
}

export function isDirectConnection(client: Queryable): boolean {
  return straight.has(client);
}

export async function rowsOf(on: Queryable, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  return (await run(on, { text, values })).rows;
}

/**
 * Runs statements one after the other. On a connection with pipelining, such as ours, this takes one round trip. Connections of a
 * pool of the user may not support it.
 *
 * @param queryTimeoutMs The timeout of each response. The default of the connection if not set.
 */
export async function pipeline(
  client: Queryable,
  statements: readonly Statement[],
  queryTimeoutMs?: number,
): Promise<readonly Outcome[]> {
  const each =
    queryTimeoutMs === undefined ? statements : statements.map((statement) => ({ ...statement, queryTimeoutMs }));
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
 * Sends everything that is written to a connection in this turn as one packet. A packet per statement would take a third of the
 * CPU time of a small transaction, and wake the database for each of them.
 */
function sendTogether(client: Queryable & { readonly connection?: { readonly stream?: Partial<Writable> } }): void {
  const stream = client.connection?.stream;
  if (stream?.cork === undefined || stream.writableCorked !== 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork?.());
}

/** Ends the transaction after an error and releases the connection. */
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
