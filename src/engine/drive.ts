import type { TaskContext } from './handler.ts';
import type { Runnable } from './runnable.ts';

/** What takes the outputs of a handler. */
export interface Sink {
  /** @throws if that is no output. */
  emit(output: unknown): void;
  /** Something to wait for before the next output. */
  room(): Promise<void> | undefined;
  /** Nothing that the handler does counts any more. */
  readonly isOver: boolean;
}

/** Calls a handler and passes on what it yields. Resolves with what it returns. */
export async function drive(agent: Pick<Runnable, 'run'>, context: TaskContext, sink: Sink): Promise<unknown> {
  const result: unknown = agent.run(context);
  return isAsyncIterable(result) ? drain(result, sink) : result;
}

/** Passes on what an async generator yields. Resolves with what it returns, or with nothing if that has no effect. */
export async function drain(outputs: AsyncIterable<unknown, unknown>, sink: Sink): Promise<unknown> {
  const iterator = outputs[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done === true) return value;
      sink.emit(value);
      if (sink.isOver) break;
      const room = sink.room();
      if (room !== undefined) await room;
    }
  } catch (error) {
    void closeQuietly(iterator);
    throw error;
  }
  void closeQuietly(iterator);
  return undefined;
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown, unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Lets a generator run its `finally`, and cares for nothing that comes of it. */
async function closeQuietly(iterator: AsyncIterator<unknown, unknown>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // The task has its end already.
  }
}
