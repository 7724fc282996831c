import { Engine } from '../../../engine/engine.ts';
import { A2AError } from '../../../errors.ts';
import { consoleLog } from '../../../observe/console-log.ts';
import type { Store } from '../../../store/store.ts';
import { CliError } from '../../cli-error.ts';
import { defineCommand } from '../../option.ts';
import { onlyArgument } from '../../read-values.ts';
import { oneLine, screen } from '../../output/screen.ts';
import { STORE_OPTIONS, storeName, withStore } from './chosen-store.ts';

const SYNOPSIS = 'admin release <task>';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: `Lets a task continue that is held because the code of its agent was changed (onMismatch: 'hold'). It continues with the changed code,
and what it has recorded under other names may run again. With PostgreSQL a running server continues it at once. A server must not be using the
SQLite file: call handler.release() in that server instead, or release the task before the server starts.`,
  examples: ['tandem admin release 3f2c…', 'tandem admin release 3f2c… --store postgres://admin@localhost/agents'],
  options: STORE_OPTIONS,
  async run({ values, positionals }) {
    const taskId = onlyArgument(positionals, `Pass the id of one task: tandem ${SYNOPSIS}`);
    await withStore(storeName(values), values.schema, (store) => release(store, taskId));
    screen.writeLine(`Released ${oneLine(taskId)}`);
  },
});

/** The engine has no agents, so it runs no task itself. */
async function release(store: Store, taskId: string): Promise<void> {
  const engine = await Engine.start({ store, log: consoleLog, agents: [], onDemand: true });
  try {
    await engine.release(taskId);
  } catch (error) {
    if (A2AError.is(error, 'UNSUPPORTED_OPERATION')) throw new CliError('failure', error.message, { cause: error });
    throw error;
  } finally {
    await engine.close();
  }
}
