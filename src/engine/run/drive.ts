import type { Outputs, TaskContext } from '../handler.ts';
import type { Runnable } from '../runnable.ts';

/** The receiver of the outputs of a handler. */
export interface Sink {
  /** @throws TypeError if the value is not a valid output. */
  emit(output: unknown): void;
  /** A promise to await before the next output, if any. */
  room(): Promise<void> | undefined;
  /** Whether further output is ignored. */
  readonly isOver: boolean;
}

/** Calls a handler and emits everything it yields. Returns its return value, or a promise of it. */
export function drive(agent: Pick<Runnable, 'run'>, context: TaskContext, sink: Sink): unknown {
  const result: unknown = agent.run(context);
  return isAsyncIterable(result) ? drain(result, sink) : result;
}

/** Emits everything an async generator yields. Resolves with its return value, or with `undefined` if the sink is over. */
export async function drain(outputs: Outputs<unknown, unknown>, sink: Sink): Promise<unknown> {
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

export function isAsyncIterable(value: unknown): value is Outputs<unknown, unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Lets a generator run its `finally` and ignores the result. */
async function closeQuietly(iterator: AsyncIterator<unknown, unknown>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // The task has already ended.
  }
}
