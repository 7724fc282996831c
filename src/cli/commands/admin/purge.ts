import { consoleLog } from '../../../observe/console-log.ts';
import { Engine, type EngineOptions } from '../../../engine/engine.ts';
import type { Scope } from '../../../store/store.ts';
import { CliError } from '../../cli-error.ts';
import { openStore, shownStore } from '../../serving/open-store.ts';
import { defineCommand } from '../../option.ts';
import { screen } from '../../output/screen.ts';
import { STORE_OPTIONS, storeName, type StoreValues } from './chosen-store.ts';

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
    ...STORE_OPTIONS,
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

interface PurgeValues extends StoreValues {
  readonly tenant: string | undefined;
  readonly yes: boolean;
}

async function purge([owner, ...others]: readonly string[], values: PurgeValues): Promise<void> {
  const { tenant = '', yes } = values;
  if (owner === undefined || owner === '' || others.length > 0)
    throw new CliError('usage', `Pass the id of one caller: tandem ${SYNOPSIS}`);
  const name = storeName(values, 'handler.purge()');
  if (!yes)
    throw new CliError(
      'usage',
      `This deletes all data of ${owner} in ${shownStore(name)} permanently. Add --yes to confirm`,
    );
  const store = await openStore(name, consoleLog, values.schema);
  try {
    const removed = await purgeStore({ store, log: consoleLog }, { tenant, owner });
    screen.writeLine(`Deleted ${removed} ${removed === 1 ? 'task' : 'tasks'} of ${owner}`);
  } finally {
    await store.close();
  }
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
