import { A2AError } from '../errors.ts';
import type { TaskState } from '../model/state.ts';
import type { TaskRecord } from '../store/store.ts';
import type { Core } from './core.ts';
import { type LoadedTask, loadTask } from './load-task.ts';
import { isTurnQuestion } from './outcome.ts';
import { Run } from './run.ts';
import type { RunEnvironment } from './run-environment.ts';
import type { Runnable } from './runnable.ts';
import type { Loss } from './task-writer.ts';

/** How long to wait before trying again to give a lease back. */
const GIVE_BACK_AGAIN_MS = 500;

/** The runs of this node: those that work, and those that wait in memory. */
export class Runs {
  readonly #core: Core;
  readonly #env: RunEnvironment;
  readonly #onFree: () => void;
  readonly #running = new Map<string, Run>();
  /** Suspended ones, the longest first. */
  readonly #suspended = new Map<string, Run>();
  /** Places taken, by agent. */
  readonly #places = new Map<string, number>();
  /** Tasks that wait here for a place, by agent. */
  readonly #queues = new Map<string, Set<string>>();
  #onEmpty: (() => void) | undefined;
  /** All was handed over: nothing begins any more. */
  #isOver = false;

  constructor(core: Core, onFree: () => void) {
    this.#core = core;
    this.#env = {
      ...core,
      onRest: (run, loss) => this.#rested(run, loss),
      onWakeWanted: (run) => void this.#wake(run),
    };
    this.#onFree = onFree;
  }

  get size(): number {
    return this.#running.size;
  }

  /** How many more runs of an agent there may be. */
  free({ id, limits }: Runnable): number {
    return limits.concurrency - (this.#places.get(id) ?? 0);
  }

  /** Takes a place. Whoever takes one calls `start`, `take` or `giveUp`. */
  reserve({ id }: Runnable): void {
    this.#places.set(id, (this.#places.get(id) ?? 0) + 1);
  }

  giveUp({ id }: Runnable): void {
    this.#places.set(id, (this.#places.get(id) ?? 1) - 1);
    this.#onFree();
  }

  /** How many tasks wait for a place. */
  queued({ id }: Runnable): number {
    return this.#queues.get(id)?.size ?? 0;
  }

  enqueue({ id }: Runnable, taskId: string): void {
    const queue = this.#queues.get(id) ?? new Set();
    this.#queues.set(id, queue.add(taskId));
    this.#onFree();
  }

  /** Nothing waits in the store, so nothing waits here: other nodes have taken it. */
  clearQueue({ id }: Runnable): void {
    this.#queues.delete(id);
  }

  start(agent: Runnable, task: LoadedTask): void {
    if (this.#isOver) {
      this.#giveBack(task.record);
      return;
    }
    this.#enter(new Run(this.#env, agent, task)).start();
  }

  /** Runs a task that was claimed: from memory if it waits there, else by replay. */
  async take(agent: Runnable, record: TaskRecord): Promise<void> {
    this.#core.faultPoint('after-claim');
    this.#queues.get(agent.id)?.delete(record.id);
    try {
      if (await this.#resumed(record)) return;
      const task = await loadTask(this.#core.store, record);
      this.#core.faultPoint('after-load');
      if (task === undefined) this.giveUp(agent);
      else if (this.#isOver) this.#giveBack(record);
      else this.#begin(agent, task);
    } catch (error) {
      this.#core.log.warn('A task could not be loaded', { taskId: record.id, error });
      this.giveUp(agent);
      this.#giveBack(record);
    }
  }

  /** Tells a run that others have written to its task, if it is here. */
  async hear(taskId: string): Promise<void> {
    const run = this.#running.get(taskId) ?? this.#suspended.get(taskId);
    if (run === undefined) return;
    try {
      const { store } = this.#core;
      const [stored, entries] = await Promise.all([
        store.read(run.record, taskId, { history: 0 }),
        store.journal(taskId),
      ]);
      if (stored !== undefined && stored.record.fence === run.record.fence && stored.record.endedAt === undefined) {
        run.hear(stored.record, entries);
      } else {
        this.#suspended.delete(taskId);
        run.stop('lease-lost', { kind: 'refused', record: stored?.record });
      }
    } catch (error) {
      // The next write will show what is the matter.
      this.#core.log.warn('A hint could not be followed', { taskId, error });
    }
  }

  /** After a time in which others may have taken over. */
  hearAll(): void {
    for (const taskId of [...this.#running.keys(), ...this.#suspended.keys()]) void this.hear(taskId);
  }

  /** Resolves when nothing runs any more. */
  async finished(): Promise<void> {
    if (this.#running.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }

  /** Stops all runs; their tasks are given back for others to take at once. */
  async handOver(): Promise<void> {
    this.#isOver = true;
    const held = [...this.#running.values()];
    this.#core.faultPoint('before-hand-over');
    for (const run of held) run.stop('shutdown');
    for (const run of this.#suspended.values()) run.stop('suspended');
    this.#suspended.clear();
    await Promise.allSettled(held.map((run) => this.#release(run.record)));
  }

  #enter(run: Run): Run {
    this.#running.set(run.taskId, run);
    return run;
  }

  /** Goes on in memory, if nobody else has had the task in the meantime. */
  async #resumed(record: TaskRecord): Promise<boolean> {
    const run = this.#suspended.get(record.id);
    if (run === undefined) return false;
    if (run.record.fence + 1 !== record.fence) {
      this.#suspended.delete(record.id);
      run.stop('lease-lost');
      return false;
    }
    const entries = await this.#core.store.journal(record.id);
    // It may have been put away meanwhile, to make room.
    if (!this.#suspended.delete(record.id)) return false;
    this.#core.faultPoint('before-resume');
    this.#enter(run).resume(record, entries);
    return true;
  }

  #begin(agent: Runnable, task: LoadedTask): void {
    const end = refusalToRun(agent, task);
    const run = this.#enter(new Run(this.#env, agent, task));
    if (end === undefined) run.start();
    else
      run.conclude({ kind: 'end', state: end.state, ...(end.text !== undefined && { parts: [{ text: end.text }] }) });
  }

  #rested(run: Run, loss: Loss | undefined): void {
    const { taskId, agent } = run;
    if (this.#running.get(taskId) === run) this.#running.delete(taskId);
    if (run.state === 'suspended') this.#keep(run);
    if (loss?.kind === 'failed') this.#interrupted(run, loss.error);
    this.giveUp(agent);
    if (this.#running.size === 0) this.#onEmpty?.();
  }

  #keep(run: Run): void {
    // Its pause was acknowledged so late that the task has been taken again.
    if (this.#running.has(run.taskId)) {
      run.stop('suspended');
      return;
    }
    this.#suspended.set(run.taskId, run);
    while (this.#suspended.size > this.#core.maxSuspended) {
      const [oldest] = this.#suspended.values();
      if (oldest === undefined) return;
      this.#suspended.delete(oldest.taskId);
      oldest.stop('suspended');
    }
  }

  /** A suspended run has something to say: it asks for its lease again. */
  async #wake({ taskId, record }: Run): Promise<void> {
    const { store, node, clock } = this.#core;
    try {
      const woken = await store.append({ taskId, by: node, guard: { idle: true }, wakeAt: clock.now() });
      this.#core.faultPoint('after-wake');
      if (woken.kind === 'appended') this.#onFree();
      else await this.hear(taskId);
    } catch (error) {
      // Its time comes anyway: at the latest when the question expires.
      this.#core.log.warn('A suspended run could not be woken', { taskId, owner: record.owner, error });
    }
  }

  /** Whether the last write happened is unknown: callers are told so, and the task begins anew from what is stored. */
  #interrupted({ taskId, record }: Run, cause: unknown): void {
    const error = new A2AError('UNAVAILABLE', 'The task store failed; the task goes on when it is back', {
      cause,
      retryAfterMs: 1000,
    });
    this.#core.log.error('A run was interrupted by its store', { taskId, error: cause });
    this.#core.feed.tell(taskId, { kind: 'interrupted', error });
    this.#giveBack(record);
  }

  #giveBack(record: TaskRecord): void {
    this.#release(record).then(this.#onFree, () => {
      const { timers, clock } = this.#core;
      // A node that is gone holds nothing.
      if (this.#isOver) return;
      timers.add(clock.now() + GIVE_BACK_AGAIN_MS, () => this.#giveBack(record));
    });
  }

  async #release({ id, node = this.#core.node, fence }: TaskRecord): Promise<void> {
    const { store, clock, node: by } = this.#core;
    await store.append({ taskId: id, by, guard: { lease: { node, fence } }, release: true, wakeAt: clock.now() });
    this.#core.faultPoint('after-release');
  }
}

/** Why a claimed task is ended instead of run, if it is. */
function refusalToRun(
  { limits }: Runnable,
  { record, journal }: LoadedTask,
): { readonly state: TaskState; readonly text?: string } | undefined {
  const { attempts, question, canceling } = record;
  if (canceling) return { state: 'TASK_STATE_CANCELED' };
  const state: TaskState = 'TASK_STATE_FAILED';
  if (attempts > limits.maxAttempts)
    return { state, text: `The task was interrupted ${attempts - 1} times and is not tried again` };
  if (limits.recovery === 'fail' && (attempts > 1 || journal.hasBegun)) {
    return { state, text: 'The task was interrupted, and this agent does not run anything twice' };
  }
  // A turn begins with a message; if it is woken without one, the time for it is over.
  return question !== undefined && isTurnQuestion(question) ? { state, text: 'Nobody answered in time' } : undefined;
}
