import { A2AError } from '../../errors.ts';
import { isPaused } from '../../model/state.ts';
import type { Scope } from '../../store/store.ts';
import { cancelTask } from './cancel.ts';
import { existing } from './task-access.ts';
import type { EngineContext } from '../engine-context.ts';
import type { Runnable } from '../runnable.ts';
import type { Runs } from '../schedule/runs.ts';
import type { StreamItem } from '../stream/subscribe.ts';
import type { LeaveSignal } from '../../support/leave-signal.ts';

/** Handles a sender that disconnected before it got the outcome. With `onDisconnect: 'cancel'` its task is canceled. */
export function senderLeft(
  engine: EngineContext,
  runs: Runs,
  { limits }: Runnable,
  scope: Scope,
  taskId: string,
): void {
  if (limits.onDisconnect === 'cancel') {
    cancelUnlessPaused(engine, runs, scope, taskId).catch((error: unknown) => {
      if (!A2AError.is(error, 'TASK_NOT_CANCELABLE') && !A2AError.is(error, 'TASK_NOT_FOUND'))
        engine.log.warn('Could not cancel the task of a disconnected sender', { taskId, error });
    });
  }
}

/**
 * A paused task is kept, because many callers disconnect after they have read the question and come back with the answer.
 */
async function cancelUnlessPaused(engine: EngineContext, runs: Runs, scope: Scope, taskId: string): Promise<void> {
  const stored = await engine.store.read(scope, taskId, { history: 0 });
  if (stored !== undefined && !isPaused(stored.record.status.state))
    await cancelTask(engine, runs, scope, taskId, existing);
}

/**
 * Returns the items of a stream. Calls `onLeft` once if its subscriber leaves, by the signal or by closing the iterator.
 */
export function untilLeft(
  items: AsyncIterable<readonly StreamItem[]>,
  signal: LeaveSignal | undefined,
  onLeft: () => void,
): AsyncIterable<readonly StreamItem[]> {
  let isOver = false;
  const leave = (): void => {
    if (!isOver) onLeft();
    isOver = true;
  };
  // Not only in the generator, because a generator that was never read does not run its `finally`.
  signal?.addEventListener('abort', leave, { once: true });
  if (signal?.aborted === true) leave();
  const iterator = items[Symbol.asyncIterator]();
  async function* whole(): AsyncGenerator<readonly StreamItem[], void> {
    yield* { [Symbol.asyncIterator]: () => iterator };
    isOver = true;
  }
  return closing(whole(), () => {
    signal?.removeEventListener('abort', leave);
    leave();
    // For subscribers that leave before the first read. Otherwise the iterator has already ended.
    void iterator.return?.();
  });
}

/** Works like `finally`, but also runs if the subscriber leaves before the first read, which does not start a generator. */
function closing<T>(items: AsyncGenerator<T, void>, close: () => void): AsyncGenerator<T, void> {
  const closed = async (result: Promise<IteratorResult<T, void>>): Promise<IteratorResult<T, void>> => {
    try {
      const next = await result;
      if (next.done === true) close();
      return next;
    } catch (error) {
      close();
      throw error;
    }
  };
  const stream: AsyncGenerator<T, void> = {
    next: () => closed(items.next()),
    return: (value) => {
      close();
      return items.return(value);
    },
    throw: (error) => {
      close();
      return items.throw(error);
    },
    [Symbol.asyncIterator]: () => stream,
    [Symbol.asyncDispose]: async () => void (await stream.return()),
  };
  return stream;
}
