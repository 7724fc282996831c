import { inspectTasks } from '../../../engine/tasks/inspect.ts';
import { onlyArgument, wantsJson } from '../../read-values.ts';
import { CliError } from '../../cli-error.ts';
import { inspectedJson, printInspectedTask } from '../../details/inspected-task.ts';
import { defineCommand } from '../../option.ts';
import { oneLine, screen } from '../../output/screen.ts';
import { STORE_OPTIONS, storeName, withStore } from './chosen-store.ts';

const SYNOPSIS = 'admin show <task>';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: `Shows a task of any caller as an operator sees it: its agent and owner, what changed code did with it, and the outline of its journal:
kind, key, time and outcome of each entry, without values. A server must not be using the SQLite file; with PostgreSQL the command works at
any time.`,
  examples: ['tandem admin show 3f2c…', 'tandem admin show 3f2c… --store postgres://admin@localhost/agents -o json'],
  options: {
    ...STORE_OPTIONS,
    output: { short: 'o', value: '<text|json>', help: 'Output format', flagOnly: true },
  },
  async run({ values, positionals }) {
    const isJson = wantsJson(values);
    const taskId = onlyArgument(positionals, `Pass the id of one task: tandem ${SYNOPSIS}`);
    const [task] = await withStore(storeName(values), values.schema, (store) =>
      inspectTasks(store, { taskId, limit: 1 }),
    );
    if (task === undefined) throw new CliError('failure', `There is no task ${oneLine(taskId)} in this store`);
    if (isJson) return screen.writeJson({ ...inspectedJson(task), journal: task.journal.map(entryJson) });
    printInspectedTask(task);
    if (task.isHeld)
      screen.notice(`To let it continue with the changed code: tandem admin release ${oneLine(taskId)}`, 'dim');
  },
});

function entryJson({ at, name: _, ...entry }: { readonly at: number | undefined; readonly name: string }): object {
  return { ...entry, ...(at !== undefined && { at: new Date(at).toISOString() }) };
}
