import type { Task } from '../model/task.ts';
import type { CallScope } from './request/call-scope.ts';
import { type AgentEvent, type Received, toAgentEvent } from './event.ts';
import type { TaskFold } from './task/task-fold.ts';

const DONE: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined });

/**
 * The events of a task as they arrive. The request is sent when the first event is requested. Leaving the loop closes the
 * connection; the task continues.
 */
export class TaskStream implements AsyncIterator<AgentEvent, undefined>, AsyncIterable<AgentEvent> {
  readonly #open: () => CallScope;
  readonly #events: (scope: CallScope) => AsyncGenerator<Received, void, void>;
  readonly #fold: TaskFold;
  #scope: CallScope | undefined;
  #iterator: AsyncGenerator<Received, void, void> | undefined;
  #isOver = false;
  #isWaiting = false;

  /** @internal */
  constructor(
    fold: TaskFold,
    open: () => CallScope,
    events: (scope: CallScope) => AsyncGenerator<Received, void, void>,
  ) {
    this.#fold = fold;
    this.#open = open;
    this.#events = events;
  }

  /** The task after the events that have arrived so far. */
  get task(): Task | undefined {
    return this.#fold.task();
  }

  /** The handle of the task, as soon as the agent has created one. Pass it to `connect()` to reach the task again. */
  get handle(): string | undefined {
    return this.#scope?.handle;
  }

  /** Waits for the next event. @throws A2AError, with the handle of the task in `details` */
  async next(): Promise<IteratorResult<AgentEvent, undefined>> {
    if (this.#isOver) return DONE;
    const scope = (this.#scope ??= this.#open());
    const iterator = (this.#iterator ??= this.#events(scope));
    this.#isWaiting = true;
    try {
      const next = await iterator.next();
      if (next.done !== true) return { done: false, value: toAgentEvent(next.value) };
    } catch (error) {
      // After return(), errors are a consequence of stopping the stream.
      if (!this.#isOver) throw this.#end(scope.explain(error));
    } finally {
      this.#isWaiting = false;
    }
    this.#end();
    return DONE;
  }

  /** Ends the stream, also while a call of `next()` waits. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#isOver = true;
    // A generator that awaits cannot return before its promise settles.
    if (this.#isWaiting) this.#scope?.stop();
    await this.#iterator?.return().catch(() => {});
    this.#end();
    return DONE;
  }

  #end(error?: unknown): unknown {
    this.#isOver = true;
    this.#scope?.close();
    return error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Ends the stream. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
