import { stateWord } from '../../client/state-word.ts';
import { AGENT_OPTIONS } from '../agent-options.ts';
import { conclude } from '../follow.ts';
import { showEvents } from '../event-log.ts';
import { giveJson } from '../json-output.ts';
import { withAgent } from '../open-agent.ts';
import { defineCommand } from '../option.ts';
import { readChoice, readCount, readDuration } from '../read-values.ts';
import { screen } from '../screen.ts';
import { expectNoMore, takeTask } from '../task-arguments.ts';
import { giveTask } from '../task-details.ts';
import { watchTask } from '../watch-task.ts';

const SYNOPSIS = 'task get [agent] <task>';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about:
    'Shows a task: its state, what it has given, and what was said. <task> is an id, or a handle without an agent.',
  examples: ['tandem task get clerk 3f2c… --history 10', 'tandem task get clerk 3f2c… --events'],
  options: {
    events: { type: 'boolean', help: 'Show the numbered log of its events instead', flagOnly: true },
    history: { type: 'string', value: '<n>', help: 'How many messages to show' },
    wait: { type: 'boolean', help: 'Wait until it has ended, or asks something' },
    watch: { type: 'boolean', aliasOf: 'wait', help: '' },
    'poll-interval': { type: 'string', value: '<time>', help: 'With --wait: ask every so often instead of streaming' },
    ...AGENT_OPTIONS,
  },
  async run({ values, sources, positionals }) {
    const isJson = readChoice('output', values.output, ['text', 'json']) === 'json';
    const { reference, taskId, rest } = takeTask({ values, sources }, positionals, SYNOPSIS);
    expectNoMore(rest, SYNOPSIS);
    const historyLength = readCount('history', values.history);
    const pollMs = readDuration('poll-interval', values['poll-interval']);
    const showing = { isJson, isStream: false, agent: reference.again };
    await withAgent(values, reference, async (agent, within) => {
      const task = agent.task(taskId);
      if (values.events) return showEvents(task, { isJson, toTheEnd: values.wait }, within);
      if (values.wait) {
        const end = await watchTask(task, showing, within, pollMs);
        return isJson ? giveJson(end) : conclude({ task: end, message: undefined }, showing);
      }
      const now = await task.get({ ...within, ...(historyLength !== undefined && { historyLength }) });
      screen.rest();
      if (isJson) giveJson(now);
      else giveTask(now, stateWord(now.status.state));
    });
  },
});
