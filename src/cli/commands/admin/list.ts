import { type InspectedTask, inspectTasks } from '../../../engine/tasks/inspect.ts';
import type { AllTasksQuery, Store } from '../../../store/store.ts';
import { readCount, wantsJson } from '../../read-values.ts';
import { CliError } from '../../cli-error.ts';
import { inspectedJson, printInspectedTable } from '../../details/inspected-task.ts';
import { defineCommand } from '../../option.ts';
import { oneLine, screen } from '../../output/screen.ts';
import { STORE_OPTIONS, storeName, withStore } from './chosen-store.ts';

const SYNOPSIS = 'admin list';

const DEFAULT_LIMIT = 100;
/** How many tasks to read at a time. */
const PAGE = 100;

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: `Lists the unfinished tasks of all callers in a store: id, agent, owner, state, time of the last change, and whether a task is held,
or has continued, because the code of its agent was changed. A server must not be using the SQLite file; with PostgreSQL the command
works at any time.`,
  examples: [
    'tandem admin list --held',
    'tandem admin list --agent clerk --store postgres://admin@localhost/agents -o json',
  ],
  options: {
    ...STORE_OPTIONS,
    agent: { value: '<id>', help: 'List only tasks of this agent', flagOnly: true },
    held: { help: 'List only tasks that are held (onMismatch)', flagOnly: true },
    changed: { help: 'List only tasks that changed code has held or continued', flagOnly: true },
    all: { help: 'List ended tasks too', flagOnly: true },
    limit: { value: '<n>', help: `The maximum number of tasks. Default: ${DEFAULT_LIMIT}`, flagOnly: true },
    after: { value: '<task>', help: 'Continue after the task with this id', flagOnly: true },
    output: { short: 'o', value: '<text|json>', help: 'Output format', flagOnly: true },
  },
  async run({ values, positionals }) {
    const isJson = wantsJson(values);
    if (positionals.length > 0) throw new CliError('usage', `This command takes no arguments: tandem ${SYNOPSIS}`);
    const limit = readCount('limit', values.limit) ?? DEFAULT_LIMIT;
    if (limit === 0) throw new CliError('usage', '--limit must be at least 1');
    const { agent, after = '', all, held, changed } = values;
    const isWanted = ({ isHeld, codeMarks }: InspectedTask): boolean =>
      (!held || isHeld) && (!changed || codeMarks.length > 0);
    const query = { ...(agent !== undefined && { agent }), ...(!all && { hasEnded: false }) };
    const { tasks, next } = await withStore(storeName(values), values.schema, (store) =>
      listed(store, query, after, limit, isWanted),
    );
    if (isJson) return screen.writeJson({ tasks: tasks.map(inspectedJson), ...(next !== undefined && { next }) });
    if (tasks.length === 0) screen.notice('No tasks found.');
    else printInspectedTable(tasks, Date.now());
    if (next !== undefined) screen.notice(`For more tasks: --after ${oneLine(next)}`, 'dim');
  },
});

/** The tasks that match, and the last of them if there may be more. */
interface Page {
  readonly tasks: readonly InspectedTask[];
  readonly next?: string;
}

async function listed(
  store: Store,
  filter: Pick<AllTasksQuery, 'agent' | 'hasEnded'>,
  start: string,
  limit: number,
  isWanted: (task: InspectedTask) => boolean,
): Promise<Page> {
  const tasks: InspectedTask[] = [];
  for (let after = start; ;) {
    const page = await inspectTasks(store, { ...filter, after, limit: PAGE });
    for (const task of page) {
      if (!isWanted(task)) continue;
      const last = tasks.at(-1);
      if (tasks.length === limit && last !== undefined) return { tasks, next: last.record.id };
      tasks.push(task);
    }
    const last = page.at(-1);
    if (last === undefined) return { tasks };
    after = last.record.id;
  }
}
