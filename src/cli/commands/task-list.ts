import { stateWord } from '../../client/state-word.ts';
import { TASK_STATES, type TaskState } from '../../model/state.ts';
import { defined } from '../../support/defined.ts';
import { nearest } from '../../support/nearest.ts';
import { AGENT_OPTIONS } from '../agent-options.ts';
import { takeAgent } from '../agent-reference.ts';
import { CliError } from '../cli-error.ts';
import { giveJson } from '../json-output.ts';
import { withAgent } from '../open-agent.ts';
import { defineCommand } from '../option.ts';
import { stateStyle } from '../part-output.ts';
import { readChoice, readCount } from '../read-values.ts';
import { oneLine, screen } from '../screen.ts';
import { expectNoMore } from '../task-arguments.ts';

const SYNOPSIS = 'task list [agent]';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: 'Lists your tasks at an agent, the latest first: id, state, when it last changed, and its context.',
  examples: ['tandem task list clerk --status working', 'tandem task list clerk --limit 100 -o json'],
  options: {
    status: {
      type: 'string',
      value: '<state>',
      help: 'Only tasks in this state: working, input-required, completed …',
    },
    'context-id': { type: 'string', value: '<id>', help: 'Only tasks of this conversation' },
    context: { type: 'string', aliasOf: 'context-id', help: '' },
    since: { type: 'string', value: '<time>', help: 'Only tasks that changed after 2026-03-12T10:00:00Z' },
    limit: { type: 'string', value: '<n>', help: 'How many to list; what the agent thinks right if not set' },
    'page-token': { type: 'string', value: '<token>', help: 'The next page, as the last one named it' },
    history: { type: 'string', value: '<n>', help: 'With -o json: how many messages of each to have' },
    'with-artifacts': { type: 'boolean', help: 'With -o json: also what they have given' },
    ...AGENT_OPTIONS,
  },
  async run({ values, sources, positionals }) {
    const isJson = readChoice('output', values.output, ['text', 'json']) === 'json';
    const { reference, rest } = takeAgent({ values, sources }, positionals, SYNOPSIS);
    expectNoMore(rest, SYNOPSIS);
    const request = defined({
      status: values.status === undefined ? undefined : readState(values.status),
      contextId: values['context-id'],
      statusTimestampAfter: readTime(values.since),
      pageSize: readCount('limit', values.limit),
      pageToken: values['page-token'],
      historyLength: readCount('history', values.history),
      includeArtifacts: values['with-artifacts'] || undefined,
    });
    await withAgent(values, reference, async (agent, within) => {
      const page = await agent.list({ ...request, ...within });
      screen.rest();
      if (isJson) return giveJson(page);
      const width = Math.max(...page.tasks.map(({ id }) => oneLine(id).length));
      for (const { id, contextId = '', status } of page.tasks) {
        const state = screen.mark(stateWord(status.state).padEnd(14), stateStyle(status.state));
        const since = (status.timestamp ?? '').padEnd(24);
        screen.giveMarked(`${oneLine(id).padEnd(width)}  ${state}  ${since}  ${oneLine(contextId)}`);
      }
      if (page.tasks.length === 0) screen.tell('There are no tasks.');
      if (page.nextPageToken !== '') screen.tell(`There are more: --page-token ${oneLine(page.nextPageToken)}`, 'dim');
    });
  },
});

function readState(text: string): TaskState {
  const words = TASK_STATES.map(stateWord);
  const index = words.findIndex((word) => word === text.toLowerCase() || TASK_STATES[words.indexOf(word)] === text);
  const state = TASK_STATES[index];
  if (state !== undefined) return state;
  const meant = nearest(text, words);
  const advice = meant === undefined ? `known are ${words.join(', ')}` : `did you mean ${meant}?`;
  throw new CliError('usage', `There is no state ${JSON.stringify(text)}; ${advice}`);
}

function readTime(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new CliError('usage', `--since must be a time such as 2026-03-12T10:00:00Z, not ${JSON.stringify(text)}`);
}
