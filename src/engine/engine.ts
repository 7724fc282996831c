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
import { steadyClock } from '../support/steady-clock.ts';
import { defined } from '../support/defined.ts';
import { every } from '../support/every.ts';
import { Answers, type SendResult } from './answers.ts';
import { authorize } from './authorize.ts';
import { cancelTask } from './cancel.ts';
import { ClaimLoop } from './claim-loop.ts';
import type { Core } from './core.ts';
import { type DeadLetter, type DeadLetterRange, listDeadLetters, type Redelivered, redeliver } from './dead-letters.ts';
import type { Courier } from './delivery.ts';
import { senderLeft, untilLeft } from './disconnect.ts';
import { createCore, type EngineOptions, POLLS_PER_LOOK } from './engine-options.ts';
import { taskView } from './event-body.ts';
import { followUp } from './follow-up.ts';
import { Heartbeat } from './heartbeat.ts';
import { Mailbox, noReply } from './mailbox.ts';
import { beginTask, type Begun, prepareTask } from './new-task.ts';
import { OnDemand } from './on-demand.ts';
import { Outbox } from './outbox.ts';
import {
  deletePushConfig,
  getPushConfig,
  listPushConfigs,
  type NewPushConfig,
  type PushConfigRange,
  setPushConfig,
} from './push-configs.ts';
import { type OnDeleted, purgeOwner } from './purge.ts';
import { DEFAULT_PUSH_POLICY } from './push-policy.ts';
import { readTask } from './read-task.ts';
import { DEFAULT_RETENTION, RetentionLoop } from './retention.ts';
import type { Runnable } from './runnable.ts';
import { Runs } from './runs.ts';
import { StoreTime } from './store-time.ts';
import type { Submission } from './submission.ts';
import { replied, type StreamItem, type StreamStart, Subscription } from './subscribe.ts';
import { isWithin, nameAt, shown, type TaskAccess } from './task-access.ts';
import { pagedTask } from './task-page.ts';
import { readTransitions, type TaskWithTransitions } from './transitions.ts';
import { RestWaiter } from './wait.ts';

export type { EngineOptions, SendResult };

export interface TaskStream {
  readonly taskId: string;
  readonly items: AsyncIterable<readonly StreamItem[]>;
}

export interface GetTaskOptions {
  /** How many of the last messages; all if not set. */
  readonly historyLength?: number;
}

export interface EngineCloseOptions {
  readonly finishMs?: number;
  /** @internal */
  readonly afterCrash?: boolean;
}

/** Thousands of idle streams must not keep a database busy with looks that nearly never find anything. */
const LOOKS_PER_SECOND = 100;

/**
 * Runs agents on a store. Every task goes on after a crash, here or on another node with the same store; nothing is told
 * to anybody before it is stored. Knows nothing of the network.
 */
export class Engine {
  readonly #core: Core;
  readonly #runs: Runs;
  readonly #claims: ClaimLoop;
  readonly #answers: Answers;
  readonly #heartbeat: Heartbeat;
  readonly #retention: RetentionLoop;
  readonly #courier: Courier | undefined;
  readonly #outbox: Outbox | undefined;
  /** If it does nothing by itself. */
  readonly #onDemand: OnDemand | undefined;
  readonly #left = new AbortController();
  #unwatch: () => void = () => {};
  #stopLooking: () => void = () => {};
  #closing: Promise<void> | undefined;

  private constructor(options: EngineOptions) {
    const clock = new StoreTime(options.clock ?? steadyClock);
    this.#core = createCore(options, clock, {
      pushed: () => this.#outbox?.nudge(),
      pushConfigChanged: async (name) => {
        await this.#outbox?.drop(name);
        this.#outbox?.nudge();
      },
      roomForRuns: () => this.#runs.lookForWork(),
      hasSlept: () => this.#onDemand !== undefined && this.#heartbeat.isLate,
    });
    const push = { ...DEFAULT_PUSH_POLICY, ...defined(options.push ?? {}) };
    const { courier } = options;
    this.#courier = courier;
    this.#outbox = courier && new Outbox(this.#core, courier, push);
    this.#runs = new Runs(this.#core, (taskId) => this.#lookForWork(taskId));
    this.#answers = new Answers(this.#core, this.#runs);
    this.#heartbeat = new Heartbeat(this.#core, clock, () => this.#runs.hearAll());
    this.#claims = new ClaimLoop(this.#core, this.#runs, this.#heartbeat);
    this.#retention = new RetentionLoop(
      this.#core,
      { ...DEFAULT_RETENTION, ...defined(options.retention ?? {}) },
      push.maxDeadLetters,
    );
    const parts = { runs: this.#runs, heartbeat: this.#heartbeat, outbox: this.#outbox, prune: () => this.prune() };
    this.#onDemand = options.onDemand === true ? new OnDemand(this.#core, parts) : undefined;
  }

  /** Starts an engine; what an earlier one left unfinished goes on at once. */
  static async start(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options);
    await engine.#start();
    return engine;
  }

  /** Gives a message to an agent and waits for what comes of it: its end, a question back, or the end of patience. */
  async send(given: Submission): Promise<SendResult> {
    const { taskId } = given.message;
    if (taskId !== undefined) return this.#sendTo(taskId, given);
    const agent = this.#agent(given.agent);
    const submission = this.#onDemand === undefined ? given : await this.#placed(agent, given);
    const prepared = prepareTask(this.#core, this.#runs, agent, submission);
    const { task, findReply } = prepared;
    if (submission.returnImmediately === true) {
      const begun = told(submission, await beginTask(this.#core, this.#runs, prepared));
      if (begun.kind === 'repeated') return this.#answers.repeated(agent, submission, begun, findReply);
      return { task: taskView(begun.record, [task.message]) };
    }
    const waiter = new RestWaiter(this.#core, submission, task.id);
    try {
      const begun = told(submission, await beginTask(this.#core, this.#runs, prepared));
      if (begun.kind === 'repeated') return await this.#answers.repeated(agent, submission, begun, findReply);
      return await this.#answers.outcome(agent, submission, task.id, waiter, findReply);
    } finally {
      waiter.close();
    }
  }

  /** As `send`, but with everything that happens on the way. The task is stored when this resolves. */
  async stream(given: Submission): Promise<TaskStream> {
    const { signal } = given;
    const { taskId } = given.message;
    if (taskId !== undefined) {
      await this.#followUp(taskId, given);
      const items = this.subscribe(given, taskId, { signal });
      return this.#untilLeft(this.#core.agents.get(given.agent), given, taskId, items);
    }
    const agent = this.#agent(given.agent);
    const submission = this.#onDemand === undefined ? given : await this.#placed(agent, given);
    const prepared = prepareTask(this.#core, this.#runs, agent, submission);
    const { task, findReply } = prepared;
    const box = new Mailbox(this.#core, task.id, signal, findReply);
    let begun: Begun;
    try {
      begun = told(submission, await beginTask(this.#core, this.#runs, prepared));
    } catch (error) {
      box.close();
      throw error;
    }
    if (begun.kind === 'repeated') {
      box.close();
      const { taskId: id, reply } = begun;
      const items =
        reply === undefined ? Subscription.to(this.#core, submission, id, { signal, findReply }) : replied(reply);
      return this.#untilLeft(agent, submission, id, items);
    }
    return this.#untilLeft(agent, submission, task.id, Subscription.toNew(this.#core, box, begun.record));
  }

  /** The ids of the tasks that run on this node. */
  runningTasks(): readonly string[] {
    return this.#runs.taskIds();
  }

  /** What happens to a task from now on, or from a number on. */
  subscribe(access: TaskAccess, taskId: string, start: StreamStart = {}): AsyncIterable<readonly StreamItem[]> {
    this.#assertOpen();
    return Subscription.to(this.#core, access, taskId, start);
  }

  async get(access: TaskAccess, taskId: string, options: GetTaskOptions = {}): Promise<Task> {
    return readTask(this.#core, access, taskId, options.historyLength);
  }

  /** A task and its last state changes, 100 at most. */
  getWithTransitions(access: TaskAccess, taskId: string, options: GetTaskOptions = {}): Promise<TaskWithTransitions> {
    return readTransitions(this.#core, access, taskId, options.historyLength);
  }

  /** Whether there is such a task that the owner may see. */
  async has(access: TaskAccess, taskId: string): Promise<boolean> {
    const stored = await this.#core.store.read(access, taskId, { history: 0 });
    return stored?.record.visible === true && isWithin(access, stored.record);
  }

  /** Rejects if the store cannot be read, or could not take a write now. */
  async ready(): Promise<void> {
    const { store } = this.#core;
    if (store.ready === undefined) await this.has({ tenant: '', owner: '' }, 'readiness');
    else await store.ready();
  }

  /** The id of the task of an agent that the owner calls by this name. */
  resolveAlias(access: Required<TaskAccess>, alias: string): Promise<string | undefined> {
    return this.#core.store.resolveAlias(access, nameAt(access.agent, alias));
  }

  async list(
    access: TaskAccess,
    query: TaskQuery,
  ): Promise<{ readonly tasks: readonly Task[]; readonly total: number; readonly isCut?: true }> {
    const narrowed = access.agent === undefined ? query : { ...query, agents: [access.agent] };
    const { tasks, total, isCut } = await this.#core.store.list(access, narrowed);
    return { tasks: tasks.map(pagedTask), total, ...(isCut === true && { isCut }) };
  }

  /** Ends a task as canceled; resolves when it is. Harmless if it is already. */
  async cancel(access: TaskAccess, taskId: string): Promise<Task> {
    this.#assertOpen();
    shown(access, taskId, await this.#core.store.read(access, taskId, { history: 0 }));
    await cancelTask(this.#core, this.#runs, access, taskId);
    return this.get(access, taskId);
  }

  /** Gives a task the credential that its handler waits for with `ctx.authorize`, and that came by another way. */
  async authorize(access: TaskAccess, taskId: string, credential: string): Promise<void> {
    this.#assertOpen();
    await authorize(this.#core, access, taskId, credential);
    this.#wake(taskId);
  }

  /** Stores where to tell of a task, or replaces what has the same id. Nothing more is told of a task that has ended. */
  setPushConfig(access: TaskAccess, taskId: string, given: NewPushConfig): Promise<PushConfigRecord> {
    return setPushConfig(this.#core, access, taskId, given);
  }

  getPushConfig(access: TaskAccess, taskId: string, id: string): Promise<PushConfigRecord> {
    return getPushConfig(this.#core, access, taskId, id);
  }

  /** In the order in which they first came. */
  listPushConfigs(
    access: TaskAccess,
    taskId: string,
    range: PushConfigRange = {},
  ): Promise<readonly PushConfigRecord[]> {
    return listPushConfigs(this.#core, access, taskId, range);
  }

  /** Says whether there was one. */
  deletePushConfig(access: TaskAccess, taskId: string, id: string): Promise<boolean> {
    return deletePushConfig(this.#core, access, taskId, id);
  }

  /** The events that receivers could not be told of, in the order in which they were given up. */
  deadLetters(range: DeadLetterRange = {}): Promise<readonly DeadLetter[]> {
    return listDeadLetters(this.#core, range);
  }

  /**
   * Sends a dead letter again, or all of a push configuration; once each. One that was disabled is then told of what came
   * since.
   */
  async redeliver(which: string | PushConfigName): Promise<Redelivered> {
    this.#assertOpen();
    if (this.#courier === undefined)
      throw new A2AError('PUSH_NOTIFICATION_NOT_SUPPORTED', 'There is nothing here that sends push notifications');
    const redelivered = await redeliver(this.#core, this.#courier, which, this.#left.signal);
    this.#outbox?.nudge();
    return redelivered;
  }

  /** What an engine can be asked for that does nothing by itself. @throws TypeError if it does. */
  get onDemand(): OnDemand {
    this.#assertOpen();
    if (this.#onDemand === undefined) throw new TypeError('This engine works by itself: it was not started on demand');
    return this.#onDemand;
  }

  /** Removes what has outlived its time; done by itself now and then. */
  prune(): Promise<void> {
    return this.#retention.prune();
  }

  /**
   * Deletes everything that the store has of one owner: tasks of all agents with events, history and journal, push
   * configurations, dead letters, and the keys of requests. Unfinished tasks are canceled first. Returns how many tasks were
   * deleted.
   *
   * @param onDeleted Called with the number of tasks of each batch, also of a purge that fails later.
   * @throws A2AError `UNAVAILABLE` if the owner has started tasks in the meantime that still run.
   */
  async purge(owner: Scope, onDeleted: OnDeleted = () => {}): Promise<number> {
    this.#assertOpen();
    return purgeOwner(this.#core, this.#runs, owner, onDeleted);
  }

  /**
   * Takes no more work and gives what runs a time to finish. What is unfinished then is given back to the store, where
   * this or another engine finds it. The store stays open. `afterCrash`: the attempts of unfinished runs count, as they do
   * when the process dies.
   */
  close(options: EngineCloseOptions = {}): Promise<void> {
    return (this.#closing ??= this.#close(options));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start(): Promise<void> {
    await this.#heartbeat.start();
    const { store, node, runsTasks } = this.#core;
    this.#unwatch = store.watch((taskId, by, isLeft, progress) => {
      if (by !== node) this.#hint(taskId, isLeft, progress);
    });
    if (this.#onDemand !== undefined) return;
    this.#lookNowAndThen();
    if (runsTasks) {
      this.#claims.start();
      this.#outbox?.start();
    }
    this.#retention.start();
  }

  #lookForWork(taskId?: string): void {
    if (this.#onDemand === undefined) this.#claims.nudge();
    else this.#onDemand.nudge(taskId);
  }

  async #close({ finishMs = 0, afterCrash = false }: EngineCloseOptions): Promise<void> {
    const { timers, clock, store, node, feed } = this.#core;
    const claimed = this.#claims.stop();
    const told = this.#outbox?.finish();
    if (finishMs > 0) {
      const late = new Promise<void>((resolve) => void timers.add(clock.now() + finishMs, resolve));
      await Promise.race([Promise.all([this.#runs.finished(), told]), late]);
    }
    this.#left.abort();
    this.#onDemand?.close();
    this.#heartbeat.stop();
    this.#retention.stop();
    this.#stopLooking();
    this.#unwatch();
    await this.#outbox?.stop();
    await this.#runs.handOver(afterCrash);
    await claimed;
    await this.#runs.settled();
    const error = new A2AError('UNAVAILABLE', 'The server is shutting down; the task goes on when it is back', {
      retryAfterMs: 1000,
    });
    feed.close({ kind: 'interrupted', error, isFinal: true });
    timers.clear();
    await store.retire(node).catch(() => {});
  }

  /** A cluster would look for work with each event of each task if it did not know that there is none. */
  #hint(taskId: string, isLeft = true, progress?: ReadProgress): void {
    this.#core.feed.hint(taskId, progress);
    if (isLeft) this.#wake(taskId);
    else void this.#runs.hear(taskId);
  }

  #lookNowAndThen(): void {
    const { pollMs, feed } = this.#core;
    const lookMs = pollMs * POLLS_PER_LOOK;
    this.#stopLooking = every(lookMs, this.#core, () => {
      feed.tellSome({ kind: 'hint' }, Math.ceil((lookMs * LOOKS_PER_SECOND) / 1000));
      this.#runs.hearRunning();
    });
  }

  /** On demand nothing waits here for a slot: it is left to others. */
  async #placed(agent: Runnable, submission: Submission): Promise<Submission> {
    await this.#onDemand?.wake();
    const hasSlot = this.#runs.slots(agent).mayTake(fairnessKeyOf(submission));
    return hasSlot ? submission : { ...submission, elsewhere: true };
  }

  async #sendTo(taskId: string, submission: Submission): Promise<SendResult> {
    // Before the message is stored: who waits needs the agent here, for it says how long.
    const agent = submission.returnImmediately === true ? undefined : this.#agent(submission.agent);
    const { lastEvent } = await this.#followUp(taskId, submission);
    if (agent === undefined) return { task: await this.get(submission, taskId) };
    return this.#answers.ofTask(agent, submission, taskId, noReply, lastEvent);
  }

  async #followUp(taskId: string, submission: Submission): Promise<TaskRecord> {
    this.#assertOpen();
    const record = await followUp(this.#core, submission, taskId);
    this.#wake(taskId);
    submission.onStored?.(taskId);
    return record;
  }

  #wake(taskId: string): void {
    void this.#runs.hear(taskId);
    this.#lookForWork(taskId);
  }

  #untilLeft(
    agent: Runnable | undefined,
    submission: Submission,
    taskId: string,
    items: AsyncIterable<readonly StreamItem[]>,
  ): TaskStream {
    if (agent?.limits.onDisconnect !== 'cancel') return { taskId, items };
    const onLeft = (): void => senderLeft(this.#core, this.#runs, agent, submission, taskId);
    return { taskId, items: untilLeft(items, submission.signal, onLeft) };
  }

  #agent(id: string): Runnable {
    this.#assertOpen();
    const agent = this.#core.agents.get(id);
    if (agent === undefined) throw new A2AError('INTERNAL_ERROR', `There is no agent ${id} here`);
    return agent;
  }

  #assertOpen(): void {
    if (this.#closing) throw new A2AError('UNAVAILABLE', 'The server is shutting down', { retryAfterMs: 1000 });
  }
}

function told({ onStored }: Submission, begun: Begun): Begun {
  onStored?.(begun.kind === 'created' ? begun.record.id : begun.taskId);
  return begun;
}
