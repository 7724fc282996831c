import { A2AError } from '../errors.ts';
import type { CallScope } from './call-scope.ts';
import type { Caller } from './caller.ts';
import type { Received } from './event.ts';
import { backoffMs } from './recovery.ts';
import type { TaskFold } from './task-fold.ts';

/** The first look comes soon, for many tasks are short. */
const FIRST_PAUSE_MS = 50;

/** How often in a row a look may fail. */
const MAX_FAILURES = 5;

export interface Polled {
  readonly caller: Caller;
  readonly scope: CallScope;
  readonly fold: TaskFold;
  /** The task, if that is known before the agent says anything of it. */
  readonly taskId?: string;
}

/**
 * Polls a task until it ends or waits for its caller, and yields what changed.
 *
 * @param unchanged Called with the time since the last change after each look that showed none. It may throw to end the wait.
 */
export async function* pollUpdates(
  { caller, scope, fold, taskId }: Polled,
  unchanged?: (ms: number) => Promise<void>,
): AsyncGenerator<Received, void, void> {
  const id = fold.taskId ?? taskId;
  if (id === undefined) return;
  const { clock } = caller.wiring.settings;
  let changedAt = clock.now();
  let timestamp = fold.task()?.status.timestamp;
  let failures = 0;
  for (let looks = 0; ; looks++) {
    let waitMs = backoffMs(looks, FIRST_PAUSE_MS);
    try {
      const { value: task, raw } = await caller.call('GetTask', { id }, scope);
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

/** Trouble that may be over in a moment. */
export function isPassing(error: unknown): error is A2AError {
  return (
    A2AError.is(error, 'TRANSPORT_FAILED') ||
    A2AError.is(error, 'UNAVAILABLE') ||
    A2AError.is(error, 'RATE_LIMIT_EXCEEDED')
  );
}
