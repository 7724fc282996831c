import { taskCommand } from '../agents/agent-command.ts';
import { EXIT_STATUS_OPTION, exitStatusOf } from '../agents/exit-status.ts';
import { conclude, follow } from '../agents/follow.ts';
import { exitCodeOf, onStopSignal } from '../interrupt.ts';
import { readCount } from '../read-values.ts';
import { screen } from '../output/screen.ts';

export const command = taskCommand({
  synopsis: 'task subscribe [agent] <task>',
  about: `Streams the events of a running task until it has ended or asks a question. <task> is an id; a handle replaces both agent and id.
After Ctrl-C the task keeps running.`,
  options: {
    stream: { help: 'With -o json: print one line for each event', flagOnly: true },
    after: { value: '<n>', help: 'Skip events up to this number, if the agent numbers them' },
    ...EXIT_STATUS_OPTION,
  },
  async run({ values, isJson, reference, taskId, withAgent }) {
    const after = readCount('after', values.after);
    const showing = { isJson, isStream: values.stream, agent: reference.again };
    const stopListening = onStopSignal(['SIGINT'], () => process.exit(exitCodeOf('SIGINT')));
    try {
      await withAgent(async (agent, within) => {
        screen.showProgress('Waiting for events');
        const turn = await follow(
          agent.task(taskId).subscribe({ ...within, ...(after !== undefined && { after }) }),
          showing,
        );
        if (isJson && !values.stream) screen.writeJson(turn.task);
        else conclude(turn, showing);
        if (values['exit-status']) process.exitCode = exitStatusOf(turn.task?.status.state);
      });
    } finally {
      stopListening();
    }
  },
});
