import { A2AError } from '../errors.ts';
import { fairnessKeyOf, type TaskRecord } from '../store/store.ts';
import type { Core } from './core.ts';
import { type GiveBack, GiveBacks, type LeasedTask } from './give-backs.ts';
import { Interruptions } from './interruptions.ts';
import { workedEntry } from './journal.ts';
import { type LoadedTask, loadTask } from './load-task.ts';
import { refusalToRun } from './refusal-to-run.ts';
import { Rests } from './rests.ts';
import { Run } from './run.ts';
import { showRuns } from './run-gauges.ts';
import type { RunEnvironment } from './run-environment.ts';
import type { Runnable } from './runnable.ts';
import { Slots } from './slots.ts';
import { SuspendedRuns } from './suspended-runs.ts';
import { Suspects } from './suspects.ts';
import { Takings } from './takings.ts';
import { taskFields } from './task-trace.ts';
import type { Loss } from './loss.ts';

/** How long to wait before trying again to load a task. */
const AGAIN_MS = 500;

/** The runs of this node: those that work, and those that wait in memory. */
export class Runs {
  readonly #core: Core;
  readonly #env: RunEnvironment;
  readonly #onFree: (taskId?: string) => void;
  readonly #running = new Map<string, Run>();
  readonly #suspended: SuspendedRuns;
  /** By agent. */
  readonly #slots = new Map<string, Slots>();
  readonly #takings = new Takings();
  readonly #giveBacks: GiveBacks;
  readonly #interruptions: Interruptions;
  readonly #suspects: Suspects;
  #onEmpty: (() => void) | undefined;
  readonly #rests = new Rests();
  /** Tasks that are on their way in or out. */
  readonly #pending = new Set<Promise<void>>();
  /** All was handed over: nothing begins any more. */
  #isOver = false;

  /** @param onFree Called when there may be something to run, with its id if it is one task. */
  constructor(core: Core, onFree: (taskId?: string) => void) {
    this.#core = core;
    this.#env = {
      ...core,
      onRest: (run, loss) => this.#rested(run, loss),
      onWakeWanted: (run) => void this.#wake(run),
      onCleared: (taskId) => this.#suspects.cleared(taskId),
    };
    this.#onFree = onFree;
    this.#giveBacks = new GiveBacks(core, () => onFree());
    this.#interruptions = new Interruptions(core);
    this.#suspects = new Suspects(core, () => onFree());
    this.#suspended = new SuspendedRuns(core.maxSuspended);
    showRuns(core, this, this.#suspended);
  }

  get size(): number {
    return this.#running.size;
  }

  /** The tasks whose runs work on this node. */
  taskIds(): readonly string[] {
    return [...this.#running.keys()];
  }

  /** Whether a task is at work on this node. */
  isHere(taskId: string): boolean {
    return this.#running.has(taskId);
  }

  /** The slots of an agent on this node. One that runs no tasks has none. */
  slots({ id, limits }: Runnable): Slots {
    let slots = this.#slots.get(id);
    if (slots === undefined) {
      const { runsTasks, memory } = this.#core;
      slots = new Slots(runsTasks ? limits : { ...limits, concurrency: 0 }, memory);
      this.#slots.set(id, slots);
    }
    return slots;
  }

  /** How many tasks of processes that died the next claim may take. */
  get suspectRoom(): number {
    return this.#suspects.room;
  }

  /** Releases a slot that was taken for a task whose run does not begin. */
  giveUp(agent: Runnable, task: Pick<TaskRecord, 'id' | 'owner' | 'fairnessKey'>): void {
    this.#suspects.cleared(task.id);
    this.slots(agent).release(fairnessKeyOf(task));
    this.#onFree();
  }

  /** Limits how long a new task waits here for a slot, if its agent says so. Returns the function that ends the limit. */
  limitWait(agent: Runnable, task: Pick<TaskRecord, 'id' | 'createdAt'>): (() => void) | undefined {
    const { maxQueuedMs } = agent.limits;
    if (maxQueuedMs === undefined) return undefined;
    return this.#core.timers.add(task.createdAt + maxQueuedMs, () => void this.#track(this.#endWait(agent, task.id)));
  }

  /** Takes a task that has waited too long, beyond the slots: it is ended and not run. */
  async #endWait(agent: Runnable, taskId: string): Promise<void> {
    const { store, node, liveness, log } = this.#core;
    if (this.#isOver || this.slots(agent).ownerOf(taskId) === undefined) return;
    const { spell } = liveness;
    try {
      const [record] = await store.claim({ node, agents: [agent.id], limit: 1, taskId });
      if (record === undefined) return;
      this.slots(agent).take(fairnessKeyOf(record));
      await this.take(agent, record, spell);
    } catch (error) {
      // The next claim ends it.
      log.warn('Could not end a task that waited too long for a slot', { taskId, error });
    }
  }

  /** There may be something to run. */
  lookForWork(): void {
    this.#onFree();
  }

  /** Runs a task for which a slot was taken, as `take` does. */
  start(agent: Runnable, task: LoadedTask): void {
    if (this.#isOver) this.#giveBack(task.record);
    else if (this.#isOutdated(task.record)) this.giveUp(agent, task.record);
    else this.#enter(new Run(this.#env, agent, task)).start();
  }

  /** Runs a task that was claimed in that spell: from memory if it waits there, else by replay. */
  take(agent: Runnable, record: TaskRecord, spell: number): Promise<void> {
    this.#takings.begin(record);
    this.#suspects.observe(record);
    const taken = this.#take(agent, record, spell).finally(() => {
      if (this.#takings.end(record)) void this.hear(record.id);
    });
    return this.#track(taken);
  }

  async #take(agent: Runnable, record: TaskRecord, spell: number): Promise<void> {
    this.#core.faultPoint('after-claim');
    this.slots(agent).dequeue(record.id);
    try {
      if (await this.#resumed(record, spell)) return;
      const task = await loadTask(this.#core.store, record);
      this.#core.faultPoint('after-load');
      if (task === undefined || this.#takings.isOvertaken(record)) this.giveUp(agent, record);
      else if (this.#isOver) this.#giveBack(record);
      else if (this.#isOutdated(record)) this.giveUp(agent, record);
      else this.#begin(agent, task, spell);
    } catch (error) {
      // A node that is gone holds nothing.
      if (this.#isOver) return;
      this.#core.log.warn('A task could not be loaded', { ...taskFields(record), error });
      const { timers, clock, isOnDemand } = this.#core;
      const again = clock.now() + AGAIN_MS;
      // Kept, and not given back: an attempt that has not begun is no attempt. But nobody may be awake here by then.
      if (isOnDemand) this.#notBegun(agent, record, again);
      else timers.add(again, () => void this.take(agent, record, spell));
    }
  }

  #notBegun(agent: Runnable, record: TaskRecord, wakeAt: number): void {
    this.#giveBack(record, 'undo', AGAIN_MS);
    this.#rests.tell(record.id, { ...record, wakeAt });
    this.giveUp(agent, record);
  }

  /** As `take`, until the run comes to rest here: with the task as it is then, or with nothing if it did not begin. */
  async takeUntilRest(agent: Runnable, record: TaskRecord, spell: number): Promise<TaskRecord | undefined> {
    const rest = this.#rests.next(record.id);
    await this.take(agent, record, spell);
    if (!this.isHere(record.id)) this.#rests.tell(record.id, undefined);
    return rest;
  }

  /** Resolves when the run that is here has come to rest. */
  rest(taskId: string): Promise<TaskRecord | undefined> {
    return this.#rests.next(taskId);
  }

  /**
   * Stops a run, for others to go on with its task; not if it must not be run again. One that had all its time and got
   * nowhere counts as an attempt, or a step that takes longer than any node has would be begun for ever. Says whether
   * there was one.
   */
  async handOverOne(taskId: string, hadItsTime: boolean): Promise<boolean> {
    const run = this.#running.get(taskId);
    await run?.creation;
    if (run === undefined || this.#running.get(taskId) !== run || run.agent.limits.recovery === 'fail') return false;
    const { record } = run;
    const hasProgressed = record.lastJournal > run.othersJournal;
    const worked = workedEntry(record, run.timers.takeWorkedMs());
    run.stop('handed-over');
    await this.#giveBacks.giveOrAdd(record, hadItsTime && !hasProgressed ? 'revoke' : 'release', [worked]);
    return true;
  }

  /** For a node that may have slept: what should have been given back meanwhile is. */
  giveBackLeft(): void {
    this.#giveBacks.goOn();
  }

  /** A new task has begun and could not be stored: its run is over. */
  abandon(taskId: string): void {
    this.#running.get(taskId)?.stop('not-stored');
  }

  /** Gives back a new task of which nobody knows whether it was stored. */
  disown(taskId: string): void {
    this.#giveBacks.addUnsure({ id: taskId, fence: 1, attempts: 1 });
  }

  /** Tells a run that others have written to its task, if it is here. */
  async hear(taskId: string): Promise<void> {
    const run = this.#running.get(taskId) ?? this.#suspended.get(taskId);
    try {
      this.#takings.noteNews(taskId);
      if (run === undefined) {
        await this.#hearWaiting(taskId);
        return;
      }
      // Nobody can have heard of it.
      if (run.creation !== undefined) return;
      const { store } = this.#core;
      const [stored, entries] = await Promise.all([
        store.read(run.record, taskId, { history: 0 }),
        store.journal(taskId, run.journal.seen),
      ]);
      if (stored !== undefined && stored.record.fence <= run.record.fence && stored.record.endedAt === undefined) {
        run.hear(stored.record, entries);
      } else {
        this.#suspended.delete(taskId);
        const isCanceled = stored?.record.status.state === 'TASK_STATE_CANCELED';
        run.stop(isCanceled ? 'canceled' : 'lease-lost', { kind: 'refused', record: stored?.record });
      }
    } catch (error) {
      // The next write will show what is the matter.
      this.#core.log.warn('A hint could not be followed', { taskId, error });
    }
  }

  /** Releases a task that was claimed when its slot had just been taken. */
  decline(record: TaskRecord): void {
    this.#giveBack(record);
  }

  /** As `decline`, for a node that may be frozen soon: the task is free when this resolves. */
  async declineNow(record: TaskRecord): Promise<void> {
    await this.#giveBacks.give(record, 'undo').catch(() => this.#giveBack(record));
  }

  /** For hints that were lost. Those that wait in memory need none: a claim shows whether others had the task. */
  hearRunning(): void {
    for (const taskId of this.#running.keys()) void this.hear(taskId);
  }

  /** After a time in which others may have taken over. */
  hearAll(): void {
    this.hearRunning();
    for (const taskId of this.#suspended.taskIds()) void this.hear(taskId);
  }

  /** Resolves when nothing runs any more. */
  async finished(): Promise<void> {
    if (this.#running.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }

  /**
   * Stops all runs; their tasks are given back for others to take at once. After a crash the leases stay as they are: the
   * store frees them with the node, and the attempts count, because a task that crashes every process must fail some time.
   */
  async handOver(afterCrash = false): Promise<void> {
    this.#isOver = true;
    this.#giveBacks.stopTrying();
    const held = [...this.#running.values()];
    this.#core.faultPoint('before-hand-over');
    const worked = held.map(({ timers }) => timers.takeWorkedMs());
    for (const run of held) run.stop('shutdown');
    this.#suspended.putAllAway();
    if (afterCrash) return;
    await Promise.allSettled(
      held.map(({ agent, record }, i) => {
        const how = agent.limits.recovery === 'fail' ? 'revoke' : 'release';
        const ms = worked[i] ?? 0;
        return this.#giveBacks.give(record, how, 0, ms > 0 ? [workedEntry(record, ms)] : undefined);
      }),
    );
  }

  /** Resolves when nothing more is written here, after the hand-over. */
  async settled(): Promise<void> {
    await this.#giveBacks.settled();
    while (this.#pending.size > 0) {
      await Promise.allSettled(this.#pending);
      await this.#giveBacks.settled();
    }
  }

  /** A task that was canceled, or that another node runs, waits here no longer. */
  async #hearWaiting(taskId: string): Promise<void> {
    for (const slots of this.#slots.values()) {
      const owner = slots.ownerOf(taskId);
      if (owner === undefined) continue;
      const record = (await this.#core.store.read(owner, taskId, { history: 0 }))?.record;
      if (record === undefined || record.fence > 0 || record.endedAt !== undefined) slots.dequeue(taskId);
    }
  }

  #track(work: Promise<void>): Promise<void> {
    this.#pending.add(work);
    return work.finally(() => this.#pending.delete(work));
  }

  /** The store was so slow that this node was thought dead, and has claimed its own task again. */
  #isOutdated({ id, fence }: TaskRecord): boolean {
    return (this.#running.get(id)?.record.fence ?? 0) > fence;
  }

  #enter(run: Run, record = run.record): Run {
    // A node that was thought dead has claimed its own task: the run that it still has is over.
    this.#running.get(run.taskId)?.stop('lease-lost');
    this.#running.set(run.taskId, run);
    run.trace?.begin(record);
    return run;
  }

  /** Goes on in memory, if nobody else has had the task in the meantime. */
  async #resumed(record: TaskRecord, spell: number): Promise<boolean> {
    const run = this.#suspended.get(record.id);
    if (run === undefined) return false;
    if (run.record.fence + 1 !== record.fence) {
      this.#suspended.delete(record.id);
      run.stop('lease-lost');
      return false;
    }
    const entries = await this.#core.store.journal(record.id, run.journal.seen);
    // It may have been put away meanwhile, to make room, or have come to grief while it waited.
    if (!this.#suspended.delete(record.id) || run.state === 'over') return false;
    this.#core.faultPoint('before-resume');
    this.#enter(run, record).resume(record, entries, spell);
    return true;
  }

  #begin(agent: Runnable, task: LoadedTask, spell: number): void {
    const end = refusalToRun(agent, task, this.#core.clock.now());
    if (end?.isGivenUp === true) {
      const { attempts, crashes = 0 } = task.record;
      this.#core.log.error('A task was interrupted too often and has failed', {
        ...taskFields(task.record),
        attempts: attempts - 1,
        crashes,
      });
    }
    const run = this.#enter(new Run(this.#env, agent, task, spell));
    if (end === undefined) run.start();
    else run.end(end);
  }

  #rested(run: Run, loss: Loss | undefined): void {
    const { taskId, agent } = run;
    if (this.#running.get(taskId) === run) {
      this.#running.delete(taskId);
      this.#suspects.cleared(taskId);
    }
    run.trace?.end(run.record);
    if (run.state === 'suspended') this.#keep(run);
    this.#rests.tell(taskId, run.record);
    if (loss === undefined) this.#interruptions.forget(taskId);
    else this.#lost(run, loss);
    const slots = this.slots(agent);
    const wasTight = slots.isTight;
    slots.release(fairnessKeyOf(run.record));
    // Otherwise all that is due has been claimed already, and a task that has ended will not be due again.
    const hasEnded = run.state === 'over' && loss === undefined && run.record.question === undefined;
    if (wasTight || !hasEnded || slots.waiting > 0) this.#onFree();
    if (this.#running.size === 0) this.#onEmpty?.();
  }

  #lost(run: Run, loss: Loss): void {
    const { taskId, creation } = run;
    if (creation !== undefined) {
      // Without a task nothing was lost: whoever wanted to make it is told so, and gives it back.
      const lost = creation.then(
        () => this.#lost(run, loss),
        () => {},
      );
      void this.#track(lost);
      return;
    }
    if (loss.kind === 'failed') this.#interrupted(run, loss.error);
    else this.#core.observers.metrics?.leaseLost(run.agent.id);
    if (loss.kind === 'overtaken') this.#giveBack(run.record);
    // The task is gone, so nobody else will tell those who wait for it.
    if (loss.kind === 'refused' && loss.record === undefined) this.#core.feed.tell(taskId, { kind: 'gone' });
  }

  #keep(run: Run): void {
    // Its pause was acknowledged so late that the task has been taken again.
    if (this.#running.has(run.taskId)) run.stop('suspended');
    else this.#suspended.add(run);
  }

  /** A suspended run has something to say: it asks for its lease again. */
  async #wake(run: Run): Promise<void> {
    const { taskId, record } = run;
    const { store, node, clock, timers } = this.#core;
    try {
      const woken = await store.append({ taskId, by: node, guard: { idle: true }, wakeAt: clock.now() });
      this.#core.faultPoint('after-wake');
      if (woken.kind === 'appended') this.#onFree(taskId);
      else await this.hear(taskId);
    } catch (error) {
      this.#core.log.warn('A suspended run could not be woken', { ...taskFields(record), error });
      timers.add(clock.now() + AGAIN_MS, () => {
        if (run.state === 'suspended') void this.#wake(run);
      });
    }
  }

  /** Whether the last write happened is unknown: callers are told so, and the task begins anew from what is stored. */
  #interrupted({ agent, taskId, record }: Run, cause: unknown): void {
    const error = new A2AError('UNAVAILABLE', 'The task store failed; the task goes on when it is back', {
      cause,
      retryAfterMs: 1000,
    });
    this.#core.log.error('A run was interrupted by its store', { ...taskFields(record), error: cause });
    this.#core.feed.tell(taskId, { kind: 'interrupted', error });
    const { how, delayMs } = this.#interruptions.giveBackAfter(agent, record, cause);
    this.#giveBack(record, how, delayMs);
  }

  /** What nobody has begun here is given back as it came: with the attempts that others have made. */
  #giveBack(record: LeasedTask, how: GiveBack = 'undo', delayMs = 0): void {
    this.#giveBacks.add(record, how, delayMs);
  }
}
