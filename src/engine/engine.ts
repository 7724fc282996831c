/// <reference lib="esnext.disposable" preserve="true" />
import { A2AError } from '../errors.ts';
import type { Task } from '../model/task.ts';
import {
  fairnessKeyOf,
  type PushConfigName,
  type PushConfigRecord,
  type ReadProgress,
  type Scope,
  type TaskQuery,
  type TaskRecord,
} from '../store/store.ts';
import { steadyClock } from '../support/time/steady-clock.ts';
import { defined } from '../support/defined.ts';
import { every } from '../support/time/every.ts';
import { SendOutcomes, type SendResult, maxWaitOf, taskAt } from './tasks/send-outcomes.ts';
import { authorize } from './tasks/authorize.ts';
import { cancelTask } from './tasks/cancel.ts';
import { CallOutbox } from './calls/call-outbox.ts';
import { ClaimLoop } from './schedule/claim-loop.ts';
import type { EngineContext } from './engine-context.ts';
import {
  type DeadLetter,
  type DeadLetterRange,
  listDeadLetters,
  type Redelivered,
  redeliver,
} from './outbox/dead-letters.ts';
import type { PushTransport } from './outbox/delivery.ts';
import { senderLeft, untilLeft } from './tasks/disconnect.ts';
import {
  createEngineContext,
  type EngineCloseOptions,
  type EngineOptions,
  type GetTaskOptions,
  POLLS_PER_LOOK,
  type TaskStream,
} from './engine-options.ts';
import { taskView } from './replay/event-body.ts';
import { followUp } from './tasks/follow-up.ts';
import { Heartbeat } from './schedule/heartbeat.ts';
import { Mailbox, noReply } from './stream/mailbox.ts';
import { beginTask, type Begun, prepareTask } from './tasks/new-task.ts';
import { OnDemand } from './on-demand/on-demand.ts';
import { Outbox } from './outbox/outbox.ts';
import {
  deletePushConfig,
  getPushConfig,
  listPushConfigs,
  type NewPushConfig,
  type PushConfigRange,
  setPushConfig,
} from './outbox/push-configs.ts';
import { type OnDeleted, purgeOwner } from './schedule/purge.ts';
import { DEFAULT_PUSH_POLICY } from './outbox/push-policy.ts';
import { type ListedTasks, listedText, pagedTask, readTask, readTaskText, type TaskText } from './tasks/task-page.ts';
import { DEFAULT_RETENTION, RetentionLoop } from './schedule/retention.ts';
import type { Runnable } from './runnable.ts';
import { Runs } from './schedule/runs.ts';
import { StoreTime } from './schedule/store-time.ts';
import type { Submission } from './tasks/submission.ts';
import { replied, type StreamItem, type StreamStart, Subscription } from './stream/subscribe.ts';
import { isWithin, nameAt, type TaskAccess } from './tasks/task-access.ts';
import { readTransitions, type TaskWithTransitions } from './write/transitions.ts';
import { releaseTask } from './tasks/release.ts';
import { SettleWaiter } from './tasks/settle-waiter.ts';

export type { EngineCloseOptions, EngineOptions, GetTaskOptions, SendResult, TaskStream };

/** Tasks whose subscribers read the store per second: thousands of idle streams must not keep a database busy. */
const LOOKS_PER_SECOND = 100;

/**
 * Runs agents on a store. Every task resumes after a crash, on this node or on another node with the same store. Events are
 * published only after they are stored. The engine does not use the network.
 */
export class Engine {
  readonly #context: EngineContext;
  readonly #runs: Runs;
  readonly #claims: ClaimLoop;
  readonly #outcomes: SendOutcomes;
  readonly #heartbeat: Heartbeat;
  readonly #retention: RetentionLoop;
  readonly #pushTransport: PushTransport | undefined;
  readonly #outbox: Outbox | undefined;
  readonly #calls: CallOutbox;
  /** Set if the engine works only on request. */
  readonly #onDemand: OnDemand | undefined;
  readonly #left = new AbortController();
  #unwatch: () => void = () => {};
  #stopLooking: () => void = () => {};
  #closing: Promise<void> | undefined;

  private constructor(options: EngineOptions) {
    const clock = new StoreTime(options.clock ?? steadyClock);
    this.#context = createEngineContext(options, clock, {
      pushed: () => this.#outbox?.nudge(),
      called: (record, added) => this.#calls.due(record, added),
      pushConfigChanged: async (name) => {
        await this.#outbox?.drop(name);
        this.#outbox?.nudge();
      },
      roomForRuns: () => this.#runs.lookForWork(),
      hasSlept: () => this.#onDemand !== undefined && this.#heartbeat.isLate,
    });
    const push = { ...DEFAULT_PUSH_POLICY, ...defined(options.push ?? {}) };
    const { pushTransport } = options;
    this.#pushTransport = pushTransport;
    this.#outbox = pushTransport && new Outbox(this.#context, pushTransport, push);
    this.#runs = new Runs(this.#context, (taskId) => this.#lookForWork(taskId));
    this.#outcomes = new SendOutcomes(this.#context, this.#runs);
    this.#heartbeat = new Heartbeat(this.#context, clock, () => this.#runs.refreshAll());
    this.#claims = new ClaimLoop(this.#context, this.#runs, this.#heartbeat);
    this.#retention = new RetentionLoop(
      this.#context,
      { ...DEFAULT_RETENTION, ...defined(options.retention ?? {}) },
      push.maxDeadLetters,
    );
    const { peers } = this.#context.calls;
    this.#calls = new CallOutbox(this.#context, {
      runs: this.#runs,
      peers,
      onWritten: (record) => {
        this.#written(record);
        this.#onDemand?.woken(record);
      },
      onStarted: (taskId) => this.#onDemand?.called(taskId),
    });
    const parts = {
      calls: this.#calls,
      runs: this.#runs,
      heartbeat: this.#heartbeat,
      outbox: this.#outbox,
      prune: () => this.prune(),
    };
    this.#onDemand = options.onDemand === true ? new OnDemand(this.#context, parts) : undefined;
  }

  /** Starts an engine. Tasks that an earlier engine left unfinished resume at once. */
  static async start(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options);
    await engine.#start();
    return engine;
  }

  /**
   * Sends a message to an agent and waits until the task ends or pauses, or until the waiting time is over.
   * @throws A2AError `UNAVAILABLE` if the engine is closed or the queue is full, `INVALID_PARAMS` for an invalid message.
   */
  async send(given: Submission): Promise<SendResult> {
    const { taskId } = given.message;
    if (taskId !== undefined) return this.#sendTo(taskId, given);
    const agent = this.#agent(given.agent);
    const submission = this.#onDemand === undefined ? given : await this.#placed(agent, given);
    const prepared = prepareTask(this.#context, this.#runs, agent, submission);
    const { task, findReply } = prepared;
    if (submission.returnImmediately === true) {
      const begun = acknowledge(submission, await beginTask(this.#context, this.#runs, prepared));
      if (begun.kind === 'repeated') return this.#outcomes.repeated(agent, submission, begun, findReply);
      return { task: taskView(begun.record, [task.message]) };
    }
    const waiter = new SettleWaiter(this.#context, submission, task.id);
    try {
      const begun = acknowledge(submission, await beginTask(this.#context, this.#runs, prepared));
      if (begun.kind === 'repeated') return await this.#outcomes.repeated(agent, submission, begun, findReply);
      const settled = await waiter.wait(maxWaitOf(agent, submission), submission.signal);
      const known = taskAt(settled);
      return known === undefined
        ? await this.#outcomes.outcome(agent, submission, task.id, { settled, waiter, findReply })
        : { task: known };
    } finally {
      waiter.close();
    }
  }

  /** Sends a message and returns all events of its task. The message is stored when this resolves. */
  async stream(given: Submission): Promise<TaskStream> {
    const { signal } = given;
    const { taskId } = given.message;
    if (taskId !== undefined) {
      await this.#followUp(taskId, given);
      const items = this.subscribe(given, taskId, { signal });
      return this.#untilLeft(this.#context.agents.get(given.agent), given, taskId, items);
    }
    const agent = this.#agent(given.agent);
    const submission = this.#onDemand === undefined ? given : await this.#placed(agent, given);
    const prepared = prepareTask(this.#context, this.#runs, agent, submission);
    const { task, findReply } = prepared;
    const box = new Mailbox(this.#context, task.id, signal, findReply);
    let begun: Begun;
    try {
      begun = acknowledge(submission, await beginTask(this.#context, this.#runs, prepared));
    } catch (error) {
      box.close();
      throw error;
    }
    if (begun.kind === 'repeated') {
      box.close();
      const { taskId: id, reply } = begun;
      const items =
        reply === undefined ? Subscription.to(this.#context, submission, id, { signal, findReply }) : replied(reply);
      return this.#untilLeft(agent, submission, id, items);
    }
    return this.#untilLeft(agent, submission, task.id, Subscription.toNew(this.#context, box, begun.record));
  }

  /** Returns the ids of the tasks that run on this node. */
  runningTasks(): readonly string[] {
    return this.#runs.taskIds();
  }

  /** Returns the events of a task: the current task and each new event, or all events after the number `start.after`. */
  subscribe(access: TaskAccess, taskId: string, start: StreamStart = {}): AsyncIterable<readonly StreamItem[]> {
    this.#assertOpen();
    return Subscription.to(this.#context, access, taskId, start);
  }

  /** Returns a task with its artifacts and history. @throws A2AError `TASK_NOT_FOUND` */
  async get(access: TaskAccess, taskId: string, options: GetTaskOptions = {}): Promise<Task> {
    return readTask(this.#context, access, taskId, options.historyLength);
  }

  /** Returns a task like `get`, as JSON text in the 1.0 format if the store has it. @throws A2AError `TASK_NOT_FOUND` */
  getText(access: TaskAccess, taskId: string, options: GetTaskOptions = {}): Promise<Task | TaskText> {
    return readTaskText(this.#context, access, taskId, options.historyLength);
  }

  /** Returns a task and its last state changes, at most 100. @throws A2AError `TASK_NOT_FOUND` */
  getWithTransitions(access: TaskAccess, taskId: string, options: GetTaskOptions = {}): Promise<TaskWithTransitions> {
    return readTransitions(this.#context, access, taskId, options.historyLength);
  }

  /** Returns whether the owner can see a task with this id. */
  async has(access: TaskAccess, taskId: string): Promise<boolean> {
    const stored = await this.#context.store.read(access, taskId, { history: 0 });
    return stored?.record.visible === true && isWithin(access, stored.record);
  }

  /** Rejects if the store cannot be read or written. */
  async ready(): Promise<void> {
    const { store } = this.#context;
    if (store.ready === undefined) await this.has({ tenant: '', owner: '' }, 'readiness');
    else await store.ready();
  }

  /** Returns the id of the task that the owner has given this alias, if any. */
  resolveAlias(access: Required<TaskAccess>, alias: string): Promise<string | undefined> {
    return this.#context.store.resolveAlias(access, nameAt(access.agent, alias));
  }

  /** Returns a page of tasks, and how many match in all. With `isCut`, the page ended early because of its size. */
  async list(access: TaskAccess, query: TaskQuery): Promise<ListedTasks> {
    const { tasks, total, isCut } = await this.#context.store.list(access, within(access, query));
    return { tasks: tasks.map(pagedTask), total, ...(isCut === true && { isCut }) };
  }

  /** Returns a page of tasks like `list`, each as JSON text in the 1.0 format if the store has it. */
  async listTexts(access: TaskAccess, query: TaskQuery): Promise<ListedTasks<Task | TaskText>> {
    const { store } = this.#context;
    if (store.listTexts === undefined) return this.list(access, query);
    const { tasks, total, isCut } = await store.listTexts(access, within(access, query));
    return { tasks: tasks.map(listedText), total, ...(isCut === true && { isCut }) };
  }

  /** Cancels a task; resolves when it has ended. @throws A2AError `TASK_NOT_FOUND`, `TASK_NOT_CANCELABLE` */
  async cancel(access: TaskAccess, taskId: string): Promise<Task> {
    this.#assertOpen();
    await cancelTask(this.#context, this.#runs, access, taskId);
    return this.get(access, taskId);
  }

  /**
   * Passes a credential to a task whose handler waits for it with `ctx.authorize`: to the oldest question for one, unless
   * `questionId` names it.
   * @throws A2AError `TASK_NOT_FOUND`, or `UNSUPPORTED_OPERATION` if the task does not wait for authorization.
   */
  async authorize(access: TaskAccess, taskId: string, credential: string, questionId?: string): Promise<void> {
    this.#assertOpen();
    this.#written(await authorize(this.#context, access, taskId, credential, questionId));
  }

  /**
   * Lets a task of any caller continue that is held because the code of its handler was changed.
   * @throws A2AError `UNSUPPORTED_OPERATION` if the task is not held.
   */
  async release(taskId: string): Promise<void> {
    this.#assertOpen();
    this.#written(await releaseTask(this.#context, taskId));
  }

  /**
   * Adds a push configuration to a task, or replaces the one with the same id. Ended tasks send no further notifications.
   * @throws A2AError `TASK_NOT_FOUND`, or `UNSUPPORTED_OPERATION` if the task has reached `maxPushConfigs`.
   */
  setPushConfig(access: TaskAccess, taskId: string, given: NewPushConfig): Promise<PushConfigRecord> {
    return setPushConfig(this.#context, access, taskId, given);
  }

  /** Returns a push configuration. @throws A2AError `TASK_NOT_FOUND` if the task or the configuration does not exist. */
  getPushConfig(access: TaskAccess, taskId: string, id: string): Promise<PushConfigRecord> {
    return getPushConfig(this.#context, access, taskId, id);
  }

  /** Returns the push configurations of a task in the order of their creation. */
  listPushConfigs(
    access: TaskAccess,
    taskId: string,
    range: PushConfigRange = {},
  ): Promise<readonly PushConfigRecord[]> {
    return listPushConfigs(this.#context, access, taskId, range);
  }

  /** Deletes a push configuration. Returns whether it existed. */
  deletePushConfig(access: TaskAccess, taskId: string, id: string): Promise<boolean> {
    return deletePushConfig(this.#context, access, taskId, id);
  }

  /** Returns the push notifications that could not be delivered, the oldest first. */
  deadLetters(range: DeadLetterRange = {}): Promise<readonly DeadLetter[]> {
    return listDeadLetters(this.#context, range);
  }

  /**
   * Sends a dead letter again, or all dead letters of a push configuration, once each. A disabled configuration is enabled
   * again and receives the events since then.
   * @throws A2AError `PUSH_NOTIFICATION_NOT_SUPPORTED` if the engine sends no push notifications, `INVALID_PARAMS` if there is no such dead letter.
   */
  async redeliver(which: string | PushConfigName): Promise<Redelivered> {
    this.#assertOpen();
    if (this.#pushTransport === undefined)
      throw new A2AError('PUSH_NOTIFICATION_NOT_SUPPORTED', 'This server does not send push notifications');
    const redelivered = await redeliver(this.#context, this.#pushTransport, which, this.#left.signal);
    this.#outbox?.nudge();
    return redelivered;
  }

  /**
   * Makes an open call due, because its peer reports that the called task has changed. Returns the id of the calling task; `undefined`
   * if there is no such call or it has another token.
   *
   * @param tokenDigest The SHA-256 of the token that the peer sent.
   */
  callHint(callId: string, tokenDigest: string): Promise<string | undefined> {
    this.#assertOpen();
    return this.#calls.hint(callId, tokenDigest);
  }

  /** The operations of an engine that works on request. @throws TypeError if it was not started with `onDemand`. */
  get onDemand(): OnDemand {
    this.#assertOpen();
    if (this.#onDemand === undefined) throw new TypeError('The engine was not started with onDemand');
    return this.#onDemand;
  }

  /** Removes expired tasks and events. The engine also does this periodically. */
  prune(): Promise<void> {
    return this.#retention.prune();
  }

  /**
   * Deletes all data of one owner: tasks of all agents with events, history and journal, push configurations, dead letters,
   * and idempotency keys. Unfinished tasks are canceled first. Returns how many tasks were deleted.
   * @param onDeleted Called with the number of tasks of each batch, also if the purge fails later.
   * @throws A2AError `UNAVAILABLE` if the owner has started tasks in the meantime that still run.
   */
  async purge(owner: Scope, onDeleted: OnDeleted = () => {}): Promise<number> {
    this.#assertOpen();
    return purgeOwner(this.#context, this.#runs, owner, onDeleted);
  }

  /**
   * Stops accepting work and waits up to `finishMs` for running tasks to finish. Unfinished tasks are released, so that
   * this or another engine can resume them. The store stays open. With `afterCrash`, the attempts of unfinished runs count
   * as if the process had died.
   */
  close(options: EngineCloseOptions = {}): Promise<void> {
    return (this.#closing ??= this.#close(options));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start(): Promise<void> {
    await this.#heartbeat.start();
    const { store, node, runsTasks } = this.#context;
    this.#unwatch = store.watch((taskId, by, isClaimable, progress, callsDue) => {
      if (by === node) return;
      this.#hint(taskId, isClaimable, progress);
      if (callsDue === true) this.#calls.nudge();
    });
    if (this.#onDemand !== undefined) return;
    this.#lookNowAndThen();
    if (runsTasks) {
      this.#claims.start();
      this.#outbox?.start();
      this.#calls.start();
    }
    this.#retention.start();
  }

  #lookForWork(taskId?: string): void {
    if (this.#onDemand === undefined) this.#claims.nudge();
    else this.#onDemand.nudge(taskId);
  }

  async #close({ finishMs = 0, afterCrash = false }: EngineCloseOptions): Promise<void> {
    const { timers, clock, store, node, feed } = this.#context;
    const claimed = this.#claims.stop();
    this.#calls.pause();
    const delivered = this.#outbox?.finish();
    if (finishMs > 0) {
      const late = new Promise<void>((resolve) => void timers.add(clock.now() + finishMs, resolve));
      await Promise.race([Promise.all([this.#runs.finished(), delivered]), late]);
    }
    this.#left.abort();
    this.#onDemand?.close();
    this.#heartbeat.stop();
    this.#retention.stop();
    this.#stopLooking();
    this.#unwatch();
    await this.#outbox?.stop();
    await this.#calls.stop();
    await this.#runs.handOver(afterCrash);
    await claimed;
    await this.#runs.settled();
    const error = new A2AError(
      'UNAVAILABLE',
      'The server is shutting down. The task resumes when it is available again.',
      {
        retryAfterMs: 1000,
      },
    );
    feed.close({ kind: 'interrupted', error, isFinal: true });
    timers.clear();
    await store.retire(node).catch(() => {});
  }

  /** Looks for work only if the task is claimable: otherwise each event would make every node query the store. */
  #hint(taskId: string, isClaimable = true, progress?: ReadProgress): void {
    this.#context.feed.hint(taskId, progress);
    this.#calls.changed(taskId);
    void this.#runs.refreshFromStore(taskId);
    if (isClaimable) this.#lookForWork(taskId);
  }

  #lookNowAndThen(): void {
    const { pollMs, feed } = this.#context;
    const lookMs = pollMs * POLLS_PER_LOOK;
    this.#stopLooking = every(lookMs, this.#context, () => {
      feed.notifySome({ kind: 'hint' }, Math.ceil((lookMs * LOOKS_PER_SECOND) / 1000));
      this.#runs.refreshRunning();
    });
  }

  /** An engine that works on request has no queue: without a free slot, the task is left to other nodes. */
  async #placed(agent: Runnable, submission: Submission): Promise<Submission> {
    await this.#onDemand?.wake();
    const hasSlot = this.#runs.slots(agent).mayTake(fairnessKeyOf(submission));
    return hasSlot ? submission : { ...submission, elsewhere: true };
  }

  async #sendTo(taskId: string, submission: Submission): Promise<SendResult> {
    // Checked before the message is stored, because the agent determines how long to wait.
    const agent = submission.returnImmediately === true ? undefined : this.#agent(submission.agent);
    if (agent === undefined) {
      await this.#followUp(taskId, submission);
      return { task: await this.get(submission, taskId) };
    }
    // Listens before the message is stored, so that nothing has to be read after it.
    const waiter = new SettleWaiter(this.#context, submission, taskId, 'unknown');
    try {
      waiter.start(await this.#followUp(taskId, submission));
      const settled = await waiter.wait(maxWaitOf(agent, submission), submission.signal);
      return await this.#outcomes.outcome(agent, submission, taskId, { settled, waiter, findReply: noReply });
    } finally {
      waiter.close();
    }
  }

  async #followUp(taskId: string, submission: Submission): Promise<TaskRecord> {
    this.#assertOpen();
    const record = await followUp(this.#context, submission, taskId);
    this.#written(record);
    submission.onStored?.(taskId);
    return record;
  }

  /** Called when this node wrote to a task from outside of its run. */
  #written(record: TaskRecord): void {
    void this.#runs.notify(record);
    this.#lookForWork(record.id);
  }

  #untilLeft(
    agent: Runnable | undefined,
    submission: Submission,
    taskId: string,
    items: AsyncIterable<readonly StreamItem[]>,
  ): TaskStream {
    if (agent?.limits.onDisconnect !== 'cancel') return { taskId, items };
    const onLeft = (): void => senderLeft(this.#context, this.#runs, agent, submission, taskId);
    return { taskId, items: untilLeft(items, submission.signal, onLeft) };
  }

  #agent(id: string): Runnable {
    this.#assertOpen();
    const agent = this.#context.agents.get(id);
    if (agent === undefined) throw new A2AError('INTERNAL_ERROR', `Agent ${id} is not registered here`);
    return agent;
  }

  #assertOpen(): void {
    if (this.#closing) throw new A2AError('UNAVAILABLE', 'The server is shutting down', { retryAfterMs: 1000 });
  }
}

function within({ agent }: TaskAccess, query: TaskQuery): TaskQuery {
  return agent === undefined ? query : { ...query, agents: [agent] };
}

function acknowledge({ onStored }: Submission, begun: Begun): Begun {
  onStored?.(begun.kind === 'created' ? begun.record.id : begun.taskId);
  return begun;
}
