import { A2AError } from '../../errors.ts';
import type { AgentCard } from '../../model/card.ts';
import type { Input, OperationName, Output, SendMessageRequest } from '../../model/operation.ts';
import type { TaskPushNotificationConfig } from '../../model/push.ts';
import type { Task } from '../../model/task.ts';
import { timeText } from '../../engine/write/status-time.ts';
import type { LeaveSignal } from '../../support/leave-signal.ts';
import type { Dialect } from '../../wire/dialect.ts';
import { type Answer, peerMessageOf, type ScriptedAnswer, stepsOf } from './answer.ts';
import { type NumberedEvent, PeerTask } from './peer-task.ts';

export interface ScriptedAgentOptions {
  readonly script: readonly ScriptedAnswer[];
  readonly streaming: boolean;
  readonly pushNotifications: boolean;
  readonly answersAtOnce: boolean;
  readonly now: () => number;
}

/** The context of an operation. */
export interface PeerRequestContext {
  readonly dialect: Dialect;
  readonly lastEventId: string | undefined;
  readonly signal: LeaveSignal;
  readonly extendedCard: AgentCard | undefined;
  /** Called when a new message is accepted. */
  readonly noteProcessed: () => void;
}

/** The result of a message: a task, or a message without one. */
type Outcome = PeerTask | Extract<Output<'SendMessage'>, { message: unknown }>;

/** Performs operations by a script, independent of wire formats. */
export class ScriptedAgent {
  readonly #options: ScriptedAgentOptions;
  readonly #tasks = new Map<string, PeerTask>();
  readonly #configs: PeerPushConfigs;
  readonly #known = new Map<string, Outcome>();
  #messages = 0;
  #replies = 0;

  constructor(options: ScriptedAgentOptions) {
    this.#options = options;
    this.#configs = new PeerPushConfigs(options.pushNotifications);
  }

  get tasks(): readonly Task[] {
    return [...this.#tasks.values()].map(({ snapshot }) => snapshot);
  }

  /** Performs an operation that does not stream. `key` identifies a repeated send, which gets the first response again. */
  async answer<K extends OperationName>(
    operation: K,
    input: Input<K>,
    context: PeerRequestContext,
    key: string | undefined,
  ): Promise<unknown> {
    switch (operation) {
      case 'SendMessage':
        return this.#send(input as Input<'SendMessage'>, context, key);
      case 'GetTask':
        return this.#find((input as Input<'GetTask'>).id).lookAt();
      case 'CancelTask':
        return this.#find((input as Input<'CancelTask'>).id).cancel();
      case 'ListTasks':
        return this.#list(input);
      case 'CreateTaskPushNotificationConfig':
        this.#find((input as TaskPushNotificationConfig).taskId ?? '');
        return this.#configs.set(input as TaskPushNotificationConfig);
      case 'GetTaskPushNotificationConfig':
        return this.#configs.get(input as Input<'GetTaskPushNotificationConfig'>);
      case 'ListTaskPushNotificationConfigs':
        return { configs: this.#configs.of((input as Input<'ListTaskPushNotificationConfigs'>).taskId) };
      case 'DeleteTaskPushNotificationConfig':
        return this.#configs.delete(input as Input<'DeleteTaskPushNotificationConfig'>);
      case 'GetExtendedAgentCard':
        if (context.extendedCard !== undefined) return context.extendedCard;
        throw new A2AError('EXTENDED_AGENT_CARD_NOT_CONFIGURED', 'This agent has no extended card');
      default:
        throw new TypeError(`${operation} is a streaming operation`);
    }
  }

  /** The events of a streaming operation. Errors are thrown before the first event. */
  async stream(
    operation: OperationName,
    input: unknown,
    context: PeerRequestContext,
    key: string | undefined,
  ): Promise<AsyncIterable<NumberedEvent>> {
    if (!this.#options.streaming) throw new A2AError('UNSUPPORTED_OPERATION', 'This agent does not stream');
    if (operation === 'SubscribeToTask') return this.#subscribe((input as Input<'SubscribeToTask'>).id, context);
    const before = this.#tasks.get((input as SendMessageRequest).message.taskId ?? '')?.number;
    const outcome = await this.#take(input as SendMessageRequest, context, key);
    if (!(outcome instanceof PeerTask)) return single({ number: 1, event: outcome });
    if (before === undefined) return outcome.follow(0, true, context.signal);
    return this.#fromSnapshot(outcome, true, context.signal);
  }

  async #send(
    request: SendMessageRequest,
    context: PeerRequestContext,
    key: string | undefined,
  ): Promise<Output<'SendMessage'>> {
    const outcome = await this.#take(request, context, key);
    if (!(outcome instanceof PeerTask)) return outcome;
    const isBlocking = !this.#options.answersAtOnce && request.configuration?.returnImmediately !== true;
    return { task: isBlocking ? await outcome.finish(context.signal) : outcome.snapshot };
  }

  /** Accepts a message: the next response of the script becomes a task, or continues the task that the message names. */
  async #take(
    request: SendMessageRequest,
    { dialect, noteProcessed }: PeerRequestContext,
    key: string | undefined,
  ): Promise<Outcome> {
    const known = key === undefined ? undefined : this.#known.get(key);
    if (known !== undefined) return known;
    const { message } = request;
    const { taskId } = message;
    const existing = taskId === undefined ? undefined : this.#tasks.get(taskId);
    if (taskId !== undefined && existing === undefined && !dialect.clientNamesTasks) throw unknownTask(taskId);
    if (existing?.isTerminal === true) {
      throw new A2AError('UNSUPPORTED_OPERATION', `Task ${taskId} has ended`, { details: { taskId: taskId ?? '' } });
    }
    const answer = await this.#next(request);
    if (answer instanceof Error) throw answer;
    noteProcessed();
    const outcome = isMessage(answer)
      ? this.#messageOf(answer.message, request)
      : this.#begin(answer, request, existing);
    if (key !== undefined) this.#known.set(key, outcome);
    return outcome;
  }

  async #next({ message }: SendMessageRequest): Promise<Answer> {
    const { script } = this.#options;
    this.#messages += 1;
    const scripted = script[Math.min(this.#messages, script.length) - 1] ?? '';
    return typeof scripted === 'function' ? scripted(peerMessageOf(message, this.#messages)) : scripted;
  }

  #messageOf(text: string, { message }: SendMessageRequest): Outcome {
    const contextId = message.contextId ?? `context-${this.#messages}`;
    return { message: { messageId: this.#newReplyId(), contextId, role: 'ROLE_AGENT', parts: [{ text }] } };
  }

  #begin(
    answer: Exclude<Answer, A2AError | { message: string }>,
    { message, configuration }: SendMessageRequest,
    existing: PeerTask | undefined,
  ): PeerTask {
    const { now } = this.#options;
    const taskId = message.taskId ?? `task-${this.#tasks.size + 1}`;
    const contextId = existing?.snapshot.contextId ?? message.contextId ?? `context-${this.#tasks.size + 1}`;
    const status = { state: 'TASK_STATE_SUBMITTED' as const, timestamp: timeText(now()) };
    const task = existing ?? new PeerTask({ id: taskId, contextId, status }, now);
    const steps = stepsOf(answer, { taskId, contextId, newMessageId: () => this.#newReplyId() });
    task.take({ ...message, taskId, contextId }, steps);
    this.#tasks.set(taskId, task);
    const config = configuration?.taskPushNotificationConfig;
    if (config !== undefined) this.#configs.set({ ...config, taskId });
    return task;
  }

  #newReplyId(): string {
    return `reply-${(this.#replies += 1)}`;
  }

  #subscribe(id: string, { dialect, lastEventId, signal }: PeerRequestContext): AsyncIterable<NumberedEvent> {
    const task = this.#find(id);
    const endsAtQuestion = !dialect.subscribesToTheEnd;
    const after = Number(lastEventId ?? Number.NaN);
    if (after >= 1 && after <= task.number) return task.follow(after, endsAtQuestion, signal);
    if (task.isTerminal && dialect.subscribesToTheEnd) {
      throw new A2AError('UNSUPPORTED_OPERATION', `Task ${id} has ended`, { details: { taskId: id } });
    }
    return this.#fromSnapshot(task, endsAtQuestion, signal);
  }

  async *#fromSnapshot(task: PeerTask, endsAtQuestion: boolean, signal: LeaveSignal): AsyncGenerator<NumberedEvent> {
    const { number } = task;
    yield { number, event: { task: task.snapshot } };
    yield* task.follow(number, endsAtQuestion, signal);
  }

  #list({ contextId, status }: Input<'ListTasks'>): Output<'ListTasks'> {
    const tasks = this.tasks.filter(
      (task) =>
        (contextId === undefined || task.contextId === contextId) &&
        (status === undefined || task.status.state === status),
    );
    return { tasks, nextPageToken: '', pageSize: tasks.length, totalSize: tasks.length };
  }

  #find(id: string): PeerTask {
    const task = this.#tasks.get(id);
    if (task === undefined) throw unknownTask(id);
    return task;
  }
}

function isMessage(answer: Exclude<Answer, A2AError>): answer is { readonly message: string } {
  return typeof answer === 'object' && 'message' in answer;
}

function unknownTask(id: string): A2AError {
  return new A2AError('TASK_NOT_FOUND', `Task ${id} does not exist`, { details: { taskId: id } });
}

async function* single(event: NumberedEvent): AsyncGenerator<NumberedEvent> {
  yield event;
}

/** The push configs that callers have set. Nothing is delivered to them. */
class PeerPushConfigs {
  readonly #configs = new Map<string, TaskPushNotificationConfig>();
  readonly #isSupported: boolean;
  #given = 0;

  constructor(isSupported: boolean) {
    this.#isSupported = isSupported;
  }

  /** @throws A2AError `PUSH_NOTIFICATION_NOT_SUPPORTED` */
  set(config: TaskPushNotificationConfig): TaskPushNotificationConfig {
    if (!this.#isSupported) {
      throw new A2AError('PUSH_NOTIFICATION_NOT_SUPPORTED', 'This agent does not send push notifications');
    }
    const id = config.id ?? `config-${(this.#given += 1)}`;
    const kept = { ...config, id };
    this.#configs.set(`${config.taskId} ${id}`, kept);
    return kept;
  }

  of(taskId: string): readonly TaskPushNotificationConfig[] {
    return [...this.#configs.values()].filter((config) => config.taskId === taskId);
  }

  /** @throws A2AError `TASK_NOT_FOUND` */
  get({ taskId, id }: Input<'GetTaskPushNotificationConfig'>): TaskPushNotificationConfig {
    const config = this.of(taskId).find((each) => id === undefined || each.id === id);
    if (config !== undefined) return config;
    throw new A2AError('TASK_NOT_FOUND', `Task ${taskId} has no such push config`, { details: { taskId } });
  }

  delete({ taskId, id }: Input<'DeleteTaskPushNotificationConfig'>): null {
    this.#configs.delete(`${taskId} ${id}`);
    return null;
  }
}
