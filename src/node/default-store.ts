import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../observe/log.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from '../support/time/clock.ts';

/** The folder of the default stores, in the working directory. */
export const STORE_FOLDER = '.tandem';
/** The default store of versions that had one file for all agents of a folder. */
export const OLD_STORE_FILE = 'tandem.db';

export interface DefaultStore {
  readonly store: Store;
  /** The path of the file, relative to the working directory. */
  readonly file: string;
}

export interface DefaultStoreOptions {
  readonly log: Log;
  readonly clock?: Clock | undefined;
}

/** The file of several agents on one host. No id starts with an underscore. */
const SHARED_NAME = '_agents';

/**
 * Opens the SQLite file `.tandem/<agent id>.db` in the working directory, and creates its folder if necessary. Several agents share
 * `.tandem/_agents.db`. `tandem.db` is used instead if it contains tasks of an agent and the own file does not exist.
 */
export async function openDefaultStore(
  agentIds: readonly string[],
  { log, clock }: DefaultStoreOptions,
): Promise<DefaultStore> {
  // Loaded late, because other stores do not need the SQLite driver.
  const { sqlite } = await import('../store/sqlite/store.ts');
  const [first = SHARED_NAME, ...others] = agentIds;
  const own = join(STORE_FOLDER, `${others.length === 0 ? first : SHARED_NAME}.db`);
  const agent = existsSync(own) || !existsSync(OLD_STORE_FILE) ? undefined : await agentIn(OLD_STORE_FILE, agentIds);
  const file = agent === undefined ? own : OLD_STORE_FILE;
  if (agent === undefined) createStoreFolder();
  else log.info('Using the existing store, because it contains tasks of this agent', { file, agent });
  return { store: sqlite(file, { log, ...(clock !== undefined && { clock }) }), file };
}

/** The first of the agents that has tasks in a file. */
async function agentIn(file: string, agentIds: readonly string[]): Promise<string | undefined> {
  const { hasTasksOf } = await import('../store/sqlite/stored-agents.ts');
  return agentIds.find((id) => hasTasksOf(file, id));
}

/** Creates the folder with a `.gitignore`, so that no task is committed. */
function createStoreFolder(): void {
  if (existsSync(STORE_FOLDER)) return;
  try {
    mkdirSync(STORE_FOLDER);
    writeFileSync(join(STORE_FOLDER, '.gitignore'), '*\n');
  } catch (error) {
    // Another agent has created it at the same moment.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw new Error(
      `The folder ${STORE_FOLDER} cannot be created: pass a store, or make the working directory writable`,
      {
        cause: error,
      },
    );
  }
}
