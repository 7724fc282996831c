import { consoleLog } from '../../../observe/console-log.ts';
import { Engine, type EngineOptions } from '../../../engine/engine.ts';
import type { Scope } from '../../../store/store.ts';
import { CliError } from '../../cli-error.ts';
import { onlyArgument } from '../../read-values.ts';
import { shownStore } from '../../serving/open-store.ts';
import { defineCommand } from '../../option.ts';
import { screen } from '../../output/screen.ts';
import { STORE_OPTIONS, storeName, withStore } from './chosen-store.ts';

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
    tenant: { value: '<name>', help: 'Delete the data of this tenant. Default: data without a tenant', flagOnly: true },
    yes: { help: 'Confirm the deletion', flagOnly: true },
  },
  async run({ values, positionals }) {
    const owner = onlyArgument(positionals, `Pass the id of one caller: tandem ${SYNOPSIS}`);
    const { tenant = '', yes } = values;
    const name = storeName(values, 'handler.purge()');
    const what = `all data of ${owner} in ${shownStore(name)}`;
    if (!yes) throw new CliError('usage', `This deletes ${what} permanently. Add --yes to confirm`);
    await withStore(name, values.schema, async (store) => {
      const removed = await purgeStore({ store, log: consoleLog }, { tenant, owner });
      screen.writeLine(`Deleted ${removed} ${removed === 1 ? 'task' : 'tasks'} of ${owner}`);
    });
  },
});

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
