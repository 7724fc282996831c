import { AGENT_OPTIONS } from '../agent-options.ts';
import { conclude } from '../follow.ts';
import { withAgent } from '../open-agent.ts';
import { defineCommand } from '../option.ts';
import { readChoice, readDuration } from '../read-values.ts';
import { expectNoMore, takeTask } from '../task-arguments.ts';
import { watchTask } from '../watch-task.ts';

const SYNOPSIS = 'wait <handle>';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: `Waits for a task that was begun with --detach, or left, until it has ended or asks something. Nothing is sent again.
Ctrl-C leaves the task alone.`,
  examples: ['tandem wait task1_WyJodHRwOi8v…', 'tandem wait http://localhost:4100 <task id>'],
  options: {
    stream: { type: 'boolean', help: 'With -o json: one line for each event', flagOnly: true },
    'poll-interval': { type: 'string', value: '<time>', help: 'Ask every so often how it goes instead of streaming' },
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
    });
  },
});
