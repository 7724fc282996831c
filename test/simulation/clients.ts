import { QUESTIONS } from '../../src/model/question.ts';
import type { SendResult, TaskStream } from '../../src/engine/engine.ts';
import type { Submission } from '../../src/engine/tasks/submission.ts';
import type { Message } from '../../src/model/message.ts';
import type { Scope } from '../../src/store/store.ts';
import { Calls, type Pending, type ExpectedErrors } from './calls.ts';
import type { ExpectedStore } from './expected-store.ts';
import { isPausedState, isTerminalState, statusesOf, type TaskModel } from './model-task.ts';
import { Subscribers } from './subscribers.ts';
import type { Receivers } from './receivers.ts';
import { AGENT_IDS, type Server } from './server.ts';
import { Views } from './views.ts';
import type { World } from './world.ts';

const OWNERS: readonly string[] = ['ann', 'bob'];
/** The longest time that a response of the store may take: see `randomNetwork`. */
const LONGEST_RESPONSE_MS = 400;

/** Callers who make random calls at random times, and check every result. */
export class Clients {
  readonly subscribers: Subscribers;
  readonly #world: World;
  readonly #expectedStore: ExpectedStore;
  readonly #views: Views;
  readonly #servers: () => readonly Server[];
  readonly #calls: Calls;
  readonly #receivers: Receivers | undefined;
  /** The messages that an engine has acknowledged, with their tasks. */
  readonly acknowledged = new Map<string, string>();
  #messages = 0;

  constructor(world: World, expectedStore: ExpectedStore, servers: () => readonly Server[], receivers?: Receivers) {
    this.#receivers = receivers;
    this.#world = world;
    this.#expectedStore = expectedStore;
    this.#servers = servers;
    this.#calls = new Calls(world);
    this.#views = new Views(world, expectedStore);
    this.subscribers = new Subscribers(world, expectedStore, this.#views);
  }

  /** Calls to living servers without a response. */
  get pending(): readonly Pending[] {
    return this.#calls.pending;
  }

  /** Does one thing. */
  act(): void {
    if (this.#servers().length === 0) return;
    const { random } = this.#world;
    const luck = random.int(1, 100);
    const task = this.#anyTask();
    if (task === undefined || luck <= 30) this.#begin();
    else if (luck <= 50) this.followUp(task);
    else if (luck <= 64) this.cancel(task);
    else if (luck <= 82) this.subscribe(task);
    else if (luck <= 94) this.#get(task);
    else this.#list(task.owner);
  }

  followUp(task: TaskModel): void {
    if (this.#servers().length === 0) return;
    const { random } = this.#world;
    const text = random.pick(['yes', 'no', `p${random.int(1, 1e6)}`]);
    // One of several open questions, if the task asks several.
    const list = task.status.message?.metadata?.[QUESTIONS.uri] as { questions: { id: string }[] } | undefined;
    const answers = list === undefined || random.chance(0.2) ? undefined : random.pick(list.questions).id;
    const submission = {
      ...this.#submission(task.owner, text, task.id),
      agent: task.agent,
      ...(answers !== undefined && { answers }),
    };
    this.#deliver(submission);
    if (isRepeatable(submission) && random.chance(0.2)) this.#deliver(submission);
  }

  cancel({ id: taskId, owner }: TaskModel): void {
    const times = this.#world.random.chance(0.25) ? 2 : 1;
    for (let i = 0; i < times; i++) {
      this.#calls.make({
        what: 'cancel',
        server: this.#anyServer(),
        taskId,
        make: (engine) => engine.cancel(scopeOf(owner), taskId),
        seen: (task) => {
          this.#views.check('cancel', task, 0);
          if (task.status.state !== 'TASK_STATE_CANCELED')
            this.#world.fail(`cancel of ${taskId} returns ${task.status.state}`);
        },
        mayBe: {
          TASK_NOT_CANCELABLE: () => this.#endOf(taskId) !== undefined && this.#endOf(taskId) !== 'TASK_STATE_CANCELED',
          TASK_NOT_FOUND: this.#unknown(taskId),
        },
      });
    }
  }

  subscribe({ id: taskId, owner, log }: TaskModel, from?: number): void {
    const { random } = this.#world;
    const server = this.#anyServer();
    const after = from ?? (random.chance(0.4) ? undefined : random.int(0, log.length + 1));
    const mayStopAfter = random.chance(0.2) ? random.int(1, 3) : 0;
    server.node.later(this.#world.time + random.delay(2, 40), () => {
      if (server.isClosing) return;
      const subscription = { what: 'subscription', server, taskId, position: after, isNew: true, isOver: false };
      this.#world.note(() => `${server.node.name} subscribe ${taskId} after ${after}`);
      const items = server.engine.subscribe(scopeOf(owner), taskId, { after });
      void this.subscribers.read(subscription, items, mayStopAfter);
    });
  }

  #begin(): void {
    const { random } = this.#world;
    const submission = this.#submission(random.pick(OWNERS), `p${random.int(1, 1e6)}`);
    this.#deliver(submission);
    if (isRepeatable(submission) && random.chance(0.15)) this.#deliver(submission);
  }

  /** Sends a message, and now and then sends it again. */
  #deliver(submission: Submission, tries = 1): void {
    const { random } = this.#world;
    if (this.#servers().length === 0) return;
    const server = this.#anyServer();
    if (tries === 1 && random.chance(0.3)) this.#stream(server, submission);
    else this.#send(server, submission);
    if (isRepeatable(submission) && tries < 3 && random.chance(0.15))
      this.#world.after(random.int(20, 900), () => this.#deliver(submission, tries + 1));
  }

  #send(server: Server, submission: Submission): void {
    const { message, returnImmediately, maxWaitMs = 3000 } = submission;
    const since = this.#views.versionOf(message.taskId);
    const leave = this.#mayLeave();
    this.#calls.make<SendResult>({
      what: `send ${message.messageId}`,
      server,
      ...(message.taskId !== undefined && { taskId: message.taskId }),
      make: (engine) => engine.send({ ...submission, ...(leave !== undefined && { signal: leave }) }),
      seen: (result, waitedMs) => {
        if ('message' in result) {
          this.#checkReply(result.message);
          return;
        }
        const { task } = result;
        this.#views.check('send', task, since);
        this.#acknowledge(message, task.id);
        if (leave?.aborted === true) return;
        const isSettled = isPausedState(task.status.state) || isTerminalState(task.status.state);
        if (
          !isSettled &&
          !this.#hasSettled(task.id, since) &&
          returnImmediately !== true &&
          waitedMs < maxWaitMs - 1 &&
          !server.isClosing
        )
          this.#world.fail(`send ${message.messageId} does not wait for ${task.id}`);
      },
      mayBe: this.#expectedErrors(message),
    });
  }

  #stream(server: Server, submission: Submission): void {
    const { message } = submission;
    const leave = this.#mayLeave();
    this.#calls.make<TaskStream>({
      what: `stream ${message.messageId}`,
      server,
      make: (engine) => engine.stream({ ...submission, ...(leave !== undefined && { signal: leave }) }),
      seen: ({ taskId, items }) => {
        this.#acknowledge(message, taskId);
        // A stream of a new task starts with its first event, any other stream with the task as it is.
        const position = message.taskId === undefined ? 0 : undefined;
        const subscription = { what: 'stream', server, taskId, position, isNew: true, isOver: false, leave };
        void this.subscribers.read(subscription, items, this.#world.random.chance(0.1) ? 1 : 0);
      },
      mayBe: this.#expectedErrors(message),
    });
  }

  #get({ id: taskId, owner }: TaskModel): void {
    const since = this.#views.versionOf(taskId);
    this.#calls.make({
      what: 'get',
      server: this.#anyServer(),
      make: (engine) => engine.get(scopeOf(owner), taskId),
      seen: (task) => this.#views.check('get', task, since),
      mayBe: { TASK_NOT_FOUND: this.#unknown(taskId) },
    });
  }

  #list(owner: string): void {
    this.#calls.make({
      what: 'list',
      server: this.#anyServer(),
      make: (engine) => engine.list(scopeOf(owner), { limit: 100, artifacts: true }),
      seen: ({ tasks, total }) => {
        for (const task of tasks) this.#views.check('list', task, 0);
        if (tasks.length !== total) this.#world.fail(`list returns ${tasks.length} of ${total} tasks`);
      },
    });
  }

  /** The errors that a follow-up or a send may end with. */
  #expectedErrors(message: Message): ExpectedErrors {
    const { taskId, messageId } = message;
    // A caller whose wait ends just when a bare reply is stored does not find its task.
    if (taskId === undefined) return { TASK_NOT_FOUND: () => this.#expectedStore.isRepliedTo(messageId) };
    const task = this.#expectedStore.task(taskId);
    const isStored = (): boolean =>
      this.#expectedStore.task(taskId)?.history.some((other) => other.messageId === messageId) === true;
    return {
      TASK_NOT_FOUND: this.#unknown(taskId),
      UNSUPPORTED_OPERATION: () =>
        !isStored() && (this.#endOf(taskId) !== undefined || this.#expectedStore.task(taskId)?.isCanceling === true),
      // A repeat may have been stored while the error was on its way.
      INVALID_PARAMS: () =>
        task !== undefined &&
        (!isStored() || (this.#expectedStore.addedAt(messageId) ?? 0) > this.#world.time - LONGEST_RESPONSE_MS),
    };
  }

  #acknowledge({ messageId }: Message, taskId: string): void {
    this.acknowledged.set(messageId, taskId);
    const task = this.#expectedStore.task(taskId);
    if (this.#expectedStore.reply(taskId) !== undefined) return;
    if (task?.history.some((message) => message.messageId === messageId) !== true)
      this.#world.fail(`message ${messageId} is acknowledged and not in ${taskId}`);
  }

  #checkReply({ messageId, contextId }: Message): void {
    this.#world.note(() => `  reply ${messageId} in ${contextId}`);
    if (!this.#expectedStore.isReply(messageId)) this.#world.fail(`reply ${messageId} was not stored`);
  }

  /** Whether the task has settled since then: it may have resumed. */
  #hasSettled(taskId: string, since: number): boolean {
    const statuses = statusesOf(this.#expectedStore.task(taskId)?.log.slice(Math.max(0, since - 1)) ?? []);
    return this.#endOf(taskId) !== undefined || statuses.some(({ state }) => isPausedState(state));
  }

  #endOf(taskId: string): string | undefined {
    const task = this.#expectedStore.task(taskId);
    return task?.hasEnded === true ? task.status.state : undefined;
  }

  /** Whether the task was not visible when this was called. */
  #unknown(taskId: string): () => boolean {
    const wasVisible = this.#expectedStore.task(taskId)?.isVisible === true;
    return () => !wasVisible;
  }

  #submission(owner: string, text: string, taskId?: string): Submission {
    const { random } = this.#world;
    const messageId = `m${++this.#messages}`;
    const hasKey = random.chance(0.4);
    const isVerified = random.chance(0.5);
    const pushConfig = taskId === undefined ? this.#receivers?.pushConfig(messageId) : undefined;
    return {
      ...scopeOf(owner),
      agent: random.pick(AGENT_IDS),
      caller: { id: owner, isVerified },
      message: { messageId, role: 'ROLE_USER', parts: [{ text }], ...(taskId !== undefined && { taskId }) },
      ...(hasKey && { idempotencyKey: `k${messageId}` }),
      ...(random.chance(0.3) && { returnImmediately: true }),
      ...(random.chance(0.3) && { maxWaitMs: random.int(5, 400) }),
      ...(pushConfig !== undefined && { pushConfig }),
    };
  }

  /** Some callers disconnect before the end. */
  #mayLeave(): AbortSignal | undefined {
    const { random } = this.#world;
    if (!random.chance(0.15)) return undefined;
    const controller = new AbortController();
    this.#world.after(random.int(0, 400), () => controller.abort());
    return controller.signal;
  }

  #anyTask(): TaskModel | undefined {
    const tasks = [...this.#expectedStore.tasks].filter(({ isVisible }) => isVisible);
    return tasks.length === 0 ? undefined : this.#world.random.pick(tasks);
  }

  #anyServer(): Server {
    return this.#world.random.pick(this.#servers());
  }
}

function scopeOf(owner: string): Scope {
  return { tenant: '', owner };
}

/** Whether the engine can detect a repeat of it. */
function isRepeatable({ idempotencyKey, caller }: Submission): boolean {
  return idempotencyKey !== undefined || caller.isVerified;
}
