import { callTree } from '../../../engine/tasks/call-tree.ts';
import { CliError } from '../../cli-error.ts';
import { callTreeJson, printCallTree } from '../../details/call-tree.ts';
import { defineCommand } from '../../option.ts';
import { oneLine, screen } from '../../output/screen.ts';
import { onlyArgument, wantsJson } from '../../read-values.ts';
import { STORE_OPTIONS, storeName, withStore } from './chosen-store.ts';

const SYNOPSIS = 'admin tree <task>';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: `Shows the calls of a task of any caller to other agents, and those of the called agents that use the same store: peer, outcome or state,
age, task at the peer, and the question that waits for an answer. A server must not be using the SQLite file; with PostgreSQL the command
works at any time.`,
  examples: ['tandem admin tree 3f2c…', 'tandem admin tree 3f2c… --store postgres://admin@localhost/agents -o json'],
  options: {
    ...STORE_OPTIONS,
    output: { short: 'o', value: '<text|json>', help: 'Output format', flagOnly: true },
  },
  async run({ values, positionals }) {
    const isJson = wantsJson(values);
    const taskId = onlyArgument(positionals, `Pass the id of one task: tandem ${SYNOPSIS}`);
    const tree = await withStore(storeName(values), values.schema, (store) => callTree(store, taskId));
    if (tree === undefined) throw new CliError('failure', `There is no task ${oneLine(taskId)} in this store`);
    if (isJson) screen.writeJson(callTreeJson(tree));
    else printCallTree(tree, Date.now());
  },
});
