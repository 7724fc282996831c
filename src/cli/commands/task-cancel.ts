import { taskCommand } from '../agents/agent-command.ts';
import { screen } from '../output/screen.ts';
import { printTask } from '../output/task-details.ts';

export const command = taskCommand({
  synopsis: 'task cancel [agent] <task>',
  about: 'Cancels a task and prints its new state. <task> is an id; a handle replaces both agent and id.',
  options: {},
  async run({ isJson, taskId, withAgent }) {
    await withAgent(async (agent, within) => {
      const task = await agent.cancel(taskId, within);
      screen.hideProgress();
      if (isJson) screen.writeJson(task);
      else printTask(task);
    });
  },
});
