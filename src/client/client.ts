/// <reference lib="esnext.disposable" preserve="true" />
import { A2AError, markNested } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import type {
  ListTasksResponse,
  OperationName,
  SendMessageConfiguration,
  SendMessageRequest,
} from '../model/operation.ts';
import type { Message } from '../model/message.ts';
import type { Part } from '../model/part.ts';
import type { SkillTypes } from '../model/skills.ts';
import type { Task } from '../model/task.ts';
import { defined } from '../support/defined.ts';
import type { Warning } from '../wire/decoder.ts';
import { CallScope, withScope } from './request/call-scope.ts';
import { OperationClient } from './request/operation-client.ts';
import type { Connection } from './request/connection.ts';
import type { Chosen } from './request/endpoint.ts';
import type { Endpoints } from './request/endpoints.ts';
import { bytesOfPart } from './task/download.ts';
import { fetchExtendedCard } from './card/extended-card.ts';
import { type MessageInput, toMessage } from './message-input.ts';
import type { AskOptions, CallOptions, GetOptions, ListOptions, SendOptions } from './options.ts';
import { PushConfigs } from './task/push-configs.ts';
import { type AnySkill, RemoteSkill, type SkillId } from './remote-skill.ts';
import { RemoteTask } from './remote-task.ts';
import { answerOf, type Reply, throwIfEmpty, throwIfFailed } from './reply.ts';
import { sendAndWait, sendStream } from './task/send.ts';
import { DEFAULT_TIMEOUTS } from './settings.ts';
import { answering, type AnswerInput, answerMessage, listsQuestions, type TaskQuestion } from './task-question.ts';
import { TaskFold } from './task/task-fold.ts';
import { decodeHandle, isHandle, isSameEndpoint, type TaskEndpoint } from './task/task-handle.ts';
import { TaskStream } from './task-stream.ts';

let operationClient: (client: AgentClient) => OperationClient;

/** A client for one agent. Created by `connect()`; close it when you are done. */
export class AgentClient {
  /** The webhooks that the agent notifies about tasks. */
  readonly pushConfigs: PushConfigs;
  readonly #connection: Connection;
  readonly #operationClient: OperationClient;
  /** Other endpoints that handles of this agent's tasks may contain. */
  readonly #knownEndpoints: readonly TaskEndpoint[];

  static {
    operationClient = (client) => client.#operationClient;
  }

  /** @internal */
  constructor(
    connection: Connection,
    endpoints: Endpoints,
    card: AgentCard,
    knownEndpoints: readonly TaskEndpoint[] = [],
  ) {
    this.#connection = connection;
    this.#knownEndpoints = knownEndpoints;
    this.#operationClient = new OperationClient(connection.context, endpoints, card);
    this.pushConfigs = new PushConfigs(this.#operationClient);
  }

  /** The agent card in the 1.0 format. After `extendedCard()`, the extended card. */
  get card(): AgentCard {
    return this.#operationClient.card;
  }

  /** The interface of the agent that this client uses, and why. */
  get chosen(): Chosen {
    const { url, binding, version, tenant, why } = this.#operationClient.endpoints.current;
    return { url, binding, version, tenant, why };
  }

  /** Deviations from the protocol that the client has accepted so far, at most 100. */
  get warnings(): readonly Warning[] {
    return this.#connection.warnings;
  }

  /**
   * Sends a message, waits for the result and returns its text. A question from the agent is never returned as the result: `onQuestion`
   * answers it, or it is thrown. `details` of that error contains the `handle` of the task, the text of the `question`, and `questionData`: its type and
   * schema as JSON, if the agent sent them.
   *
   * @throws A2AError `TASK_FAILED` if the task failed, was rejected or canceled, unless `failed` is `value`; `INPUT_REQUIRED` if
   * the agent asks a question; `AUTH_REQUIRED` if the task waits for an authorization; `TIMEOUT` after 300 s or `timeoutMs`.
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
    return answerOf(await this.#settled(message, options));
  }

  /**
   * Sends a message and waits until its task has ended or asks a question. Returns the task, or the message of an agent that
   * replied without a task. A failed task is returned, not thrown, unless `failed` is `throw`.
   *
   * @example
   * const reply = await agent.send('book Rome', { onProgress: (event) => console.log(event.text) });
   * if (reply.state === 'input-required') await agent.task(reply.handle).answer('12 May');
   *
   * @throws A2AError `TIMEOUT` after 300 s or `timeoutMs`, with the handle of the task in `details`; `TRANSPORT_FAILED` with
   * `details.sent`, which is `no` if the agent cannot have received the message, else `maybe`; or the error of the agent.
   */
  send(message: MessageInput, options: SendOptions = {}): Promise<Reply> {
    return this.#within(options, 'task', async (scope) => {
      const reply = await sendAndWait(this.#operationClient, scope, this.#request(message, options), options);
      if (options.failed === 'throw') throwIfFailed(reply);
      if (options.empty === 'throw') throwIfEmpty(reply);
      return reply;
    });
  }

  /**
   * Sends a message and returns the events of its task. The message is sent when the first event is requested. A broken connection
   * is resumed without gaps or duplicates if the agent numbers its events.
   *
   * @example
   * for await (const event of agent.stream('write a poem')) {
   *   if (event.type === 'artifact') process.stdout.write(event.text);
   * }
   */
  stream(message: MessageInput, options: SendOptions = {}): TaskStream {
    const fold = new TaskFold();
    const request = this.#request(message, options);
    const open = (): CallScope => this.#scope(options, this.#connection.context.settings.timeoutMs);
    return new TaskStream(fold, open, (scope) => sendStream(this.#operationClient, scope, request, fold));
  }

  /**
   * Returns a task of this agent by its id or handle. Sends no request.
   *
   * @throws A2AError `INVALID_PARAMS` if the handle is invalid or belongs to another agent.
   */
  task(idOrHandle: string): RemoteTask {
    try {
      return new RemoteTask(
        this,
        this.#operationClient,
        isHandle(idOrHandle) ? this.#taskIdOf(idOrHandle) : idOrHandle,
      );
    } catch (error) {
      throw markNested(error);
    }
  }

  /**
   * Returns a skill of this agent by its id on the card. Sends no request.
   *
   * @example
   * const { data } = await client.skill('run-query').call({ sql: 'select 1' });
   * const { data: rows } = await client.skill<typeof runQuery>('run-query').call({ sql: 'select 1' }); // with the types of the skill
   */
  skill<S extends SkillTypes = AnySkill>(id: SkillId<S>): RemoteSkill<S> {
    return new RemoteSkill<S>({ card: () => this.card, settle: (message, more) => this.#settled(message, more) }, id);
  }

  /** Returns a task as it is now. @throws A2AError `TASK_NOT_FOUND` */
  async get(taskId: string, options: GetOptions = {}): Promise<Task> {
    const { historyLength } = options;
    return this.#call('GetTask', defined({ id: taskId, historyLength }), options);
  }

  /** Returns one page of the caller's tasks, most recent first. Pass `nextPageToken` as `pageToken` to get the next page. */
  list(options: ListOptions = {}): Promise<ListTasksResponse> {
    const { pageSize, pageToken, contextId, status, historyLength, statusTimestampAfter, includeArtifacts } = options;
    const filters = { contextId, status, statusTimestampAfter };
    const request = defined({ ...filters, pageSize, pageToken, historyLength, includeArtifacts });
    return this.#call('ListTasks', request, options);
  }

  /**
   * Asks the agent to cancel a task. Returns the task; its state shows whether it was canceled. If the task has ended, open streams
   * of this client that follow it end too.
   *
   * @throws A2AError `TASK_NOT_CANCELABLE` if the task had already ended, `TASK_NOT_FOUND`
   */
  cancel(taskId: string, options: CallOptions = {}): Promise<Task> {
    return this.#within(options, 'request', async (scope) => {
      try {
        const canceled = await this.#operationClient.call('CancelTask', { id: taskId }, scope);
        this.#operationClient.reportEnd(canceled);
        return canceled.value;
      } catch (error) {
        if (!A2AError.is(error, 'TASK_NOT_CANCELABLE')) throw error;
        // After a broken connection the request was repeated, and agents may reject the second one.
        const task = await this.#operationClient.call('GetTask', { id: taskId }, scope).catch(() => undefined);
        if (task?.value.status.state === 'TASK_STATE_CANCELED') return task.value;
        throw error;
      }
    });
  }

  /**
   * Gets the extended card, which agents show to authenticated callers. It replaces the public card of this client.
   *
   * @throws A2AError `UNSUPPORTED_OPERATION` or `EXTENDED_AGENT_CARD_NOT_CONFIGURED` if the agent has none
   */
  extendedCard(options: CallOptions = {}): Promise<AgentCard> {
    return this.#within(options, 'request', async (scope) => {
      const card = await fetchExtendedCard(this.#operationClient, scope);
      this.#operationClient.card = card;
      return card;
    });
  }

  /**
   * Returns the bytes of a part. A part with a URL is fetched, up to 64 MiB (`limits.maxFileBytes`). URLs on private networks are
   * rejected unless their origin is in `allowOrigins`.
   */
  download(part: Part, options: CallOptions = {}): Promise<Uint8Array> {
    return this.#within(options, 'request', (scope) => bytesOfPart(this.#operationClient, scope, part));
  }

  /** Closes the connections, and the agent if it runs in this process. Tasks of remote agents continue. */
  async close(): Promise<void> {
    const { closing, draining, http } = this.#connection.context;
    closing.leave();
    draining.closeAll();
    await http.close();
  }

  /** Calls `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Sends a message, and an answer to each question for which `onQuestion` has one. */
  async #settled(message: MessageInput, { onQuestion, ...options }: AskOptions): Promise<Reply> {
    if ((options as SendOptions).wait === 'none') {
      const problem = "wait: ask() returns the result, so it cannot be 'none'. Use send() with wait: 'none' instead";
      throw markNested(new A2AError('INVALID_PARAMS', problem));
    }
    const sent: SendOptions = { failed: 'throw', ...options };
    let reply = await this.send(message, sent);
    const { pushNotification: _, ...more } = sent;
    const declined = new Set<string | undefined>();
    while (reply.kind === 'task') {
      const { task, questions } = reply;
      const answer = await answerTo(questions, declined, onQuestion);
      if (answer === undefined) break;
      const { question, value } = answer;
      const draft = answerMessage(value, question, question.isSensitive);
      const isNamed = question.id !== undefined && listsQuestions(task);
      reply = await this.send(isNamed ? answering(draft, question.id) : draft, { ...more, taskId: task.id });
    }
    return reply;
  }

  #taskIdOf(handle: string): string {
    const address = decodeHandle(handle);
    const { current } = this.#operationClient.endpoints;
    if ([current, ...this.#knownEndpoints].some((endpoint) => isSameEndpoint(address, endpoint))) return address.taskId;
    const [there, here] = [described(address), described(current)];
    throw new A2AError(
      'INVALID_PARAMS',
      `The handle is for a task at ${there}, but this client is connected to ${here}. Use connect(handle) to create a client for it`,
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
    input: Parameters<typeof OperationClient.prototype.call<K>>[1],
    options: CallOptions,
  ) {
    return this.#within(
      options,
      'request',
      async (scope) => (await this.#operationClient.call(operation, input, scope)).value,
    );
  }

  #within<T>(options: CallOptions, kind: 'request' | 'task', run: (scope: CallScope) => Promise<T>): Promise<T> {
    return withScope(this.#scope(options, this.#connection.context.settings.timeoutMs ?? DEFAULT_TIMEOUTS[kind]), run);
  }

  #scope(options: CallOptions, timeoutMs: number | undefined): CallScope {
    return new CallScope(this.#connection.context.settings.clock, options, timeoutMs);
  }
}

/** The operations of a client, for other parts of this package. @throws TypeError for a client of another copy of the package. */
export function operationClientOf(client: AgentClient): OperationClient {
  return operationClient(client);
}

/** Returns the first answer to one of several questions. Each that the caller leaves open is asked once. */
async function answerTo(
  questions: readonly TaskQuestion[],
  declined: Set<string | undefined>,
  onQuestion: AskOptions['onQuestion'],
): Promise<{ readonly question: TaskQuestion; readonly value: AnswerInput } | undefined> {
  for (const question of questions) {
    if (declined.has(question.id)) continue;
    const value = await onQuestion?.(question);
    if (value !== undefined) return { question, value };
    declined.add(question.id);
  }
  return undefined;
}

function described({ url, binding, version, tenant }: TaskEndpoint): string {
  const [address = ''] = url.split('?');
  return `${address} (${binding} ${version}${tenant === undefined ? '' : `, tenant ${JSON.stringify(tenant)}`})`;
}
