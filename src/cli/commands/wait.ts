import { AGENT_OPTIONS } from '../agents/agent-options.ts';
import { EXIT_STATUS_OPTION, exitStatusOf } from '../agents/exit-status.ts';
import { conclude } from '../agents/follow.ts';
import { withAgent } from '../agents/open-agent.ts';
import { defineCommand } from '../option.ts';
import { readChoice, readDuration } from '../agents/read-values.ts';
import { expectNoMore, takeTask } from '../agents/task-arguments.ts';
import { watchTask } from '../agents/watch-task.ts';

const SYNOPSIS = 'wait <handle>';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: `Waits until a task has ended or asks a question, and prints its output. Sends no message again. An agent and the id of a
task can replace the handle. After Ctrl-C the task keeps running.`,
  examples: ['tandem wait task1_WyJodHRwOi8v…', 'tandem wait http://localhost:4100 <task id>'],
  options: {
    stream: { type: 'boolean', help: 'With -o json: print one line for each event', flagOnly: true },
    'poll-interval': { type: 'string', value: '<time>', help: 'Poll at this interval instead of streaming' },
    ...EXIT_STATUS_OPTION,
    ...AGENT_OPTIONS,
  },
  async run({ values, sources, positionals }) {
    const isJson = readChoice('output', values.output, ['text', 'json']) === 'json';
    const { reference, taskId, rest } = takeTask({ values, sources }, positionals, SYNOPSIS);
    expectNoMore(rest, SYNOPSIS);
    const pollMs = readDuration('poll-interval', values['poll-interval']);
    const showing = { isJson, isStream: values.stream, agent: reference.again };
    await withAgent(values, reference, async (agent, within) => {
      const task = await watchTask(agent.task(taskId), showing, within, pollMs);
      conclude({ task, message: undefined }, showing);
      if (values['exit-status']) process.exitCode = exitStatusOf(task.status.state);
    });
  },
});
