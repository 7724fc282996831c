import type { Task } from '../model/task.ts';
import type { CallScope } from './call-scope.ts';
import { type AgentEvent, type Received, toAgentEvent } from './event.ts';
import type { TaskFold } from './task-fold.ts';

const DONE: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined });

/**
 * The events of a task as they come. Nothing is sent before the first is asked for; leaving the loop closes the connection
 * and leaves the task alone.
 */
export class TaskStream implements AsyncIterableIterator<AgentEvent, undefined> {
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

  /** The task as its events have made it so far. */
  get task(): Task | undefined {
    return this.#fold.task();
  }

  /** A text with which `connect()` finds back to the task, as soon as there is one. */
  get handle(): string | undefined {
    return this.#scope?.handle;
  }

  async next(): Promise<IteratorResult<AgentEvent, undefined>> {
    if (this.#isOver) return DONE;
    const scope = (this.#scope ??= this.#open());
    const iterator = (this.#iterator ??= this.#events(scope));
    this.#isWaiting = true;
    try {
      const next = await iterator.next();
      if (next.done !== true) return { done: false, value: toAgentEvent(next.value) };
    } catch (error) {
      // Whoever left does not want to hear what that did.
      if (!this.#isOver) throw this.#end(scope.explain(error));
    } finally {
      this.#isWaiting = false;
    }
    this.#end();
    return DONE;
  }

  /** Also while somebody waits for the next event. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#isOver = true;
    // A generator that waits hears nothing before its wait is over.
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
