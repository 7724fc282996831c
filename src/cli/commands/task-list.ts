import { stateWord } from '../../client/state-word.ts';
import { TASK_STATES, type TaskState } from '../../model/state.ts';
import { defined } from '../../support/defined.ts';
import { nearest } from '../../support/nearest.ts';
import { agentCommand } from '../agents/agent-command.ts';
import { CliError } from '../cli-error.ts';
import { readCount } from '../read-values.ts';
import { oneLine, screen } from '../output/screen.ts';
import { printTaskTable, REQUEST_HISTORY } from '../details/task-table.ts';

export const command = agentCommand({
  synopsis: 'task list [agent]',
  about:
    'Lists your tasks at an agent, the latest first: id, state, time of the last change, and the start of the request.',
  examples: ['tandem task list clerk --status working', 'tandem task list clerk --limit 100 -o json'],
  options: {
    status: { value: '<state>', help: 'List only tasks in this state: working, input-required, completed …' },
    'context-id': { value: '<id>', help: 'List only tasks of this conversation' },
    since: { value: '<time>', help: 'List only tasks that changed after this time: 2026-03-12T10:00:00Z' },
    limit: { value: '<n>', help: 'The maximum number of tasks. Default: chosen by the agent' },
    'page-token': { value: '<token>', help: 'List the next page, with the token that the previous page printed' },
    history: { value: '<n>', help: 'With -o json: the maximum number of messages of each task' },
    'with-artifacts': { help: 'With -o json: include the artifacts' },
  },
  aliases: { context: 'context-id' },
  async run({ values, isJson, withAgent }) {
    const request = defined({
      status: values.status === undefined ? undefined : readState(values.status),
      contextId: values['context-id'],
      statusTimestampAfter: readTime(values.since),
      pageSize: readCount('limit', values.limit),
      pageToken: values['page-token'],
      historyLength: readCount('history', values.history) ?? (isJson ? undefined : REQUEST_HISTORY),
      includeArtifacts: values['with-artifacts'] || undefined,
    });
    await withAgent(async (agent, within) => {
      const page = await agent.list({ ...request, ...within });
      screen.hideProgress();
      if (isJson) return screen.writeJson(page);
      if (page.tasks.length === 0) screen.notice('No tasks found.');
      else printTaskTable(page.tasks, Date.now());
      if (page.nextPageToken !== '')
        screen.notice(`For more tasks: --page-token ${oneLine(page.nextPageToken)}`, 'dim');
    });
  },
});

function readState(text: string): TaskState {
  const words = TASK_STATES.map(stateWord);
  const index = words.findIndex((word) => word === text.toLowerCase() || TASK_STATES[words.indexOf(word)] === text);
  const state = TASK_STATES[index];
  if (state !== undefined) return state;
  const meant = nearest(text, words);
  const advice = meant === undefined ? `known states: ${words.join(', ')}` : `did you mean ${meant}?`;
  throw new CliError('usage', `Unknown state ${JSON.stringify(text)}; ${advice}`);
}

function readTime(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new CliError('usage', `--since must be a time such as 2026-03-12T10:00:00Z, not ${JSON.stringify(text)}`);
}
