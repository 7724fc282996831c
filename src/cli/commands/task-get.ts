import { taskCommand } from '../agents/agent-command.ts';
import { conclude } from '../agents/follow.ts';
import { showEvents } from '../details/event-log.ts';
import { readCount, readDuration } from '../read-values.ts';
import { screen } from '../output/screen.ts';
import { printTask } from '../output/task-details.ts';
import { watchTask } from '../agents/watch-task.ts';

export const command = taskCommand({
  synopsis: 'task get [agent] <task>',
  about:
    'Shows the state, the artifacts and the messages of a task. <task> is an id; a handle replaces both agent and id.',
  examples: ['tandem task get clerk 3f2c… --history 10', 'tandem task get clerk 3f2c… --events'],
  options: {
    events: { help: 'Show the numbered events of the task instead', flagOnly: true },
    history: { value: '<n>', help: 'The maximum number of messages to show' },
    wait: { help: 'Wait until the task has ended or asks a question' },
    'poll-interval': { value: '<time>', help: 'With --wait: poll at this interval instead of streaming' },
  },
  aliases: { watch: 'wait' },
  async run({ values, isJson, reference, taskId, withAgent }) {
    const historyLength = readCount('history', values.history);
    const pollMs = readDuration('poll-interval', values['poll-interval']);
    const showing = { isJson, isStream: false, agent: reference.again };
    await withAgent(async (agent, within) => {
      const task = agent.task(taskId);
      if (values.events) return showEvents(task, { isJson, toTheEnd: values.wait }, within);
      if (values.wait) {
        const end = await watchTask(task, showing, within, pollMs);
        return isJson ? screen.writeJson(end) : conclude({ task: end, message: undefined }, showing);
      }
      const now = await task.get({ ...within, ...(historyLength !== undefined && { historyLength }) });
      screen.hideProgress();
      if (isJson) screen.writeJson(now);
      else printTask(now);
    });
  },
});
