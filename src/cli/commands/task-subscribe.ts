import { AGENT_OPTIONS } from '../agent-options.ts';
import { conclude, follow } from '../follow.ts';
import { exitCodeOf, onStopSignal } from '../interrupt.ts';
import { giveJson } from '../json-output.ts';
import { withAgent } from '../open-agent.ts';
import { defineCommand } from '../option.ts';
import { readChoice, readCount } from '../read-values.ts';
import { screen } from '../screen.ts';
import { expectNoMore, takeTask } from '../task-arguments.ts';

const SYNOPSIS = 'task subscribe [agent] <task>';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: `Follows a task that runs, until it has ended or asks something. <task> is an id, or a handle without an agent.
Ctrl-C leaves the task alone.`,
  options: {
    stream: { type: 'boolean', help: 'With -o json: one line for each event', flagOnly: true },
    after: { type: 'string', value: '<n>', help: 'Only events after this number, where the agent numbers them' },
    ...AGENT_OPTIONS,
  },
  async run({ values, sources, positionals }) {
    const isJson = readChoice('output', values.output, ['text', 'json']) === 'json';
    const { reference, taskId, rest } = takeTask({ values, sources }, positionals, SYNOPSIS);
    expectNoMore(rest, SYNOPSIS);
    const after = readCount('after', values.after);
    const showing = { isJson, isStream: values.stream, agent: reference.again };
    const stopListening = onStopSignal(['SIGINT'], () => process.exit(exitCodeOf('SIGINT')));
    try {
      await withAgent(values, reference, async (agent, within) => {
        screen.work('Following the task');
        const turn = await follow(
          agent.task(taskId).subscribe({ ...within, ...(after !== undefined && { after }) }),
          showing,
        );
        if (isJson && !values.stream) giveJson(turn.task);
        else conclude(turn, showing);
      });
    } finally {
      stopListening();
    }
  },
});
