import { taskCommand } from '../agents/agent-command.ts';
import { EXIT_STATUS_OPTION, exitStatusOf } from '../agents/exit-status.ts';
import { conclude } from '../agents/follow.ts';
import { readDuration } from '../read-values.ts';
import { watchTask } from '../agents/watch-task.ts';

export const command = taskCommand({
  synopsis: 'wait <handle>',
  about: `Waits until a task has ended or asks a question, and prints its output. Sends no message again. An agent and the id of a
task can replace the handle. After Ctrl-C the task keeps running.`,
  examples: ['tandem wait task1_WyJodHRwOi8v…', 'tandem wait http://localhost:4100 <task id>'],
  options: {
    stream: { help: 'With -o json: print one line for each event', flagOnly: true },
    'poll-interval': { value: '<time>', help: 'Poll at this interval instead of streaming' },
    ...EXIT_STATUS_OPTION,
  },
  async run({ values, isJson, reference, taskId, withAgent }) {
    const pollMs = readDuration('poll-interval', values['poll-interval']);
    const showing = { isJson, isStream: values.stream, agent: reference.again };
    await withAgent(async (agent, within) => {
      const task = await watchTask(agent.task(taskId), showing, within, pollMs);
      conclude({ task, message: undefined }, showing);
      if (values['exit-status']) process.exitCode = exitStatusOf(task.status.state);
    });
  },
});
