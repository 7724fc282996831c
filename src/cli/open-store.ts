import type { Log } from '../observe/log.ts';
import { memoryStore } from '../store/memory/store.ts';
import type { Store } from '../store/store.ts';
import { CliError } from './cli-error.ts';

/**
 * `memory`, the address of a database, or the name of a file. A schema is for databases alone, the log for files.
 *
 * @throws CliError in words that are for people.
 */
export async function openStore(name: string, log: Log, schema?: string): Promise<Store> {
  if (name === 'memory') return memoryStore();
  if (isPostgresUrl(name)) return openPostgres(name, schema);
  const { sqlite } = await import('../store/sqlite/store.ts');
  try {
    return sqlite(name, { log });
  } catch (error) {
    throw new CliError('failure', messageOf(error), { cause: error });
  }
}

/** A store as people are told of it: an address may hold a password. */
export function shownStore(name: string): string {
  if (!isPostgresUrl(name)) return name;
  const url = new URL(name);
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** Whether it is the address of a PostgreSQL database, at least by its beginning. */
export function isPostgresUrl(name: string): boolean {
  return /^postgres(ql)?:\/\//.test(name);
}

/** @throws CliError if it cannot be one, without the password that it may hold. */
export function assertPostgresUrl(name: string): void {
  if (URL.canParse(name)) return;
  const hint = 'Signs in its password are written as in every URL: @ as %40, / as %2F, # as %23.';
  throw new CliError('usage', 'The address of the database is no URL', { hint });
}

/**
 * What the system calls a failed connection (ECONNREFUSED), or PostgreSQL one that may succeed later: a broken connection (08), no
 * free connection (53), a server that starts or stops (57P).
 */
const UNREACHABLE = /^(?:E[A-Z_]+|08\w{3}|53\w{3}|57P\w{2})$/;

/** What a database, its driver or the way to it says, as one sentence. */
export function databaseTrouble(error: unknown, url: string): CliError {
  const root = rootOf(error);
  if (isDriverMissing(root)) return new CliError('failure', messageOf(root), { cause: error });
  const { code = '' } = root as { readonly code?: string };
  // The driver has no code for a timeout or a connection that was closed.
  const isUnreachable = UNREACHABLE.test(code) || /timeout|terminated/.test(messageOf(root));
  const text = `The database ${shownStore(url)} cannot be used: ${messageOf(root)}`;
  return new CliError(isUnreachable ? 'unreachable' : 'failure', text, { cause: error });
}

async function openPostgres(url: string, schema: string | undefined): Promise<Store> {
  assertPostgresUrl(url);
  const { postgres } = await import('../store/postgres/index.ts');
  let store: Store;
  try {
    store = postgres(url, schema === undefined ? {} : { schema });
  } catch (error) {
    throw new CliError('usage', `--${messageOf(error)}`, { cause: error });
  }
  try {
    // A store opens with the first question. What will not pass by itself had better be said now.
    await store.nextWake([]);
    return store;
  } catch (error) {
    const trouble = databaseTrouble(error, url);
    // One that is late is waited for, and the log says so.
    if (trouble.kind === 'unreachable') return store;
    await store.close();
    throw trouble;
  }
}

function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause !== undefined && !isDriverMissing(root)) root = root.cause;
  // Every address of a host that has several, as localhost has.
  return root instanceof AggregateError ? (root.errors[0] ?? root) : root;
}

/** By its name, for its class is loaded only with the store. */
function isDriverMissing(error: unknown): boolean {
  return error instanceof Error && error.name === 'MissingDriverError';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
