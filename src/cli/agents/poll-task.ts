import { setTimeout as pause } from 'node:timers/promises';
import { A2AError } from '../../errors.ts';
import { durationText } from '../../client/request/deadline.ts';
import type { RemoteTask } from '../../client/remote-task.ts';
import { isPaused, isTerminal } from '../../model/state.ts';
import type { Task } from '../../model/task.ts';
import type { Showing } from './follow.ts';
import { now } from '../now.ts';
import type { RemainingTime } from './open-agent.ts';
import { screen } from '../output/screen.ts';
import { TaskView } from '../output/task-view.ts';

/** Reads a task at the interval of the user until it has ended or asks a question. */
export async function pollUntilSettled(
  task: RemoteTask,
  everyMs: number,
  { isJson, isStream }: Showing,
  { timeoutMs = Number.POSITIVE_INFINITY, statedTimeoutMs = timeoutMs }: RemainingTime,
): Promise<Task> {
  const view = new TaskView();
  const endsAt = now() + timeoutMs;
  for (;;) {
    const within: RemainingTime = Number.isFinite(endsAt) ? { timeoutMs: endsAt - now(), statedTimeoutMs } : {};
    const found = await task.get(within);
    if (!isJson) view.task(found);
    else if (isStream) screen.writeJsonLine({ task: found });
    if (isTerminal(found.status.state) || isPaused(found.status.state)) return found;
    if (now() + everyMs > endsAt) {
      const details = { handle: task.handle };
      throw new A2AError('TIMEOUT', `No result within ${durationText(statedTimeoutMs)}`, { details });
    }
    await pause(everyMs);
  }
}
