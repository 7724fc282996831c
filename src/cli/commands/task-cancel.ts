import { AGENT_OPTIONS } from '../agent-options.ts';
import { giveJson } from '../json-output.ts';
import { withAgent } from '../open-agent.ts';
import { defineCommand } from '../option.ts';
import { readChoice } from '../read-values.ts';
import { screen } from '../screen.ts';
import { expectNoMore, takeTask } from '../task-arguments.ts';
import { giveTask } from '../task-details.ts';
import { stateWord } from '../../client/state-word.ts';

const SYNOPSIS = 'task cancel [agent] <task>';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about:
    'Asks an agent to stop a task, and shows the task as it is then. <task> is an id, or a handle without an agent.',
  options: { ...AGENT_OPTIONS },
  async run({ values, sources, positionals }) {
    const isJson = readChoice('output', values.output, ['text', 'json']) === 'json';
    const { reference, taskId, rest } = takeTask({ values, sources }, positionals, SYNOPSIS);
    expectNoMore(rest, SYNOPSIS);
    await withAgent(values, reference, async (agent, within) => {
      const task = await agent.cancel(taskId, within);
      screen.rest();
      if (isJson) giveJson(task);
      else giveTask(task, stateWord(task.status.state));
    });
  },
});
