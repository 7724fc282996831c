import { setTimeout as pause } from 'node:timers/promises';
import { A2AError } from '../errors.ts';
import type { RemoteTask } from '../client/remote-task.ts';
import { isPaused, isTerminal } from '../model/state.ts';
import type { Task } from '../model/task.ts';
import type { Showing } from './follow.ts';
import { giveJsonLine } from './json-output.ts';
import { now } from './now.ts';
import type { TimeLeft } from './open-agent.ts';
import { TaskView } from './task-view.ts';

/** Asks for a task again and again, as often as the user wants it, until it has ended or waits for an answer. */
export async function pollUntilSettled(
  task: RemoteTask,
  everyMs: number,
  { isJson, isStream }: Showing,
  { timeoutMs = Number.POSITIVE_INFINITY }: TimeLeft,
): Promise<Task> {
  const view = new TaskView();
  const endsAt = now() + timeoutMs;
  for (;;) {
    const found = await task.get();
    if (!isJson) view.task(found);
    else if (isStream) giveJsonLine({ task: found });
    if (isTerminal(found.status.state) || isPaused(found.status.state)) return found;
    if (now() + everyMs > endsAt) {
      throw new A2AError('TIMEOUT', `No end within ${Math.round(timeoutMs)} ms`, { details: { handle: task.handle } });
    }
    await pause(everyMs);
  }
}
