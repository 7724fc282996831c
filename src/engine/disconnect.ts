import { A2AError } from '../errors.ts';
import { isPaused } from '../model/state.ts';
import type { Scope } from '../store/store.ts';
import { cancelTask } from './cancel.ts';
import type { Core } from './core.ts';
import type { Runnable } from './runnable.ts';
import type { Runs } from './runs.ts';
import type { StreamItem } from './subscribe.ts';
import type { LeaveSignal } from '../support/leave-signal.ts';

/** The sender of a message has gone before he had the outcome. Most agents do not mind. */
export function senderLeft(core: Core, runs: Runs, { limits }: Runnable, scope: Scope, taskId: string): void {
  if (limits.onDisconnect === 'cancel') {
    cancelUnlessPaused(core, runs, scope, taskId).catch((error: unknown) => {
      if (!A2AError.is(error, 'TASK_NOT_CANCELABLE') && !A2AError.is(error, 'TASK_NOT_FOUND'))
        core.log.warn('A task that was left could not be canceled', { taskId, error });
    });
  }
}

/** A task that waits for its caller is one that he may come back to: many leave when they have read the question. */
async function cancelUnlessPaused(core: Core, runs: Runs, scope: Scope, taskId: string): Promise<void> {
  const stored = await core.store.read(scope, taskId, { history: 0 });
  if (stored !== undefined && !isPaused(stored.record.status.state)) await cancelTask(core, runs, scope, taskId);
}

/** The items of a stream. `onLeft` is called once if its reader leaves, by the signal or by reading no further. */
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
  // Not only in the generator: who leaves before he has read anything does not start it.
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
    // For who leaves before he has read anything; for all others it is over already.
    void iterator.return?.();
  });
}

/** Like a `finally`, but also for a reader who leaves before he has read anything: that does not start a generator. */
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
