import type { TaskStatus } from '../../model/task.ts';
import { fairnessKeyOf, type Scope, type TaskRecord } from '../../store/store.ts';
import { every } from '../../support/time/every.ts';
import type { EngineContext } from '../engine-context.ts';
import type { Heartbeat } from '../schedule/heartbeat.ts';
import type { CallOutbox } from '../calls/call-outbox.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Runs } from '../schedule/runs.ts';
import type { Slots } from '../schedule/slots.ts';
import { taskFields } from '../task-trace.ts';
import { Work, type WorkOptions } from './work.ts';

/** A task that was just released may be due a moment later by the clock of the store. */
const AGAIN_MS = 250;

/**
 * The result of working on a task. `resting`: there is nothing more to do on this node. `unfinished`: the task was handed
 * over, and another node should resume it now. `full`: the run did not start, because no slot was free. With `lingers`,
 * `full` is returned at once, because another node may have a free slot; otherwise the call waits for a slot as long as it
 * has time.
 */
export type Worked = 'resting' | 'unfinished' | 'full';

/** Options of `OnDemand.sweep`. */
export interface SweepOptions extends Pick<WorkOptions, 'forMs' | 'signal'> {
  /** The maximum number of tasks to resume. */
  readonly limit: number;
  /** Called for each task as soon as it was handed over. Must not reject. */
  readonly onUnfinished?: (taskId: string) => Promise<void>;
}

/** The result of `OnDemand.sweep`. */
export interface Swept {
  /** The number of abandoned tasks that were resumed. */
  readonly taken: number;
  /** The ids of those that were handed over unfinished. */
  readonly unfinished: readonly string[];
  /** Whether more tasks were due than could be resumed. */
  readonly hasMore: boolean;
}

/** The parts of the engine that it drives. */
export interface OnDemandParts {
  readonly runs: Runs;
  readonly heartbeat: Heartbeat;
  readonly outbox: Outbox | undefined;
  readonly calls: CallOutbox;
  readonly prune: () => Promise<void>;
}

/**
 * Runs tasks on request, on a node that may be frozen whenever no request is active. So it claims no tasks on its own, and
 * holds none when the time is over: other nodes would have to wait until its lease expires.
 */
export class OnDemand {
  readonly #engine: EngineContext;
  readonly #parts: OnDemandParts;
  readonly #works = new Set<Work>();
  /** Work on tasks that calls have started or woken, by the id of the task. It lasts as long as other work. */
  readonly #called = new Map<string, { readonly work: Work; readonly done: Promise<void> }>();
  #onUnfinished: (taskId: string) => Promise<void> = async () => {};

  constructor(engine: EngineContext, parts: OnDemandParts) {
    this.#engine = engine;
    this.#parts = parts;
  }

  /** @param handOver Called for tasks that calls have started or woken, and that another node should resume now. Must not reject. */
  onUnfinished(handOver: (taskId: string) => Promise<void>): void {
    this.#onUnfinished = handOver;
  }

  /** A call of a task has news for it. */
  woken({ id, wakeAt = Number.POSITIVE_INFINITY, endedAt }: TaskRecord): void {
    if (endedAt === undefined && wakeAt <= this.#engine.clock.now()) this.called(id);
  }

  /** A call has started or woken a task. It is worked on as long as this node works on others. */
  called(taskId: string): void {
    const [first] = this.#works;
    if (first === undefined) {
      void this.#onUnfinished(taskId);
      return;
    }
    const isWorkedOn = [...this.#works].some((work) => work.taskId === taskId && work.isActive);
    if (isWorkedOn || this.#called.has(taskId)) return;
    const until = Math.max(...[...this.#works].map((work) => work.until));
    const work = new Work(this.#engine, taskId, { forMs: until - this.#engine.clock.now() });
    this.#called.set(taskId, { work, done: this.#workOnCalled(work) });
  }

  async #workOnCalled(work: Work): Promise<void> {
    const { taskId } = work;
    this.#works.add(work);
    let worked: Worked = 'unfinished';
    try {
      worked = await this.#continue(work);
    } catch (error) {
      this.#engine.log.warn('Could not resume task', { taskId, error });
    }
    work.stop();
    this.#works.delete(work);
    this.#called.delete(taskId);
    if (worked !== 'resting') await this.#onUnfinished(taskId);
  }

  /** Resolves when there is nothing to do for calls, and none of the tasks that they have started or woken runs. */
  async #calledSettled(): Promise<void> {
    do {
      await Promise.all(Array.from(this.#called.values(), ({ done }) => done));
      await this.#parts.calls.worked();
    } while (this.#called.size > 0);
  }

  /** Makes sure that the store has a recent heartbeat of this node, and releases pending leases. */
  async wake(): Promise<void> {
    await this.#parts.heartbeat.wake();
    this.#parts.runs.resumeReleases();
  }

  /**
   * Runs a task of any owner as far as possible within the time. A task that is not settled by then is released for the
   * next node.
   */
  async work(taskId: string, options: WorkOptions): Promise<Worked> {
    return this.#during(new Work(this.#engine, taskId, options), (work) => this.#continue(work));
  }

  /** Resumes abandoned tasks, sends due notifications, and removes expired tasks. */
  async sweep({ forMs, signal, limit, onUnfinished = async () => {} }: SweepOptions): Promise<Swept> {
    await this.wake();
    const { log, liveness } = this.#engine;
    const { leaseEpoch } = liveness;
    const { records, isCut } = await this.#claimDue(limit);
    const options = signal === undefined ? { forMs } : { forMs, signal };
    const unfinished: string[] = [];
    const finish = async (record: TaskRecord): Promise<void> => {
      const work = new Work(this.#engine, record.id, options);
      const worked = await this.#during(work, () => this.#continue(work, this.#take(record, leaseEpoch))).catch(
        (error) => {
          log.warn('Could not resume abandoned task', { ...taskFields(record), error });
          return 'unfinished';
        },
      );
      if (worked === 'resting') return;
      unfinished.push(record.id);
      await onUnfinished(record.id);
    };
    await Promise.all(records.map(finish));
    // Sends due notifications even if no task is due.
    if (records.length === 0) await this.#during(new Work(this.#engine, '', options), async () => 'resting');
    const hasMore = isCut && (await this.#isMoreDue());
    await this.#parts.prune().catch((error: unknown) => log.warn('Could not remove expired tasks', { error }));
    return { taken: records.length, unfinished, hasMore };
  }

  /** Returns the status of a task that should be running now, whether or not a node runs it. */
  async statusIfDue(access: Scope, taskId: string): Promise<TaskStatus | undefined> {
    const { store, clock } = this.#engine;
    const { wakeAt = Number.POSITIVE_INFINITY, status } =
      (await store.read(access, taskId, { history: 0 }))?.record ?? {};
    return wakeAt <= clock.now() ? status : undefined;
  }

  /** Returns whether push notifications are due. */
  async hasPushesDue(): Promise<boolean> {
    if (this.#parts.outbox === undefined) return false;
    const { store, agents, clock } = this.#engine;
    return ((await store.nextPush([...agents.keys()])) ?? Number.POSITIVE_INFINITY) <= clock.now();
  }

  /** Returns whether calls to other agents are due. */
  async hasCallsDue(): Promise<boolean> {
    const { store, agents, clock } = this.#engine;
    return ((await store.nextCall([...agents.keys()])) ?? Number.POSITIVE_INFINITY) <= clock.now();
  }

  /** Checks for work: for one task, or for any. */
  nudge(taskId?: string): void {
    for (const work of this.#works) if (taskId === undefined || work.taskId === taskId) work.nudge();
  }

  /** Stops all work. */
  close(): void {
    for (const work of this.#works) work.stop();
  }

  /** Runs work, and delivers push notifications while it lasts. */
  async #during(work: Work, run: (work: Work) => Promise<Worked>): Promise<Worked> {
    this.#works.add(work);
    // Each work has its own timer, because timers of another request may end with that request.
    const stopHeartbeat = every(this.#engine.leaseMs / 6, this.#engine, () => this.#beat(work.taskId));
    if (this.#works.size === this.#called.size + 1) {
      this.#parts.outbox?.start();
      this.#parts.calls.start();
    }
    try {
      const worked = await run(work);
      work.isActive = false;
      const settled = Promise.all([this.#parts.outbox?.delivered(), this.#calledSettled()]);
      settled.catch(() => {});
      if (!work.lingers) await Promise.race([settled, work.stopped]);
      return worked;
    } finally {
      stopHeartbeat();
      work.stop();
      this.#works.delete(work);
      if (this.#works.size === this.#called.size) await this.#leave();
    }
  }

  /** The last work is over, apart from that on tasks that calls have started or woken. */
  async #leave(): Promise<void> {
    const { outbox, calls } = this.#parts;
    outbox?.pause();
    calls.pause();
    calls.leave();
    const called = [...this.#called.values()];
    for (const { work } of called) work.stop();
    await Promise.all(called.map(({ done }) => done));
  }

  #beat(taskId: string): void {
    const { log } = this.#engine;
    this.wake().catch((error: unknown) => log.warn('Could not store heartbeat', { error }));
    if (this.#parts.runs.isHere(taskId)) void this.#parts.runs.refreshFromStore(taskId);
  }

  async #continue(work: Work, begun?: Promise<TaskRecord | undefined>): Promise<Worked> {
    const { taskId, until, lingers } = work;
    const { clock } = this.#engine;
    let rest = begun;
    let misses = 0;
    /** When the task becomes due, as far as known. */
    let dueAt = Number.POSITIVE_INFINITY;
    /** The earliest time of the next claim. Another node may run the task, and not each of its events is worth a claim. */
    let again = clock.now();
    while (!work.isStopped) {
      if (rest === undefined && this.#parts.runs.isHere(taskId)) rest = this.#parts.runs.idle(taskId);
      if (rest === undefined) {
        if (work.onlyHere) break;
        await this.wake();
        const { leaseEpoch } = this.#engine.liveness;
        const record = await this.#claimTask(taskId);
        if (record === 'full' || record === 'declined') {
          if (record === 'declined') again = clock.now() + AGAIN_MS;
          if (!lingers) await work.pause(clock.now() + AGAIN_MS, again);
          if (lingers || work.isStopped) return 'full';
          continue;
        }
        rest = record && this.#take(record, leaseEpoch);
      }
      if (rest !== undefined) {
        const rested = await Promise.race([rest, work.stopped]);
        dueAt = rested?.wakeAt ?? Number.POSITIVE_INFINITY;
        rest = undefined;
        misses = 0;
        again = clock.now();
      } else {
        again = clock.now() + AGAIN_MS;
        const isDue = dueAt === Number.POSITIVE_INFINITY || dueAt <= clock.now();
        if (isDue) dueAt = misses++ === 0 ? again : Number.POSITIVE_INFINITY;
      }
      if (!lingers && dueAt > until) break;
      await work.pause(dueAt, again);
    }
    return (await this.#handOver(work)) ? 'unfinished' : 'resting';
  }

  /** Hands the run over, unless another request on this node still waits for it. */
  async #handOver(work: Work): Promise<boolean> {
    const { taskId } = work;
    for (const other of this.#works) if (other !== work && other.taskId === taskId && !other.isStopped) return false;
    return this.#parts.runs.handOverOne(taskId, this.#engine.clock.now() >= work.until);
  }

  /**
   * Claims due tasks, each with a slot. Slots are held before the claim, because other claims may run at the same time.
   * `isCut`: more tasks may be due, without a slot for them.
   */
  async #claimDue(limit: number): Promise<{ readonly records: readonly TaskRecord[]; readonly isCut: boolean }> {
    const { store, node, agents } = this.#engine;
    const records: TaskRecord[] = [];
    let isCut = false;
    let left = agents.size;
    for (const agent of agents.values()) {
      const slots = this.#parts.runs.slots(agent);
      const request = slots.claimable(Math.ceil((limit - records.length) / left--));
      if (request === undefined) {
        isCut = true;
        continue;
      }
      slots.hold(request.limit);
      let claimed: readonly TaskRecord[] = [];
      try {
        claimed = await store.claim({ node, agents: [agent.id], ...request });
      } finally {
        slots.hold(-request.limit);
      }
      for (const record of claimed) if (await this.#hasSlot(slots, record)) records.push(record);
      if (claimed.length >= request.limit || request.shares !== undefined) isCut = true;
    }
    return { records, isCut };
  }

  /**
   * Claims one task with a slot, if it is due and no node holds it. `full`: no slot is free. `declined`: no slot is free
   * for its caller, and the task was released.
   */
  async #claimTask(taskId: string): Promise<TaskRecord | undefined | 'full' | 'declined'> {
    const { store, node, agents } = this.#engine;
    const hosts = [...agents.values()].filter((agent) => this.#parts.runs.slots(agent).free > 0);
    if (hosts.length === 0) return 'full';
    for (const agent of hosts) this.#parts.runs.slots(agent).hold(1);
    let record: TaskRecord | undefined;
    try {
      [record] = await store.claim({ node, agents: hosts.map(({ id }) => id), limit: 1, taskId });
    } finally {
      for (const agent of hosts) this.#parts.runs.slots(agent).hold(-1);
    }
    const agent = record && agents.get(record.agent);
    if (record === undefined || agent === undefined) return undefined;
    return (await this.#hasSlot(this.#parts.runs.slots(agent), record)) ? record : 'declined';
  }

  /** Takes a slot for a claimed task. If its caller may not have one, the task is released. */
  async #hasSlot(slots: Slots, record: TaskRecord): Promise<boolean> {
    const key = fairnessKeyOf(record);
    if (slots.mayTake(key)) {
      slots.take(key);
      return true;
    }
    await this.#parts.runs.declineNow(record);
    return false;
  }

  #take(record: TaskRecord, leaseEpoch: number): Promise<TaskRecord | undefined> {
    const agent = this.#engine.agents.get(record.agent);
    return agent === undefined
      ? Promise.resolve(undefined)
      : this.#parts.runs.runUntilSettled(agent, record, leaseEpoch);
  }

  /** Whether an unclaimed task is due. If that is unknown, there may be one. */
  async #isMoreDue(): Promise<boolean> {
    const { store, agents, clock, log } = this.#engine;
    try {
      return ((await store.nextWake([...agents.keys()])) ?? Number.POSITIVE_INFINITY) <= clock.now();
    } catch (error) {
      log.warn('Could not check for due tasks', { error });
      return true;
    }
  }
}
