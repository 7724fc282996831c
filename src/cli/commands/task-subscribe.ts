import { AGENT_OPTIONS } from '../agents/agent-options.ts';
import { EXIT_STATUS_OPTION, exitStatusOf } from '../agents/exit-status.ts';
import { conclude, follow } from '../agents/follow.ts';
import { exitCodeOf, onStopSignal } from '../interrupt.ts';
import { printJson } from '../output/json-output.ts';
import { withAgent } from '../agents/open-agent.ts';
import { defineCommand } from '../option.ts';
import { readChoice, readCount } from '../agents/read-values.ts';
import { screen } from '../output/screen.ts';
import { expectNoMore, takeTask } from '../agents/task-arguments.ts';

const SYNOPSIS = 'task subscribe [agent] <task>';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: `Streams the events of a running task until it has ended or asks a question. <task> is an id; a handle replaces both agent and id.
After Ctrl-C the task keeps running.`,
  options: {
    stream: { type: 'boolean', help: 'With -o json: print one line for each event', flagOnly: true },
    after: { type: 'string', value: '<n>', help: 'Skip events up to this number, if the agent numbers them' },
    ...EXIT_STATUS_OPTION,
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
        screen.showProgress('Waiting for events');
        const turn = await follow(
          agent.task(taskId).subscribe({ ...within, ...(after !== undefined && { after }) }),
          showing,
        );
        if (isJson && !values.stream) printJson(turn.task);
        else conclude(turn, showing);
        if (values['exit-status']) process.exitCode = exitStatusOf(turn.task?.status.state);
      });
    } finally {
      stopListening();
    }
  },
});
