import type { TaskStatus } from '../model/task.ts';
import { fairnessKeyOf, type Scope, type TaskRecord } from '../store/store.ts';
import { every } from '../support/every.ts';
import type { Core } from './core.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Outbox } from './outbox.ts';
import type { Runs } from './runs.ts';
import type { Slots } from './slots.ts';
import { taskFields } from './task-trace.ts';
import { Work, type WorkOptions } from './work.ts';

/** A task that was just given back may be due a moment later by the clock of the store. */
const AGAIN_MS = 250;

/**
 * What came of working on a task. `resting`: there is nothing more to do, or not here. `unfinished`: it was handed over, and
 * another node should resume it now. `full`: the run did not begin, because no slot was free. With `lingers` this is returned
 * at once, because another node may have a free slot; otherwise the call waits for a slot as long as it has time.
 */
export type Worked = 'resting' | 'unfinished' | 'full';

export interface SweepOptions extends Pick<WorkOptions, 'forMs' | 'signal'> {
  /** Tasks that are taken up at most. */
  readonly limit: number;
  /** Called for each that was handed over, as soon as it was. Must not reject. */
  readonly onUnfinished?: (taskId: string) => Promise<void>;
}

export interface Swept {
  /** Tasks that had been left, and were taken up again. */
  readonly taken: number;
  /** Of them, those that were handed over. */
  readonly unfinished: readonly string[];
  /** More were due than could be taken. */
  readonly hasMore: boolean;
}

/** Parts of the engine that it sets going. */
export interface OnDemandParts {
  readonly runs: Runs;
  readonly heartbeat: Heartbeat;
  readonly outbox: Outbox | undefined;
  readonly prune: () => Promise<void>;
}

/**
 * Runs tasks for those who ask for it, on a node that may be frozen as soon as nobody does. So it takes no task that
 * nobody asked for, and holds none when the time is over: others would have to wait until its lease has run out.
 */
export class OnDemand {
  readonly #core: Core;
  readonly #runs: Runs;
  readonly #heartbeat: Heartbeat;
  readonly #outbox: Outbox | undefined;
  readonly #prune: () => Promise<void>;
  readonly #works = new Set<Work>();

  constructor(core: Core, { runs, heartbeat, outbox, prune }: OnDemandParts) {
    this.#core = core;
    this.#runs = runs;
    this.#heartbeat = heartbeat;
    this.#outbox = outbox;
    this.#prune = prune;
  }

  /** Whoever begins something here must be known to live. */
  async wake(): Promise<void> {
    await this.#heartbeat.wake();
    this.#runs.giveBackLeft();
  }

  /** Brings a task as far as it goes, of whomever it is. What is not at rest by then is left to whoever takes it next. */
  async work(taskId: string, options: WorkOptions): Promise<Worked> {
    return this.#during(new Work(this.#core, taskId, options), (work) => this.#goOn(work));
  }

  /** Takes up what others have left: tasks, notifications, and what has outlived its time. */
  async sweep({ forMs, signal, limit, onUnfinished = async () => {} }: SweepOptions): Promise<Swept> {
    await this.wake();
    const { log, liveness } = this.#core;
    const { spell } = liveness;
    const { records, isCut } = await this.#claimDue(limit);
    const options = signal === undefined ? { forMs } : { forMs, signal };
    const unfinished: string[] = [];
    const finish = async (record: TaskRecord): Promise<void> => {
      const work = new Work(this.#core, record.id, options);
      const worked = await this.#during(work, () => this.#goOn(work, this.#take(record, spell))).catch((error) => {
        log.warn('Could not resume abandoned task', { ...taskFields(record), error });
        return 'unfinished';
      });
      if (worked === 'resting') return;
      unfinished.push(record.id);
      await onUnfinished(record.id);
    };
    await Promise.all(records.map(finish));
    // What is due for others than tasks, too.
    if (records.length === 0) await this.#during(new Work(this.#core, '', options), async () => 'resting');
    const hasMore = isCut && (await this.#isMoreDue());
    await this.#prune().catch((error: unknown) =>
      log.warn('What has outlived its time could not be removed', { error }),
    );
    return { taken: records.length, unfinished, hasMore };
  }

  /** How a task is, if it is to be run by now: somebody runs it, or has left it. */
  async statusIfDue(access: Scope, taskId: string): Promise<TaskStatus | undefined> {
    const { store, clock } = this.#core;
    const { wakeAt = Number.POSITIVE_INFINITY, status } =
      (await store.read(access, taskId, { history: 0 }))?.record ?? {};
    return wakeAt <= clock.now() ? status : undefined;
  }

  /** Whether receivers are to be told of something by now. */
  async hasPushesDue(): Promise<boolean> {
    if (this.#outbox === undefined) return false;
    const { store, agents, clock } = this.#core;
    return ((await store.nextPush([...agents.keys()])) ?? Number.POSITIVE_INFINITY) <= clock.now();
  }

  /** There may be something to do: for a task, or for any. */
  nudge(taskId?: string): void {
    for (const work of this.#works) if (taskId === undefined || work.taskId === taskId) work.nudge();
  }

  /** Takes up nothing more. */
  close(): void {
    for (const work of this.#works) work.stop();
  }

  /** Receivers are told of tasks while there is work, and to the end of it. */
  async #during(work: Work, run: (work: Work) => Promise<Worked>): Promise<Worked> {
    this.#works.add(work);
    // By timers of its own: those of others may end with what they were asked for.
    const stopBeating = every(this.#core.leaseMs / 6, this.#core, () => this.#beat(work.taskId));
    if (this.#works.size === 1) this.#outbox?.start();
    try {
      const worked = await run(work);
      if (!work.lingers && this.#outbox !== undefined) await Promise.race([this.#outbox.told(), work.stopped]);
      return worked;
    } finally {
      stopBeating();
      work.stop();
      this.#works.delete(work);
      if (this.#works.size === 0) this.#outbox?.pause();
    }
  }

  #beat(taskId: string): void {
    const { log } = this.#core;
    this.wake().catch((error: unknown) => log.warn('The store did not take a heartbeat', { error }));
    if (this.#runs.isHere(taskId)) void this.#runs.hear(taskId);
  }

  async #goOn(work: Work, begun?: Promise<TaskRecord | undefined>): Promise<Worked> {
    const { taskId, until, lingers } = work;
    const { clock } = this.#core;
    let rest = begun;
    let misses = 0;
    /** When there will be something to do, as far as anybody knows. */
    let dueAt = Number.POSITIVE_INFINITY;
    /** Another node has it, perhaps, and every event of its run is news: not each is worth a claim. */
    let again = clock.now();
    while (!work.isStopped) {
      if (rest === undefined && this.#runs.isHere(taskId)) rest = this.#runs.rest(taskId);
      if (rest === undefined) {
        if (work.onlyHere) break;
        await this.wake();
        const { spell } = this.#core.liveness;
        const record = await this.#claimTask(taskId);
        if (record === 'full' || record === 'declined') {
          if (record === 'declined') again = clock.now() + AGAIN_MS;
          if (!lingers) await work.pause(clock.now() + AGAIN_MS, again);
          if (lingers || work.isStopped) return 'full';
          continue;
        }
        rest = record && this.#take(record, spell);
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

  /** Unless somebody else here still waits for the task. */
  async #handOver(work: Work): Promise<boolean> {
    const { taskId } = work;
    for (const other of this.#works) if (other !== work && other.taskId === taskId && !other.isStopped) return false;
    return this.#runs.handOverOne(taskId, this.#core.clock.now() >= work.until);
  }

  /**
   * Claims due tasks, each with a slot. Slots are held before, because others may claim something at the same time.
   * `isCut`: there may be more that are due, and no slot for them.
   */
  async #claimDue(limit: number): Promise<{ readonly records: readonly TaskRecord[]; readonly isCut: boolean }> {
    const { store, node, agents } = this.#core;
    const records: TaskRecord[] = [];
    let isCut = false;
    let left = agents.size;
    for (const agent of agents.values()) {
      const slots = this.#runs.slots(agent);
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
   * Claims one task with a slot for it, if it is due and no node holds it. `full`: there is no slot. `declined`: there is none
   * for its caller, and the task was released.
   */
  async #claimTask(taskId: string): Promise<TaskRecord | undefined | 'full' | 'declined'> {
    const { store, node, agents } = this.#core;
    const hosts = [...agents.values()].filter((agent) => this.#runs.slots(agent).free > 0);
    if (hosts.length === 0) return 'full';
    for (const agent of hosts) this.#runs.slots(agent).hold(1);
    let record: TaskRecord | undefined;
    try {
      [record] = await store.claim({ node, agents: hosts.map(({ id }) => id), limit: 1, taskId });
    } finally {
      for (const agent of hosts) this.#runs.slots(agent).hold(-1);
    }
    const agent = record && agents.get(record.agent);
    if (record === undefined || agent === undefined) return undefined;
    return (await this.#hasSlot(this.#runs.slots(agent), record)) ? record : 'declined';
  }

  /** Takes a slot for a task that was claimed. Without one for its caller the task is released. */
  async #hasSlot(slots: Slots, record: TaskRecord): Promise<boolean> {
    const key = fairnessKeyOf(record);
    if (slots.mayTake(key)) {
      slots.take(key);
      return true;
    }
    await this.#runs.declineNow(record);
    return false;
  }

  #take(record: TaskRecord, spell: number): Promise<TaskRecord | undefined> {
    const agent = this.#core.agents.get(record.agent);
    return agent === undefined ? Promise.resolve(undefined) : this.#runs.takeUntilRest(agent, record, spell);
  }

  /** Whether a task is due that nobody has. If that cannot be found out, there may be. */
  async #isMoreDue(): Promise<boolean> {
    const { store, agents, clock, log } = this.#core;
    try {
      return ((await store.nextWake([...agents.keys()])) ?? Number.POSITIVE_INFINITY) <= clock.now();
    } catch (error) {
      log.warn('Looking for tasks failed', { error });
      return true;
    }
  }
}
