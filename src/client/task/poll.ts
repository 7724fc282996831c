import { A2AError } from '../../errors.ts';
import type { CallScope } from '../request/call-scope.ts';
import type { OperationClient } from '../request/operation-client.ts';
import type { Received } from '../event.ts';
import { backoffMs } from '../request/recovery.ts';
import type { TaskFold } from './task-fold.ts';

/** The first pause is short because many tasks are. */
const FIRST_PAUSE_MS = 50;

/** How many polls in a row may fail. */
const MAX_FAILURES = 5;

export interface Polled {
  readonly operationClient: OperationClient;
  readonly scope: CallScope;
  readonly fold: TaskFold;
  /** The id of the task, if it is known before the first event. */
  readonly taskId?: string;
}

/**
 * Polls a task until it ends or waits for its caller, and yields the changes.
 *
 * @param unchanged Called with the time since the last change after each poll. It may throw to end the wait.
 */
export async function* pollUpdates(
  { operationClient, scope, fold, taskId }: Polled,
  unchanged?: (ms: number) => Promise<void>,
): AsyncGenerator<Received, void, void> {
  const id = fold.taskId ?? taskId;
  if (id === undefined) return;
  const { clock } = operationClient.context.settings;
  let changedAt = clock.now();
  let timestamp = fold.task()?.status.timestamp;
  let failures = 0;
  for (let polls = 0; ; polls++) {
    let waitMs = backoffMs(polls, FIRST_PAUSE_MS);
    try {
      const { value: task, raw } = await operationClient.call('GetTask', { id }, scope);
      failures = 0;
      const missed = [...fold.missed(task)];
      fold.take({ task });
      for (const event of missed) yield { event, number: undefined, raw };
      if (missed.length > 0 || task.status.timestamp !== timestamp) changedAt = clock.now();
      ({ timestamp } = task.status);
    } catch (error) {
      if (!isPassing(error) || ++failures > MAX_FAILURES) throw error;
      waitMs = Math.max(waitMs, error.retryAfterMs ?? 0);
    }
    if (fold.isOver || fold.isPaused) return;
    if (unchanged !== undefined) await unchanged(clock.now() - changedAt);
    await scope.deadline.pause(waitMs);
  }
}

/** Whether an error may be temporary. */
export function isPassing(error: unknown): error is A2AError {
  return (
    A2AError.is(error, 'TRANSPORT_FAILED') ||
    A2AError.is(error, 'UNAVAILABLE') ||
    A2AError.is(error, 'RATE_LIMIT_EXCEEDED')
  );
}
