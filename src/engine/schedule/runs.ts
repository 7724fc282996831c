import { A2AError } from '../../errors.ts';
import { fairnessKeyOf, type TaskRecord } from '../../store/store.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import type { EngineContext } from '../engine-context.ts';
import { type ReleaseMode, LeaseReleases, type LeasedTask } from './lease-releases.ts';
import { Interruptions } from './interruptions.ts';
import { workedEntry } from '../replay/journal.ts';
import { type LoadedTask, loadTask } from '../replay/load-task.ts';
import { refusalToRun } from '../run/outcome.ts';
import { Run, type RunOwner } from '../run/run.ts';
import type { Runnable } from '../runnable.ts';
import { Slots } from './slots.ts';
import { SuspendedRuns } from './suspended-runs.ts';
import { Suspects } from './suspects.ts';
import { PendingClaims } from './pending-claims.ts';
import { taskFields } from '../task-trace.ts';
import type { Loss } from '../write/task-writer.ts';

/** How long to wait before loading a task again. */
const AGAIN_MS = 500;

/** The runs of this node: running ones, and suspended ones in memory. */
export class Runs {
  readonly #engine: EngineContext;
  readonly #owner: RunOwner;
  readonly #onFree: (taskId?: string) => void;
  readonly #running = new Map<string, Run>();
  readonly #suspended: SuspendedRuns;
  /** The slots of all agents together, if they are limited. */
  readonly #nodeSlots: Slots | undefined;
  /** By agent. */
  readonly #slots = new Map<string, Slots>();
  readonly #claims = new PendingClaims();
  readonly #releases: LeaseReleases;
  readonly #interruptions: Interruptions;
  readonly #suspects: Suspects;
  #onEmpty: (() => void) | undefined;
  readonly #idle = new IdleRuns();
  /** Claims and losses that are still being processed. */
  readonly #pending = new Set<Promise<void>>();
  /** Set after the hand-over: no further run starts. */
  #isOver = false;

  /** @param onFree Called when there may be work, with the id if it is for one task. */
  constructor(engine: EngineContext, onFree: (taskId?: string) => void) {
    this.#engine = engine;
    this.#owner = {
      onIdle: (run, loss) => this.#onIdle(run, loss),
      onWakeWanted: (run) => void this.#wake(run),
      onCleared: (taskId) => this.#suspects.cleared(taskId),
    };
    const { concurrency, memory } = engine;
    this.#nodeSlots = concurrency === Infinity ? undefined : new Slots({ concurrency, queue: 0 }, memory);
    this.#onFree = onFree;
    this.#releases = new LeaseReleases(engine, () => onFree());
    this.#interruptions = new Interruptions(engine);
    this.#suspects = new Suspects(engine, () => onFree());
    this.#suspended = new SuspendedRuns(engine.maxSuspended);
    showRuns(engine, this, this.#suspended);
  }

  get size(): number {
    return this.#running.size;
  }

  /** The tasks that run on this node. */
  taskIds(): readonly string[] {
    return [...this.#running.keys()];
  }

  /** Whether a task runs on this node. */
  isHere(taskId: string): boolean {
    return this.#running.has(taskId);
  }

  /** The slots of an agent on this node. A node that runs no tasks has none. */
  slots({ id, limits }: Runnable): Slots {
    let slots = this.#slots.get(id);
    if (slots === undefined) {
      const { runsTasks, memory } = this.#engine;
      slots = new Slots(runsTasks ? limits : { ...limits, concurrency: 0 }, memory, this.#nodeSlots);
      this.#slots.set(id, slots);
    }
    return slots;
  }

  /** How many suspects the next claim may take. */
  get suspectRoom(): number {
    return this.#suspects.room;
  }

  /** Releases the slot of a task whose run does not start. */
  freeSlot(agent: Runnable, task: Pick<TaskRecord, 'id' | 'owner' | 'fairnessKey'>): void {
    this.#suspects.cleared(task.id);
    this.slots(agent).release(fairnessKeyOf(task));
    this.#onFree();
  }

  /** Limits how long a new task waits here for a slot. Returns the function that removes the limit. */
  limitWait(agent: Runnable, task: Pick<TaskRecord, 'id' | 'createdAt'>): (() => void) | undefined {
    const { maxQueuedMs } = agent.limits;
    if (maxQueuedMs === undefined) return undefined;
    return this.#engine.timers.add(task.createdAt + maxQueuedMs, () => void this.#track(this.#endWait(agent, task.id)));
  }

  /** Claims a task that has waited too long, without regard to slots, because it is ended and not run. */
  async #endWait(agent: Runnable, taskId: string): Promise<void> {
    const { store, node, liveness, log } = this.#engine;
    if (this.#isOver || this.slots(agent).ownerOf(taskId) === undefined) return;
    const { leaseEpoch } = liveness;
    try {
      const [record] = await store.claim({ node, agents: [agent.id], limit: 1, taskId });
      if (record === undefined) return;
      this.slots(agent).take(fairnessKeyOf(record));
      await this.take(agent, record, leaseEpoch);
    } catch (error) {
      // The next claim ends it.
      log.warn('Could not end a task that waited too long for a slot', { taskId, error });
    }
  }

  /** Checks for work. */
  lookForWork(): void {
    this.#onFree();
  }

  /** Starts a new task for which a slot was taken. */
  start(agent: Runnable, task: LoadedTask): void {
    if (this.#isOver) this.#release(task.record);
    else if (this.#isOutdated(task.record)) this.freeSlot(agent, task.record);
    else this.#enter(new Run(this.#engine, this.#owner, agent, task)).start();
  }

  /** Runs a task that was claimed in that lease epoch: from memory if it is suspended there, otherwise by replay. */
  take(agent: Runnable, record: TaskRecord, leaseEpoch: number): Promise<void> {
    this.#claims.begin(record);
    this.#suspects.observe(record);
    const taken = this.#take(agent, record, leaseEpoch).finally(() => {
      if (this.#claims.end(record)) void this.refreshFromStore(record.id);
    });
    return this.#track(taken);
  }

  async #take(agent: Runnable, record: TaskRecord, leaseEpoch: number): Promise<void> {
    this.#engine.faultPoint('after-claim');
    this.slots(agent).dequeue(record.id);
    try {
      if (await this.#resumed(record, leaseEpoch)) return;
      const task = await loadTask(this.#engine.store, record);
      this.#engine.faultPoint('after-load');
      if (task === undefined || this.#claims.isOvertaken(record)) this.freeSlot(agent, record);
      else if (this.#isOver) this.#release(record);
      else if (this.#isOutdated(record)) this.freeSlot(agent, record);
      else this.#begin(agent, task, leaseEpoch);
    } catch (error) {
      // A node that has retired holds no leases.
      if (this.#isOver) return;
      this.#engine.log.warn('Could not load task', { ...taskFields(record), error });
      const { timers, clock, isOnDemand } = this.#engine;
      const again = clock.now() + AGAIN_MS;
      // Retried and not released, because an attempt that has not started does not count. But a node on demand may be
      // frozen by then.
      if (isOnDemand) this.#notBegun(agent, record, again);
      else timers.add(again, () => void this.take(agent, record, leaseEpoch));
    }
  }

  #notBegun(agent: Runnable, record: TaskRecord, wakeAt: number): void {
    this.#release(record, 'undo', AGAIN_MS);
    this.#idle.notify(record.id, { ...record, wakeAt });
    this.freeSlot(agent, record);
  }

  /** Runs a claimed task until its run is idle. Resolves with the task, or with `undefined` if the run did not start. */
  async runUntilSettled(agent: Runnable, record: TaskRecord, leaseEpoch: number): Promise<TaskRecord | undefined> {
    const rest = this.#idle.next(record.id);
    await this.take(agent, record, leaseEpoch);
    if (!this.isHere(record.id)) this.#idle.notify(record.id, undefined);
    return rest;
  }

  /** Resolves when the run on this node is idle. */
  idle(taskId: string): Promise<TaskRecord | undefined> {
    return this.#idle.next(taskId);
  }

  /**
   * Stops a run so that another node can resume its task, unless the task must not run again. A run that used all its time
   * without progress counts as an attempt, or a step that takes longer than any node has would start forever.
   */
  async handOverOne(taskId: string, hadItsTime: boolean): Promise<boolean> {
    const run = this.#running.get(taskId);
    await run?.creation;
    if (run === undefined || this.#running.get(taskId) !== run || run.agent.limits.recovery === 'fail') return false;
    const { record } = run;
    const hasProgressed = record.lastJournal > run.othersJournal;
    const worked = workedEntry(record, run.timers.takeWorkedMs());
    run.stop('handed-over');
    await this.#releases.releaseOrAdd(record, hadItsTime && !hasProgressed ? 'revoke' : 'release', [worked]);
    return true;
  }

  /** Releases leases that should have been released while the node was frozen. */
  resumeReleases(): void {
    this.#releases.resume();
  }

  /** Stops the run of a new task that could not be stored. */
  stopUnstored(taskId: string): void {
    this.#running.get(taskId)?.stop('not-stored');
  }

  /** Releases the lease of a new task that may or may not have been stored. */
  releaseUnconfirmed(taskId: string): void {
    this.#releases.addUnsure({ id: taskId, fence: 1, attempts: 1 });
  }

  /** Handles a write of this node to a task from outside of its run, with the task after that write. */
  async notify(record: TaskRecord): Promise<void> {
    const { id, fence, endedAt, canceling } = record;
    const run = this.#running.get(id) ?? this.#suspended.get(id);
    // The claim of a suspended run reads what was written.
    if (run?.isAwake === true && !canceling && endedAt === undefined) return this.refreshFromStore(id);
    this.#claims.noteNews(id);
    if (run === undefined) this.#dequeueIf(record);
    else if (endedAt !== undefined || fence > run.record.fence) this.#drop(run, record);
    else if (run.isAwake) run.cancel();
  }

  /** Notifies a run of this node that its task may have been written from outside. */
  async refreshFromStore(taskId: string): Promise<void> {
    const run = this.#running.get(taskId) ?? this.#suspended.get(taskId);
    try {
      this.#claims.noteNews(taskId);
      if (run === undefined) {
        await this.#refreshQueued(taskId);
        return;
      }
      // Not stored yet, so nobody else can have written to it.
      if (run.creation !== undefined) return;
      const { store } = this.#engine;
      const [stored, entries] = await Promise.all([
        store.read(run.record, taskId, { history: 0 }),
        store.journal(taskId, run.journal.seen),
      ]);
      const record = stored?.record;
      if (record === undefined || record.fence > run.record.fence || record.endedAt !== undefined)
        this.#drop(run, record);
      else run.refreshFromStore(record, entries);
    } catch (error) {
      // The next write will show the problem.
      this.#engine.log.warn('Could not read the changes of a task', { taskId, error });
    }
  }

  /** Stops a run whose task has ended, is gone, or runs on another node. */
  #drop(run: Run, record: TaskRecord | undefined): void {
    this.#suspended.delete(run.taskId);
    const isCanceled = record?.status.state === 'TASK_STATE_CANCELED';
    run.stop(isCanceled ? 'canceled' : 'lease-lost', { kind: 'rejected', record });
  }

  /** Releases a claimed task whose slot was taken in the meantime. */
  releaseClaim(record: TaskRecord): void {
    this.#release(record);
  }

  /** Releases a claimed task at once, for a node that may be frozen soon. */
  async declineNow(record: TaskRecord): Promise<void> {
    await this.#releases.release(record, 'undo').catch(() => this.#release(record));
  }

  /**
   * Refreshes running tasks, in case hints were lost. For suspended ones, the next claim shows whether another node ran
   * them.
   */
  refreshRunning(): void {
    for (const taskId of this.#running.keys()) void this.refreshFromStore(taskId);
  }

  /** Refreshes all runs after a time in which other nodes may have taken over. */
  refreshAll(): void {
    this.refreshRunning();
    for (const taskId of this.#suspended.taskIds()) void this.refreshFromStore(taskId);
  }

  /** Resolves when no task is running. */
  async finished(): Promise<void> {
    if (this.#running.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }

  /**
   * Stops all runs and releases their tasks, so that other nodes can claim them at once. After a crash the leases stay: the
   * store frees them with the node, and the attempts count, because a task that crashes every process must fail eventually.
   */
  async handOver(afterCrash = false): Promise<void> {
    this.#isOver = true;
    this.#releases.stopTrying();
    const held = [...this.#running.values()];
    this.#engine.faultPoint('before-hand-over');
    const worked = held.map(({ timers }) => timers.takeWorkedMs());
    for (const run of held) run.stop('shutdown');
    this.#suspended.evictAll();
    if (afterCrash) return;
    await Promise.allSettled(
      held.map(({ agent, record }, i) => {
        const how = agent.limits.recovery === 'fail' ? 'revoke' : 'release';
        const ms = worked[i] ?? 0;
        return this.#releases.release(record, how, 0, ms > 0 ? [workedEntry(record, ms)] : undefined);
      }),
    );
  }

  /** Resolves when all writes after the hand-over have ended. */
  async settled(): Promise<void> {
    await this.#releases.settled();
    while (this.#pending.size > 0) {
      await Promise.allSettled(this.#pending);
      await this.#releases.settled();
    }
  }

  async #refreshQueued(taskId: string): Promise<void> {
    for (const slots of this.#slots.values()) {
      const owner = slots.ownerOf(taskId);
      if (owner === undefined) continue;
      const stored = await this.#engine.store.read(owner, taskId, { history: 0 });
      if (stored === undefined) slots.dequeue(taskId);
      else this.#dequeueIf(stored.record);
    }
  }

  /** Removes a task from the queue if it has ended or runs on another node. */
  #dequeueIf({ id, fence, endedAt }: TaskRecord): void {
    if (fence > 0 || endedAt !== undefined) for (const slots of this.#slots.values()) slots.dequeue(id);
  }

  #track(work: Promise<void>): Promise<void> {
    this.#pending.add(work);
    return work.finally(() => this.#pending.delete(work));
  }

  /** Whether this node has claimed its own task again in the meantime, because a slow store considered it dead. */
  #isOutdated({ id, fence }: TaskRecord): boolean {
    return (this.#running.get(id)?.record.fence ?? 0) > fence;
  }

  #enter(run: Run, record = run.record): Run {
    // A node that was considered dead has claimed its own task again, so its earlier run is over.
    this.#running.get(run.taskId)?.stop('lease-lost');
    this.#running.set(run.taskId, run);
    run.trace?.begin(record);
    return run;
  }

  /** Resumes a run in memory, if no other node has run the task in the meantime. */
  async #resumed(record: TaskRecord, leaseEpoch: number): Promise<boolean> {
    const run = this.#suspended.get(record.id);
    if (run === undefined) return false;
    if (run.record.fence + 1 !== record.fence) {
      this.#suspended.delete(record.id);
      run.stop('lease-lost');
      return false;
    }
    const entries = await this.#engine.store.journal(record.id, run.journal.seen);
    // It may have been removed from memory in the meantime, or have failed while it waited.
    if (!this.#suspended.delete(record.id) || run.state.kind === 'over') return false;
    this.#engine.faultPoint('before-resume');
    this.#enter(run, record).resume(record, entries, leaseEpoch);
    return true;
  }

  #begin(agent: Runnable, task: LoadedTask, leaseEpoch: number): void {
    const end = refusalToRun(agent, task, this.#engine.clock.now());
    if (end?.isGivenUp === true) {
      const { attempts, crashes = 0 } = task.record;
      this.#engine.log.error('Task failed after too many interruptions', {
        ...taskFields(task.record),
        attempts: attempts - 1,
        crashes,
      });
    }
    const run = this.#enter(new Run(this.#engine, this.#owner, agent, task, leaseEpoch));
    if (end === undefined) run.start();
    else run.end(end);
  }

  #onIdle(run: Run, loss: Loss | undefined): void {
    const { taskId, agent } = run;
    if (this.#running.get(taskId) === run) {
      this.#running.delete(taskId);
      this.#suspects.cleared(taskId);
    }
    run.trace?.end(run.record);
    if (run.isSuspended) this.#keep(run);
    this.#idle.notify(taskId, run.record);
    if (loss === undefined) this.#interruptions.forget(taskId);
    else this.#lost(run, loss);
    const slots = this.slots(agent);
    const wasTight = slots.isTight;
    slots.release(fairnessKeyOf(run.record));
    // Otherwise all due tasks are already claimed, and a task that has ended will not be due again.
    const hasEnded = run.state.kind === 'over' && loss === undefined && run.record.question === undefined;
    if (wasTight || !hasEnded || slots.waiting > 0) this.#onFree();
    if (this.#running.size === 0) this.#onEmpty?.();
  }

  #lost(run: Run, loss: Loss): void {
    const { taskId, creation } = run;
    if (creation !== undefined) {
      // Without a stored task nothing is lost: `beginTask` gets the error and releases the lease.
      const lost = creation.then(
        () => this.#lost(run, loss),
        () => {},
      );
      void this.#track(lost);
      return;
    }
    if (loss.kind === 'failed') this.#interrupted(run, loss.error);
    else this.#engine.observers.metrics?.leaseLost(run.agent.id);
    if (loss.kind === 'overtaken') this.#release(run.record);
    // The task no longer exists, so no other node will notify its listeners.
    if (loss.kind === 'rejected' && loss.record === undefined) this.#engine.feed.notify(taskId, { kind: 'gone' });
  }

  #keep(run: Run): void {
    // Its pause was acknowledged so late that the task has already been claimed again.
    if (this.#running.has(run.taskId)) run.stop('suspended');
    else this.#suspended.add(run);
  }

  /** Wakes a suspended run that has something to write, so that it is claimed again. */
  async #wake(run: Run): Promise<void> {
    const { taskId, record } = run;
    const { store, node, clock, timers } = this.#engine;
    try {
      const woken = await store.append({ taskId, by: node, guard: { idle: true }, wakeAt: clock.now() });
      this.#engine.faultPoint('after-wake');
      if (woken.kind === 'appended') this.#onFree(taskId);
      else await this.refreshFromStore(taskId);
    } catch (error) {
      this.#engine.log.warn('Could not wake suspended run', { ...taskFields(record), error });
      timers.add(clock.now() + AGAIN_MS, () => {
        if (run.isSuspended) void this.#wake(run);
      });
    }
  }

  /** The last write may not be stored: waiting callers get an error, and the task restarts from the stored state. */
  #interrupted({ agent, taskId, record }: Run, cause: unknown): void {
    const error = new A2AError(
      'UNAVAILABLE',
      'The task store failed. The task resumes when the store is available again.',
      {
        cause,
        retryAfterMs: 1000,
      },
    );
    this.#engine.log.error('Run interrupted by a failure of the task store', { ...taskFields(record), error: cause });
    this.#engine.feed.notify(taskId, { kind: 'interrupted', error });
    const { how, delayMs } = this.#interruptions.releaseAfter(agent, record, cause);
    this.#release(record, how, delayMs);
  }

  /** Releases a lease, by default as it came: with the attempts that earlier runs have made. */
  #release(record: LeasedTask, how: ReleaseMode = 'undo', delayMs = 0): void {
    this.#releases.add(record, how, delayMs);
  }
}

/** Notifies waiters when a run of this node becomes idle. */
class IdleRuns {
  readonly #awaited = new Map<string, Deferred<TaskRecord | undefined>>();

  /** Resolves with the task when its run becomes idle, or with `undefined` if it does not run. */
  next(taskId: string): Promise<TaskRecord | undefined> {
    let rest = this.#awaited.get(taskId);
    if (rest === undefined) this.#awaited.set(taskId, (rest = deferred()));
    return rest.promise;
  }

  notify(taskId: string, record: TaskRecord | undefined): void {
    this.#awaited.get(taskId)?.resolve(record);
    this.#awaited.delete(taskId);
  }
}

/** Registers the gauges for the load of this node. */
function showRuns({ observers, agents, memory }: EngineContext, runs: Runs, suspended: SuspendedRuns): void {
  const { metrics } = observers;
  if (metrics === undefined) return;
  const each = (read: (slots: Slots) => number) => () =>
    Array.from(agents.values(), (agent) => [[agent.id], read(runs.slots(agent))] as const);
  const perAgent = [
    ['tandem_runs', 'Active runs on this node; each holds a slot and a lease', each(({ taken }) => taken)],
    ['tandem_queue', 'Tasks that wait on this node for a slot', each(({ waiting }) => waiting)],
  ] as const;
  for (const [name, help, read] of perAgent) metrics.gauge(name, help, ['agent'], read);
  const perNode = [
    ['tandem_suspended_runs', 'Runs that wait in memory for an answer or a timer', () => suspended.size],
    ['tandem_run_bytes', 'Bytes that the active runs on this node hold in memory', () => memory.bytes],
  ] as const;
  for (const [name, help, read] of perNode) metrics.gauge(name, help, [], () => [[[], read()]]);
}
