import type { RemoteTask } from '../../client/remote-task.ts';
import type { Task } from '../../model/task.ts';
import type { Showing } from './follow.ts';
import { exitCodeOf, onStopSignal } from '../interrupt.ts';
import { invocation } from '../invocation.ts';
import type { RemainingTime } from './open-agent.ts';
import { pollUntilSettled } from './poll-task.ts';
import { screen } from '../output/screen.ts';
import { TaskView } from '../output/task-view.ts';

/**
 * Prints the events of a running task until it has ended or asks a question. Ctrl-C exits and the task keeps running, because
 * another command started it.
 */
export async function watchTask(
  task: RemoteTask,
  showing: Showing,
  within: RemainingTime,
  pollMs: number | undefined,
): Promise<Task> {
  const stopListening = onStopSignal(['SIGINT'], () => {
    screen.hideProgress();
    screen.notice(`The task keeps running. To wait for it again: ${invocation()} wait ${task.handle}`);
    process.exit(exitCodeOf('SIGINT'));
  });
  try {
    screen.showProgress('Waiting');
    return await (pollMs === undefined
      ? streamed(task, showing, within)
      : pollUntilSettled(task, pollMs, showing, within));
  } finally {
    stopListening();
    screen.hideProgress();
    screen.endLine();
  }
}

async function streamed(task: RemoteTask, { isJson, isStream }: Showing, within: RemainingTime): Promise<Task> {
  const view = new TaskView();
  // The current state is printed first. The last call prints events that arrived between this read and the stream.
  if (!isJson) view.task(await task.get(within));
  const reply = await task.wait({
    ...within,
    onProgress: (event) => {
      if (!isJson) view.event(event);
      else if (isStream) screen.writeJsonLine(event.response);
    },
  });
  if (!isJson) view.task(reply.task);
  else if (isStream) screen.writeJsonLine({ task: reply.task });
  return reply.task;
}
