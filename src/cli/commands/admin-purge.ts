import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { consoleLog } from '../../observe/console-log.ts';
import { Engine, type EngineOptions } from '../../engine/engine.ts';
import { OLD_STORE_FILE, STORE_FOLDER } from '../../node/default-store.ts';
import type { Scope } from '../../store/store.ts';
import { CliError } from '../cli-error.ts';
import { isPostgresUrl, openStore, shownStore } from '../serving/open-store.ts';
import { defineCommand } from '../option.ts';
import { screen } from '../output/screen.ts';

const SYNOPSIS = 'admin purge <caller>';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: `Deletes all data of one caller from a store: the tasks of all agents with their events, history and files, push
configurations, and the keys that detect repeated requests. Unfinished tasks are canceled first. <caller> is the id that the
authenticator returns for the caller. Revoke the caller's access first. A server must not be using the SQLite file: call
handler.purge() in that server instead.`,
  examples: [
    'tandem admin purge alice --yes',
    'tandem admin purge alice --store postgres://admin@localhost/agents --yes',
  ],
  options: {
    store: {
      type: 'string',
      value: '<file|url>',
      help: 'The store: a SQLite file or postgres://…. Default: the only store of this folder, such as .tandem/<agent id>.db',
      flagOnly: true,
    },
    schema: {
      type: 'string',
      value: '<name>',
      help: 'The PostgreSQL schema of the tables. Default: tandem',
      flagOnly: true,
    },
    tenant: {
      type: 'string',
      value: '<name>',
      help: 'Delete the data of this tenant. Default: data without a tenant',
      flagOnly: true,
    },
    yes: { type: 'boolean', help: 'Confirm the deletion', flagOnly: true },
  },
  run: ({ values, positionals }) => purge(positionals, values),
});

interface PurgeValues {
  readonly store: string | undefined;
  readonly schema: string | undefined;
  readonly tenant: string | undefined;
  readonly yes: boolean;
}

async function purge([owner, ...others]: readonly string[], values: PurgeValues): Promise<void> {
  const { schema, tenant = '', yes } = values;
  if (owner === undefined || owner === '' || others.length > 0)
    throw new CliError('usage', `Pass the id of one caller: tandem ${SYNOPSIS}`);
  const name = values.store ?? onlyStore();
  if (name === 'memory')
    throw new CliError('usage', 'A memory store exists only inside its server: call handler.purge() there');
  if (schema !== undefined && !isPostgresUrl(name))
    throw new CliError('usage', '--schema requires a PostgreSQL store: add --store postgres://…');
  if (!isPostgresUrl(name) && !existsSync(name)) throw new CliError('usage', `File ${name} does not exist`);
  if (!yes)
    throw new CliError(
      'usage',
      `This deletes all data of ${owner} in ${shownStore(name)} permanently. Add --yes to confirm`,
    );
  const store = await openStore(name, consoleLog, schema);
  try {
    const removed = await purgeStore({ store, log: consoleLog }, { tenant, owner });
    screen.writeLine(`Deleted ${removed} ${removed === 1 ? 'task' : 'tasks'} of ${owner}`);
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
  if (others.length > 0)
    throw new CliError(
      'usage',
      `There are several stores in this folder: pass one of ${stores.join(', ')} with --store`,
    );
  return first;
}

/**
 * Deletes the data of one owner and changes no other data. The engine works on demand, so it applies no retention: the retention
 * that the server is configured with is unknown here. It has no agents, so it claims no task and sends no notification.
 */
export async function purgeStore(options: Omit<EngineOptions, 'agents' | 'onDemand'>, scope: Scope): Promise<number> {
  const engine = await Engine.start({ ...options, agents: [], onDemand: true });
  try {
    return await engine.purge(scope);
  } finally {
    await engine.close();
  }
}
