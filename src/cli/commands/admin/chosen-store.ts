import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { consoleLog } from '../../../observe/console-log.ts';
import { OLD_STORE_FILE, STORE_FOLDER } from '../../../node/default-store.ts';
import type { Store } from '../../../store/store.ts';
import { CliError } from '../../cli-error.ts';
import type { Options, Values } from '../../option.ts';
import { isPostgresUrl, openStore } from '../../serving/open-store.ts';

/** The options of every command that opens a store itself. */
export const STORE_OPTIONS = {
  store: {
    value: '<file|url>',
    help: 'The store: a SQLite file or postgres://…. Default: the only store of this folder, such as .tandem/<agent id>.db',
    flagOnly: true,
  },
  schema: { value: '<name>', help: 'The PostgreSQL schema of the tables. Default: tandem', flagOnly: true },
} as const satisfies Options;

type StoreValues = Values<typeof STORE_OPTIONS>;

/**
 * The store that the options choose, which exists if it is a file.
 *
 * @param instead What the user can call in a server with a memory store.
 * @throws CliError with a message for the user.
 */
export function storeName({ store, schema }: StoreValues, instead = 'handler.release()'): string {
  const name = store ?? onlyStore();
  if (name === 'memory')
    throw new CliError('usage', `A memory store exists only inside its server: call ${instead} there`);
  if (schema !== undefined && !isPostgresUrl(name))
    throw new CliError('usage', '--schema requires a PostgreSQL store: add --store postgres://…');
  if (!isPostgresUrl(name) && !existsSync(name)) throw new CliError('usage', `File ${name} does not exist`);
  return name;
}

/** Uses a store and closes it. */
export async function withStore<T>(
  name: string,
  schema: string | undefined,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(name, consoleLog, schema);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** The store that an agent without `--store` uses in the working directory. @throws CliError unless there is exactly one. */
function onlyStore(): string {
  const files = existsSync(STORE_FOLDER) ? readdirSync(STORE_FOLDER).filter((name) => name.endsWith('.db')) : [];
  const stores = [...files.map((name) => join(STORE_FOLDER, name)), OLD_STORE_FILE].filter((file) => existsSync(file));
  const [first, ...others] = stores;
  if (first === undefined) throw new CliError('usage', 'There is no store in this folder: pass one with --store');
  if (others.length === 0) return first;
  throw new CliError('usage', `There are several stores in this folder: pass one of ${stores.join(', ')} with --store`);
}
