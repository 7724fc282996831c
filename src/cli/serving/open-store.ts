import type { Log } from '../../observe/log.ts';
import { openDefaultStore } from '../../node/default-store.ts';
import type { Agent } from '../../agent/agent.ts';
import { memoryStore } from '../../store/memory/store.ts';
import type { Store } from '../../store/store.ts';
import { CliError } from '../cli-error.ts';

/**
 * Opens `memory`, a PostgreSQL URL or a SQLite file. The schema applies only to PostgreSQL, the log only to SQLite.
 *
 * @throws CliError with a message for the user.
 */
export async function openStore(name: string, log: Log, schema?: string): Promise<Store> {
  if (name === 'memory') return memoryStore();
  if (isPostgresUrl(name)) return openPostgres(name, schema);
  const { sqlite } = await import('../../store/sqlite/store.ts');
  try {
    return sqlite(name, { log });
  } catch (error) {
    throw new CliError('failure', messageOf(error), { cause: error });
  }
}

/** A store, and its place as it is printed. */
export interface OpenStore {
  readonly store: Store;
  readonly place: string;
}

/**
 * Opens the store with this name, or the default store of the agents.
 *
 * @throws CliError with a message for the user.
 */
export async function openStoreOf(
  agents: readonly Agent[],
  name: string | undefined,
  log: Log,
  schema?: string,
): Promise<OpenStore> {
  if (name !== undefined) {
    const store = await openStore(name, log, schema);
    return { store, place: name === 'memory' ? 'memory' : shownStore(name) };
  }
  try {
    const { store, file } = await openDefaultStore(
      agents.map(({ id }) => id),
      { log },
    );
    return { store, place: file };
  } catch (error) {
    throw new CliError('failure', messageOf(error), { cause: error });
  }
}

/** The store as it is printed: without the credentials of a URL. */
export function shownStore(name: string): string {
  if (!isPostgresUrl(name)) return name;
  const url = new URL(name);
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** Whether the name starts like a PostgreSQL URL. */
export function isPostgresUrl(name: string): boolean {
  return /^postgres(ql)?:\/\//.test(name);
}

/** @throws CliError if the name is not a URL. The message does not contain it, because it may contain a password. */
export function assertPostgresUrl(name: string): void {
  if (URL.canParse(name)) return;
  const hint = 'Encode special characters of the password: @ as %40, / as %2F, # as %23.';
  throw new CliError('usage', 'The address of the database is not a valid URL', { hint });
}

/**
 * Error codes of a connection that may succeed later: those of the system (ECONNREFUSED), and those of PostgreSQL for a broken
 * connection (08), no free connection (53) and a server that starts or stops (57P).
 */
const UNREACHABLE = /^(?:E[A-Z_]+|08\w{3}|53\w{3}|57P\w{2})$/;

/** Describes an error of a database, its driver or the connection to it in one sentence. */
export function databaseError(error: unknown, url: string): CliError {
  const root = rootOf(error);
  if (isDriverMissing(root)) return new CliError('failure', messageOf(root), { cause: error });
  const { code = '' } = root as { readonly code?: string };
  // The driver has no code for a timeout or a connection that was closed.
  const isUnreachable = UNREACHABLE.test(code) || /timeout|terminated/.test(messageOf(root));
  const text = `Could not use the database ${shownStore(url)}: ${messageOf(root)}`;
  return new CliError(isUnreachable ? 'unreachable' : 'failure', text, { cause: error });
}

async function openPostgres(url: string, schema: string | undefined): Promise<Store> {
  assertPostgresUrl(url);
  const { postgres } = await import('../../store/postgres/index.ts');
  let store: Store;
  try {
    store = postgres(url, schema === undefined ? {} : { schema });
  } catch (error) {
    throw new CliError('usage', `--${messageOf(error)}`, { cause: error });
  }
  try {
    // A store connects with its first query. Errors that will not go away must be reported now.
    await store.nextWake([]);
    return store;
  } catch (error) {
    const failure = databaseError(error, url);
    // The server waits for a database that is not reachable yet, and logs that.
    if (failure.kind === 'unreachable') return store;
    await store.close();
    throw failure;
  }
}

function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause !== undefined && !isDriverMissing(root)) root = root.cause;
  // A host with several addresses, such as localhost, has one error for each.
  return root instanceof AggregateError ? (root.errors[0] ?? root) : root;
}

/** Checks the name, because the class is loaded only with the store. */
function isDriverMissing(error: unknown): boolean {
  return error instanceof Error && error.name === 'MissingDriverError';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
