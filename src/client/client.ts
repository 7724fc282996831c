import { A2AError, markNested } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import type {
  ListTasksRequest,
  ListTasksResponse,
  OperationName,
  SendMessageConfiguration,
  SendMessageRequest,
} from '../model/operation.ts';
import type { Message } from '../model/message.ts';
import type { Part } from '../model/part.ts';
import type { Task } from '../model/task.ts';
import { defined } from '../support/defined.ts';
import type { Warning } from '../wire/reader.ts';
import { CallScope, withScope } from './call-scope.ts';
import { Caller } from './caller.ts';
import type { Connection } from './connection.ts';
import type { Chosen } from './endpoint.ts';
import type { Endpoints } from './endpoints.ts';
import { bytesOfPart } from './download.ts';
import { fetchExtendedCard } from './extended-card.ts';
import { type MessageInput, toMessage } from './message-input.ts';
import type { AskOptions, CallOptions, SendOptions } from './options.ts';
import { PushConfigs } from './push-configs.ts';
import { RemoteTask } from './remote-task.ts';
import { answerOf, type Reply, throwIfEmpty, throwIfFailed } from './reply.ts';
import { sendAndWait, sendStream } from './send.ts';
import { DEFAULT_TIMEOUTS } from './settings.ts';
import { TaskFold } from './task-fold.ts';
import { decodeHandle, isHandle, isSamePlace, type TaskPlace } from './task-handle.ts';
import { TaskStream } from './task-stream.ts';

/** What `list` takes: filters and a page. */
export interface ListOptions extends CallOptions, Omit<ListTasksRequest, 'tenant'> {}

export interface GetOptions extends CallOptions {
  /** How many messages of the history to have; what the agent thinks right if not set. */
  readonly historyLength?: number;
}

/** An agent that can be talked to. Made by `connect()`. */
export class AgentClient {
  /** Where and how to be notified of a task. */
  readonly pushConfigs: PushConfigs;
  readonly #connection: Connection;
  readonly #caller: Caller;
  /** What else handles may say of where its tasks are. */
  readonly #places: readonly TaskPlace[];

  /** @internal */
  constructor(connection: Connection, endpoints: Endpoints, card: AgentCard, places: readonly TaskPlace[] = []) {
    this.#connection = connection;
    this.#places = places;
    this.#caller = new Caller(connection.wiring, endpoints, card);
    this.pushConfigs = new PushConfigs(this.#caller);
  }

  /** What the agent says of itself; the extended card, once that was asked for. */
  get card(): AgentCard {
    return this.#caller.card;
  }

  /** Which of the agent's interfaces is used, and why. */
  get chosen(): Chosen {
    const { url, binding, version, tenant, why } = this.#caller.endpoints.current;
    return { url, binding, version, tenant, why };
  }

  /** What the agent said in a way that the protocol does not know, and was understood all the same. */
  get warnings(): readonly Warning[] {
    return this.#connection.warnings;
  }

  /**
   * Sends a message and returns the text of the reply. A question from the agent is never returned as the reply; it is thrown.
   * `details` of that error holds the `handle` of the task, the text of the `question`, and `questionData`: its type and schema
   * as JSON, if the agent sent them.
   *
   * @throws A2AError `TASK_FAILED` if the task failed, was rejected or canceled, unless `failed` is `value`; `INPUT_REQUIRED` if
   * the agent asks a question; `AUTH_REQUIRED` if the task waits for an authorization.
   *
   * @example
   * try {
   *   return await clerk.ask('book Rome');
   * } catch (error) {
   *   if (!A2AError.is(error, 'INPUT_REQUIRED')) throw error;
   *   return (await clerk.task(error.details['handle'] ?? '').answer(await prompt(error.details['question']))).text;
   * }
   */
  async ask(message: MessageInput, options: AskOptions = {}): Promise<string> {
    if ((options as SendOptions).wait === 'none') {
      const message = "ask() waits for the answer: use send() with wait: 'none', and its handle";
      throw markNested(new A2AError('INVALID_PARAMS', message));
    }
    return answerOf(await this.send(message, { failed: 'throw', ...options }));
  }

  /** Sends a message and waits until its task has ended, or asks something back. */
  send(message: MessageInput, options: SendOptions = {}): Promise<Reply> {
    return this.#within(options, 'task', async (scope) => {
      const reply = await sendAndWait(this.#caller, scope, this.#request(message, options), options);
      if (options.failed === 'throw') throwIfFailed(reply);
      if (options.empty === 'throw') throwIfEmpty(reply);
      return reply;
    });
  }

  /** Sends a message and tells what happens. The message is sent when the first event is asked for. */
  stream(message: MessageInput, options: SendOptions = {}): TaskStream {
    const fold = new TaskFold();
    const request = this.#request(message, options);
    const open = (): CallScope => this.#scope(options, this.#connection.wiring.settings.timeoutMs);
    return new TaskStream(fold, open, (scope) => sendStream(this.#caller, scope, request, fold));
  }

  /**
   * A task of this agent, by its id or by the handle of a reply. Nothing is sent.
   *
   * @throws A2AError `INVALID_PARAMS` if the handle leads to another agent.
   */
  task(idOrHandle: string): RemoteTask {
    try {
      return new RemoteTask(this, this.#caller, isHandle(idOrHandle) ? this.#taskIdOf(idOrHandle) : idOrHandle);
    } catch (error) {
      throw markNested(error);
    }
  }

  async get(taskId: string, options: GetOptions = {}): Promise<Task> {
    const { historyLength } = options;
    return this.#call('GetTask', defined({ id: taskId, historyLength }), options);
  }

  /** A page of the caller's tasks, the latest first. */
  list(options: ListOptions = {}): Promise<ListTasksResponse> {
    const { timeoutMs: _t, signal: _s, traceparent: _p, tracestate: _v, extensions: _e, ...request } = options;
    return this.#call('ListTasks', request, options);
  }

  /**
   * Asks the agent to stop. Gives the task as it is then; whether it stopped is in its state. If the task has ended, open
   * streams of this client end with it.
   */
  cancel(taskId: string, options: CallOptions = {}): Promise<Task> {
    return this.#within(options, 'request', async (scope) => {
      try {
        const canceled = await this.#caller.call('CancelTask', { id: taskId }, scope);
        this.#caller.reportEnd(canceled);
        return canceled.value;
      } catch (error) {
        if (!A2AError.is(error, 'TASK_NOT_CANCELABLE')) throw error;
        // After a broken connection it was asked for twice, and agents may refuse what they have done already.
        const task = await this.#caller.call('GetTask', { id: taskId }, scope).catch(() => undefined);
        if (task?.value.status.state === 'TASK_STATE_CANCELED') return task.value;
        throw error;
      }
    });
  }

  /** The card for those who may see more. It takes the place of the public one in this client. */
  extendedCard(options: CallOptions = {}): Promise<AgentCard> {
    return this.#within(options, 'request', async (scope) => {
      const card = await fetchExtendedCard(this.#caller, scope);
      this.#caller.card = card;
      return card;
    });
  }

  /** The bytes of a part, fetched if it is only an address. Strangers' addresses on private networks are refused. */
  download(part: Part, options: CallOptions = {}): Promise<Uint8Array> {
    return this.#within(options, 'request', (scope) => bytesOfPart(this.#caller, scope, part));
  }

  /** Closes the connections that are kept, and an agent that runs in this process. Tasks elsewhere go on. */
  async close(): Promise<void> {
    const { closing, lingering, transport } = this.#connection.wiring;
    closing.leave();
    lingering.closeAll();
    await transport.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #taskIdOf(handle: string): string {
    const address = decodeHandle(handle);
    const { current } = this.#caller.endpoints;
    if ([current, ...this.#places].some((place) => isSamePlace(address, place))) return address.taskId;
    const [there, here] = [described(address), described(current)];
    throw new A2AError(
      'INVALID_PARAMS',
      `This handle leads to ${there}, and this client to ${here}; connect(handle) makes one for it`,
    );
  }

  #request(input: MessageInput, options: SendOptions): SendMessageRequest & { readonly message: Message } {
    const { contextId, taskId, metadata, acceptedOutputModes, historyLength, pushNotification } = options;
    const message = toMessage(input, defined({ contextId, taskId }));
    const configuration: SendMessageConfiguration = defined({
      acceptedOutputModes,
      historyLength,
      taskPushNotificationConfig: pushNotification,
    });
    return defined({
      message,
      metadata,
      configuration: Object.keys(configuration).length > 0 ? configuration : undefined,
    });
  }

  #call<K extends OperationName>(
    operation: K,
    input: Parameters<typeof Caller.prototype.call<K>>[1],
    options: CallOptions,
  ) {
    return this.#within(options, 'request', async (scope) => (await this.#caller.call(operation, input, scope)).value);
  }

  #within<T>(options: CallOptions, kind: 'request' | 'task', run: (scope: CallScope) => Promise<T>): Promise<T> {
    return withScope(this.#scope(options, this.#connection.wiring.settings.timeoutMs ?? DEFAULT_TIMEOUTS[kind]), run);
  }

  #scope(options: CallOptions, timeoutMs: number | undefined): CallScope {
    return new CallScope(this.#connection.wiring.settings.clock, options, timeoutMs);
  }
}

function described({ url, binding, version, tenant }: TaskPlace): string {
  const [address = ''] = url.split('?');
  return `${address} by ${binding} ${version}${tenant === undefined ? '' : ` for ${JSON.stringify(tenant)}`}`;
}
