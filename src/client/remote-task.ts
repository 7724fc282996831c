import { A2AError, type ErrorCode } from '../errors.ts';
import { isTerminal } from '../model/state.ts';
import type { Task } from '../model/task.ts';
import { TRANSITIONS } from '../model/transitions.ts';
import type { AgentClient, GetOptions } from './client.ts';
import { CallScope, withScope } from './call-scope.ts';
import type { Caller } from './caller.ts';
import type { Received } from './event.ts';
import { Follower } from './follow.ts';
import { ItemStream } from './item-stream.ts';
import type { MessageInput } from './message-input.ts';
import type { CallOptions, SendOptions, WaitOptions } from './options.ts';
import { pollUpdates } from './poll.ts';
import { type Reply, type TaskReply, throwIfEmpty, throwIfFailed } from './reply.ts';
import { about, handleOf, isSettled, lastOf, replyOf, type TaskAtWork, waysOf } from './send.ts';
import { DEFAULT_TIMEOUTS } from './settings.ts';
import { TaskFold } from './task-fold.ts';
import { TaskStream } from './task-stream.ts';
import { type TaskTransitions, transitionsFrom } from './task-transitions.ts';

/** Errors after which the client does not ask for the task. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'TIMEOUT',
  'INVALID_AGENT_RESPONSE',
]);

export interface SubscribeOptions extends CallOptions {
  /** The number of the last event that is known: only later ones come, if the agent numbers its events. */
  readonly after?: number;
}

/** A task that an agent has. */
export class RemoteTask {
  readonly id: string;
  readonly #client: AgentClient;
  readonly #caller: Caller;

  /** @internal */
  constructor(client: AgentClient, caller: Caller, id: string) {
    this.id = id;
    this.#client = client;
    this.#caller = caller;
  }

  /** A text to keep: with it, `connect()` finds back to the task, from anywhere. It holds no secret. */
  get handle(): string {
    return handleOf(this.#caller, this.id);
  }

  get(options: GetOptions = {}): Promise<Task> {
    return this.#client.get(this.id, options);
  }

  /**
   * The state changes of the task, oldest first, at most the last 100.
   *
   * @throws A2AError `UNSUPPORTED_OPERATION` if the agent does not record them; agents of this library do.
   */
  async transitions(options: CallOptions = {}): Promise<TaskTransitions> {
    const extensions = [...(options.extensions ?? []), TRANSITIONS.uri];
    const task = await this.#client.get(this.id, { ...options, extensions, historyLength: 0 });
    return transitionsFrom(task);
  }

  /** Waits until the task has ended, or asks something back. Sends nothing but questions about it. */
  wait(options: WaitOptions = {}): Promise<TaskReply> {
    const { clock, timeoutMs = DEFAULT_TIMEOUTS.task } = this.#caller.wiring.settings;
    return withScope(new CallScope(clock, options, timeoutMs), async (scope) => {
      const reply = await this.#wait(scope, options);
      if (options.failed === 'throw') throwIfFailed(reply);
      if (options.empty === 'throw') throwIfEmpty(reply);
      return reply;
    });
  }

  cancel(options: CallOptions = {}): Promise<Task> {
    return this.#client.cancel(this.id, options);
  }

  /** Answers what the task asks, or adds something to it, and waits for what comes of it. */
  answer(message: MessageInput, options: SendOptions = {}): Promise<Reply> {
    return this.#client.send(message, { ...options, taskId: this.id });
  }

  /**
   * What happens with the task from now on, or from a known event on. If the task has ended already, the stream has one event:
   * the task.
   */
  subscribe(options: SubscribeOptions = {}): TaskStream {
    const fold = new TaskFold();
    const { clock, timeoutMs } = this.#caller.wiring.settings;
    return new TaskStream(
      fold,
      () => new CallScope(clock, options, timeoutMs),
      (scope) => this.#events({ caller: this.#caller, scope, fold }, options.after),
    );
  }

  async #wait(scope: CallScope, { wait = waysOf(this.#caller), onProgress }: WaitOptions): Promise<TaskReply> {
    const caller = this.#caller;
    const fold = new TaskFold();
    const task = { caller, scope, fold };
    about(task, this.id);
    const known = await caller.call('GetTask', { id: this.id }, scope);
    fold.take({ task: known.value });
    let { raw } = known;
    if (!isSettled(fold) && wait === 'stream') {
      const follower = new Follower({ ...task, open: () => this.#subscribeIfPossible(task) });
      raw = (await lastOf(follower.events(), fold, onProgress)) ?? raw;
      // What happened between the question and the subscription is known only to those who count or compare.
      if (isSettled(fold) && !follower.isNumbered && !(await caller.endpoints.load()).dialect.subscribesToTheEnd) {
        const last = await caller.call('GetTask', { id: this.id }, scope);
        fold.take({ task: last.value });
        ({ raw } = last);
      }
    }
    if (!isSettled(fold)) raw = (await lastOf(pollUpdates(task), fold, onProgress)) ?? raw;
    return replyOf(task, raw) as TaskReply;
  }

  #events(task: TaskAtWork, after?: number): AsyncGenerator<Received, void, void> {
    about(task, this.id);
    return new Follower({ ...task, taskId: this.id, open: () => this.#subscribeOrEnd(task, after) }).events();
  }

  /**
   * Agents reject a subscription to a task that has ended, each with another error, or break the connection. Then the task itself
   * is the only event.
   */
  async #subscribeOrEnd(task: TaskAtWork, after?: number): Promise<ItemStream> {
    const { caller, scope } = task;
    try {
      return await this.#subscribe(task, after);
    } catch (error) {
      if (scope.deadline.aborted || !A2AError.is(error) || FINAL.has(error.code)) throw error;
      if (error.details['sent'] === 'no') throw error;
      const found = await caller.call('GetTask', { id: this.id }, scope).catch(() => undefined);
      if (found === undefined || !isTerminal(found.value.status.state)) throw error;
      return ItemStream.single({ ...found, value: { task: found.value } });
    }
  }

  #subscribe({ caller, scope }: TaskAtWork, after?: number): Promise<ItemStream> {
    const resuming = after === undefined ? {} : { lastEventId: String(after) };
    return caller.open('SubscribeToTask', { id: this.id }, scope, resuming);
  }

  /** For one who waits it is no error that the task has just ended, or that there are no subscriptions. */
  async #subscribeIfPossible(task: TaskAtWork): Promise<ItemStream | undefined> {
    try {
      return await this.#subscribe(task);
    } catch (error) {
      if (task.scope.deadline.aborted || !A2AError.is(error)) throw error;
      return undefined;
    }
  }
}
