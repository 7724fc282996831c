import { stateWord } from '../../client/state-word.ts';
import { AGENT_OPTIONS } from '../agents/agent-options.ts';
import { conclude } from '../agents/follow.ts';
import { showEvents } from '../details/event-log.ts';
import { printJson } from '../output/json-output.ts';
import { withAgent } from '../agents/open-agent.ts';
import { defineCommand } from '../option.ts';
import { readChoice, readCount, readDuration } from '../agents/read-values.ts';
import { screen } from '../output/screen.ts';
import { expectNoMore, takeTask } from '../agents/task-arguments.ts';
import { printTask } from '../output/task-details.ts';
import { watchTask } from '../agents/watch-task.ts';

const SYNOPSIS = 'task get [agent] <task>';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about:
    'Shows the state, the artifacts and the messages of a task. <task> is an id; a handle replaces both agent and id.',
  examples: ['tandem task get clerk 3f2c… --history 10', 'tandem task get clerk 3f2c… --events'],
  options: {
    events: { type: 'boolean', help: 'Show the numbered events of the task instead', flagOnly: true },
    history: { type: 'string', value: '<n>', help: 'The maximum number of messages to show' },
    wait: { type: 'boolean', help: 'Wait until the task has ended or asks a question' },
    watch: { type: 'boolean', aliasOf: 'wait', help: '' },
    'poll-interval': {
      type: 'string',
      value: '<time>',
      help: 'With --wait: poll at this interval instead of streaming',
    },
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
        return isJson ? printJson(end) : conclude({ task: end, message: undefined }, showing);
      }
      const now = await task.get({ ...within, ...(historyLength !== undefined && { historyLength }) });
      screen.hideProgress();
      if (isJson) printJson(now);
      else printTask(now, stateWord(now.status.state));
    });
  },
});
