import type { RemoteTask } from '../client/remote-task.ts';
import type { Task } from '../model/task.ts';
import type { Showing } from './follow.ts';
import { exitCodeOf, onStopSignal } from './interrupt.ts';
import { invocation } from './invocation.ts';
import { giveJsonLine } from './json-output.ts';
import type { TimeLeft } from './open-agent.ts';
import { pollUntilSettled } from './poll-task.ts';
import { screen } from './screen.ts';
import { TaskView } from './task-view.ts';

/**
 * Shows a task that somebody else has begun until it has ended, or waits for an answer. Ctrl-C leaves it alone: it ran
 * without us before.
 */
export async function watchTask(
  task: RemoteTask,
  showing: Showing,
  within: TimeLeft,
  pollMs: number | undefined,
): Promise<Task> {
  const stopListening = onStopSignal(['SIGINT'], () => {
    screen.rest();
    screen.tell(`The task goes on without us. To come back: ${invocation()} wait ${task.handle}`);
    process.exit(exitCodeOf('SIGINT'));
  });
  try {
    screen.work('Waiting');
    return await (pollMs === undefined
      ? streamed(task, showing, within)
      : pollUntilSettled(task, pollMs, showing, within));
  } finally {
    stopListening();
    screen.rest();
    screen.endLine();
  }
}

async function streamed(task: RemoteTask, { isJson, isStream }: Showing, within: TimeLeft): Promise<Task> {
  const view = new TaskView();
  // What is known already is shown first, and whatever comes between the two looks by the last one.
  if (!isJson) view.task(await task.get(within));
  const reply = await task.wait({
    ...within,
    onProgress: (event) => {
      if (!isJson) view.event(event);
      else if (isStream) giveJsonLine(event.response);
    },
  });
  if (!isJson) view.task(reply.task);
  else if (isStream) giveJsonLine({ task: reply.task });
  return reply.task;
}
