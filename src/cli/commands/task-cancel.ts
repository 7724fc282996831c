import { AGENT_OPTIONS } from '../agents/agent-options.ts';
import { printJson } from '../output/json-output.ts';
import { withAgent } from '../agents/open-agent.ts';
import { defineCommand } from '../option.ts';
import { readChoice } from '../agents/read-values.ts';
import { screen } from '../output/screen.ts';
import { expectNoMore, takeTask } from '../agents/task-arguments.ts';
import { printTask } from '../output/task-details.ts';
import { stateWord } from '../../client/state-word.ts';

const SYNOPSIS = 'task cancel [agent] <task>';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: 'Cancels a task and prints its new state. <task> is an id; a handle replaces both agent and id.',
  options: { ...AGENT_OPTIONS },
  async run({ values, sources, positionals }) {
    const isJson = readChoice('output', values.output, ['text', 'json']) === 'json';
    const { reference, taskId, rest } = takeTask({ values, sources }, positionals, SYNOPSIS);
    expectNoMore(rest, SYNOPSIS);
    await withAgent(values, reference, async (agent, within) => {
      const task = await agent.cancel(taskId, within);
      screen.hideProgress();
      if (isJson) printJson(task);
      else printTask(task, stateWord(task.status.state));
    });
  },
});
