import { A2AError, type ErrorCode } from '../errors.ts';
import { isTerminal } from '../model/state.ts';
import type { Task } from '../model/task.ts';
import { TRANSITIONS } from '../model/transitions.ts';
import { defined } from '../support/defined.ts';
import { CallScope, withScope } from './request/call-scope.ts';
import type { OperationClient } from './request/operation-client.ts';
import type { Received } from './event.ts';
import { ResumableStream } from './task/resumable-stream.ts';
import { ItemStream } from './task/item-stream.ts';
import type { MessageInput } from './message-input.ts';
import type { AnswerOptions, CallOptions, GetOptions, SendOptions, WaitOptions } from './options.ts';
import { pollUpdates } from './task/poll.ts';
import { type Reply, type TaskReply, throwIfEmpty, throwIfFailed } from './reply.ts';
import { about, handleOf, isSettled, lastOf, replyOf, type TaskAtWork, waysOf } from './task/send.ts';
import { DEFAULT_TIMEOUTS } from './settings.ts';
import { TaskFold } from './task/task-fold.ts';
import { TaskStream } from './task-stream.ts';
import { answering, type AnswerInput, answerMessage, dependsOnQuestion, questionsOf } from './task-question.ts';
import { type TaskTransitions, transitionsFrom } from './task/task-transitions.ts';

/** Errors after which the client does not get the task. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'TIMEOUT',
  'INVALID_AGENT_RESPONSE',
]);

/** Options of `subscribe()`. */
export interface SubscribeOptions extends CallOptions {
  /** The number of the last event that you have seen. Agents that number their events send only later ones. */
  readonly after?: number;
}

/** The methods of `AgentClient` that its tasks call. */
export interface TaskMethods {
  get(taskId: string, options: GetOptions): Promise<Task>;
  cancel(taskId: string, options: CallOptions): Promise<Task>;
  send(message: MessageInput, options: SendOptions): Promise<Reply>;
}

/** A task of an agent. Created by `client.task()`; creating it sends no request. */
export class RemoteTask {
  /** The id of the task. */
  readonly id: string;
  readonly #client: TaskMethods;
  readonly #operationClient: OperationClient;

  /** @internal */
  constructor(client: TaskMethods, operationClient: OperationClient, id: string) {
    this.id = id;
    this.#client = client;
    this.#operationClient = operationClient;
  }

  /** A string with which any process can reach the task again: `connect(handle)`. It contains no secrets. */
  get handle(): string {
    return handleOf(this.#operationClient, this.id);
  }

  /** Returns the task as it is now. @throws A2AError `TASK_NOT_FOUND` */
  get(options: GetOptions = {}): Promise<Task> {
    return this.#client.get(this.id, options);
  }

  /**
   * Returns the state changes of the task, oldest first, at most the last 100.
   *
   * @throws A2AError `UNSUPPORTED_OPERATION` if the agent does not record them. Agents made with this library do.
   */
  async transitions(options: CallOptions = {}): Promise<TaskTransitions> {
    const extensions = [...(options.extensions ?? []), TRANSITIONS.uri];
    const task = await this.#client.get(this.id, { ...options, extensions, historyLength: 0 });
    return transitionsFrom(task);
  }

  /**
   * Waits until the task has ended or asks a question. Returns at once if it already has. Only reads the task.
   *
   * @example
   * const agent = await connect(handle);
   * const reply = await agent.task(handle).wait({ timeoutMs: 60_000 });
   *
   * @throws A2AError `TIMEOUT` after 300 s or `timeoutMs`; `TASK_FAILED` if `failed` is `throw`; `TASK_NOT_FOUND`
   */
  wait(options: WaitOptions = {}): Promise<TaskReply> {
    const { clock, timeoutMs = DEFAULT_TIMEOUTS.task } = this.#operationClient.context.settings;
    return withScope(new CallScope(clock, options, timeoutMs), async (scope) => {
      const reply = await this.#wait(scope, options);
      if (options.failed === 'throw') throwIfFailed(reply);
      if (options.empty === 'throw') throwIfEmpty(reply);
      return reply;
    });
  }

  /** Asks the agent to cancel the task. See `AgentClient.cancel()`. */
  cancel(options: CallOptions = {}): Promise<Task> {
    return this.#client.cancel(this.id, options);
  }

  /**
   * Answers the question of the task, or sends it another message, and waits until the task has ended or asks again. A value that is
   * not a string is sent as text or as data, whichever the question needs; the client reads the task first to find out.
   *
   * @example
   * await task.answer('yes');
   * await task.answer(true);
   * await task.answer({ street: 'Elm St', number: 3 });
   * await task.answer('Oslo', { question: reply.questions[1] }); // of several open questions
   * await task.answer({ text: 'This one', parts: [{ url: 'https://example.com/a.png' }] });
   *
   * @throws A2AError `INVALID_PARAMS` if the agent rejects the answer; `violations` name the wrong fields
   */
  async answer(
    answer: AnswerInput,
    { sensitive = false, question: named, ...options }: AnswerOptions = {},
  ): Promise<Reply> {
    const { signal, timeoutMs, traceparent, tracestate, extensions } = options;
    const within = defined({ signal, timeoutMs, traceparent, tracestate, extensions });
    const id = typeof named === 'object' ? named.id : named;
    const isKnown = typeof named === 'object' || !dependsOnQuestion(answer);
    const questions = isKnown ? [] : questionsOf(await this.get({ ...within, historyLength: 0 }));
    const found = id === undefined ? questions[0] : questions.find((one) => one.id === id);
    const question = typeof named === 'object' ? named : found;
    const message = answerMessage(answer, question, sensitive || question?.isSensitive === true);
    return this.#client.send(id === undefined ? message : answering(message, id), { ...options, taskId: this.id });
  }

  /**
   * Returns the events of the task from now on, or after the event number `after`. If the task has already ended, the stream has
   * one event: the task.
   *
   * @example
   * for await (const event of agent.task(id).subscribe({ after: 12 })) console.log(event.number, event.text);
   */
  subscribe(options: SubscribeOptions = {}): TaskStream {
    const fold = new TaskFold();
    const { clock, timeoutMs } = this.#operationClient.context.settings;
    return new TaskStream(
      fold,
      () => new CallScope(clock, options, timeoutMs),
      (scope) => this.#events({ operationClient: this.#operationClient, scope, fold }, options.after),
    );
  }

  async #wait(scope: CallScope, { wait = waysOf(this.#operationClient), onProgress }: WaitOptions): Promise<TaskReply> {
    const operationClient = this.#operationClient;
    const fold = new TaskFold();
    const task = { operationClient, scope, fold };
    about(task, this.id);
    const known = await operationClient.call('GetTask', { id: this.id }, scope);
    fold.take({ task: known.value });
    let { raw } = known;
    if (!isSettled(fold) && wait === 'stream') {
      const follower = new ResumableStream({ ...task, open: () => this.#subscribeIfPossible(task) });
      raw = (await lastOf(follower.events(), fold, onProgress)) ?? raw;
      // Without event numbers, changes between the first GetTask and the subscription may be missing.
      if (
        isSettled(fold) &&
        !follower.isNumbered &&
        !(await operationClient.endpoints.load()).dialect.subscribesToTheEnd
      ) {
        const last = await operationClient.call('GetTask', { id: this.id }, scope);
        fold.take({ task: last.value });
        ({ raw } = last);
      }
    }
    if (!isSettled(fold)) raw = (await lastOf(pollUpdates(task), fold, onProgress)) ?? raw;
    return replyOf(task, raw) as TaskReply;
  }

  #events(task: TaskAtWork, after?: number): AsyncGenerator<Received, void, void> {
    about(task, this.id);
    return new ResumableStream({ ...task, taskId: this.id, open: () => this.#subscribeOrEnd(task, after) }).events();
  }

  /**
   * Subscribes to the task. Agents reject a subscription to an ended task with different errors, or break the connection. Then the
   * task itself is the only event.
   */
  async #subscribeOrEnd(task: TaskAtWork, after?: number): Promise<ItemStream> {
    const { operationClient, scope } = task;
    try {
      return await this.#subscribe(task, after);
    } catch (error) {
      if (scope.deadline.aborted || !A2AError.is(error) || FINAL.has(error.code)) throw error;
      if (error.details['sent'] === 'no') throw error;
      const found = await operationClient.call('GetTask', { id: this.id }, scope).catch(() => undefined);
      if (found === undefined || !isTerminal(found.value.status.state)) throw error;
      return ItemStream.single({ ...found, value: { task: found.value } });
    }
  }

  #subscribe({ operationClient, scope }: TaskAtWork, after?: number): Promise<ItemStream> {
    const resuming = after === undefined ? {} : { lastEventId: String(after) };
    return operationClient.open('SubscribeToTask', { id: this.id }, scope, resuming);
  }

  /** Subscribes to the task. Returns undefined if the agent rejects it: the task has just ended, or the agent has no streams. */
  async #subscribeIfPossible(task: TaskAtWork): Promise<ItemStream | undefined> {
    try {
      return await this.#subscribe(task);
    } catch (error) {
      if (task.scope.deadline.aborted || !A2AError.is(error)) throw error;
      return undefined;
    }
  }
}
