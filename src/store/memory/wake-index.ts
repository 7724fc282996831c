import { type AgentRotation, RoundRobin } from '../round-robin.ts';
import { type ClaimRequest, fairnessKeyOf, type TaskRecord } from '../store.ts';
import { bySuspicion, type SuspectTask } from '../suspects.ts';
import { SortedList } from './sorted-list.ts';

/** The part of a row that the index uses. */
export interface Waking {
  readonly record: TaskRecord;
  /** Breaks ties between rows with the same time. Unique. */
  readonly order: number;
  /** Whether the row is in the claim queue of its agent. Only the index changes it. */
  isQueued: boolean;
}

export type IsAlive = (node: string | undefined) => boolean;

/**
 * The tasks that a node should run, now or later. Each task is in one of three lists:
 *
 * - sorted by time among the tasks of its holder, so that the tasks of a living node are never read, however many it runs
 * - in the claim queue of its agent, once it was due and no node held it
 * - among the suspects of its agent, if it is a suspect and no node holds it
 */
export class WakeIndex<R extends Waking> {
  readonly #byHolder = new Map<string | undefined, SortedList<Waking, R>>();
  readonly #queues = new Map<string, ClaimQueue<R>>();
  readonly #suspects = new Map<string, SortedList<SuspectTask, Due<R>>>();
  /** The fairness key that got the last task, by agent. */
  readonly #positions = new Map<string, string>();

  add(row: R): void {
    const { agent, node, wakeAt } = row.record;
    if (wakeAt === undefined) return;
    if (isSuspect(row.record)) {
      let suspects = this.#suspects.get(agent);
      if (suspects === undefined) this.#suspects.set(agent, (suspects = new SortedList(bySuspicion)));
      suspects.add(dueOf(row));
      return;
    }
    let rows = this.#byHolder.get(node);
    if (rows === undefined) this.#byHolder.set(node, (rows = new SortedList(byWakeTime)));
    rows.add(row);
  }

  /** Must be called before the record of the row changes. */
  remove(row: R): void {
    const { agent, node, wakeAt } = row.record;
    if (wakeAt === undefined) return;
    if (isSuspect(row.record)) {
      const suspects = this.#suspects.get(agent);
      suspects?.remove(dueOf(row));
      if (suspects?.length === 0) this.#suspects.delete(agent);
      return;
    }
    if (row.isQueued) {
      const queue = this.#queues.get(agent);
      queue?.remove(row);
      row.isQueued = false;
      if (queue?.isEmpty === true) this.#queues.delete(agent);
      return;
    }
    const rows = this.#byHolder.get(node);
    rows?.remove(row);
    if (rows?.length === 0) this.#byHolder.delete(node);
  }

  /** The earliest time after `after` at which a task of these agents is due that no living node holds. */
  next(agents: readonly string[], isAlive: IsAlive, after = Number.NEGATIVE_INFINITY): number | undefined {
    let next = Number.POSITIVE_INFINITY;
    const look = (rows: SortedList<Waking, R>): void => {
      for (const row of rows.from(endOf(after))) {
        if (wakeTime(row) >= next) return;
        if (!agents.includes(row.record.agent)) continue;
        next = wakeTime(row);
        return;
      }
    };
    for (const [node, rows] of this.#byHolder) if (!isAlive(node)) look(rows);
    for (const agent of agents) {
      for (const rows of this.#queues.get(agent)?.lists() ?? []) look(rows);
      for (const { wakeAt } of this.#suspects.get(agent) ?? []) if (wakeAt > after) next = Math.min(next, wakeAt);
    }
    return next === Number.POSITIVE_INFINITY ? undefined : next;
  }

  /** The rows of each dead node. */
  *ofDeadNodes(isAlive: IsAlive): Generator<readonly R[]> {
    for (const [node, rows] of this.#byHolder) if (node !== undefined && !isAlive(node)) yield [...rows];
  }

  /** The rows of a claim, the longest due first. The rows of dead nodes must have become suspects before. */
  claim(request: ClaimRequest, now: number): readonly R[] {
    this.#queueDue(now);
    const robin = new RoundRobin(request);
    const agents = new Set(request.agents);
    const suspects = Array.from(agents, (agent) => [...(this.#suspects.get(agent) ?? [])]).flat();
    const due = suspects.filter(({ wakeAt }) => wakeAt <= now).sort(bySuspicion);
    const given = robin.give(due, request.suspects ?? Number.POSITIVE_INFINITY);
    const { tasks, positions } = robin.choose(Array.from(agents, (agent) => this.#rotation(agent, robin)));
    const rows = tasks.map(({ row }) => row);
    if (this.#leavesSome(agents, new Set(rows))) {
      for (const [agent, key] of positions) this.#positions.set(agent, key);
    }
    return given.length === 0 ? rows : [...given.map(({ row }) => row), ...rows].sort(byWakeTime);
  }

  #queueDue(now: number): void {
    const rows = this.#byHolder.get(undefined);
    if (rows === undefined) return;
    const due: R[] = [];
    for (const row of rows) {
      if (wakeTime(row) > now) break;
      due.push(row);
    }
    for (const row of due) {
      const { agent } = row.record;
      rows.remove(row);
      let queue = this.#queues.get(agent);
      if (queue === undefined) this.#queues.set(agent, (queue = new ClaimQueue()));
      queue.add(row);
      row.isQueued = true;
    }
    if (rows.length === 0) this.#byHolder.delete(undefined);
  }

  #rotation(agent: string, robin: RoundRobin): AgentRotation<Due<R>> {
    const queue = this.#queues.get(agent);
    if (queue === undefined) return { agent, queues: [] };
    const keys = robin.candidates(queue.keysAfter(this.#positions.get(agent)));
    const most = robin.tasksPerKey(keys.length);
    return { agent, queues: keys.map((key) => ({ key, tasks: queue.first(key, most) })) };
  }

  #leavesSome(agents: Iterable<string>, given: ReadonlySet<R>): boolean {
    for (const agent of agents) {
      for (const rows of this.#queues.get(agent)?.lists() ?? []) {
        for (const row of rows) if (!given.has(row)) return true;
      }
    }
    return false;
  }
}

interface Due<R> {
  readonly key: string;
  readonly attempts: number;
  readonly wakeAt: number;
  readonly order: number;
  readonly row: R;
}

function isSuspect({ node, suspectMs }: TaskRecord): boolean {
  return suspectMs !== undefined && node === undefined;
}

function dueOf<R extends Waking>(row: R): Due<R> {
  const { record, order } = row;
  return { key: fairnessKeyOf(record), attempts: record.attempts, wakeAt: wakeTime(row), order, row };
}

/** The tasks of one agent that wait for a slot, by fairness key. */
class ClaimQueue<R extends Waking> {
  readonly #byKey = new Map<string, SortedList<Waking, R>>();
  readonly #keys = new SortedList<string, string>((a, b) => (a < b ? -1 : Number(a > b)));

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  add(row: R): void {
    const key = fairnessKeyOf(row.record);
    let rows = this.#byKey.get(key);
    if (rows === undefined) {
      this.#byKey.set(key, (rows = new SortedList(byWakeTime)));
      this.#keys.add(key);
    }
    rows.add(row);
  }

  remove(row: R): void {
    const key = fairnessKeyOf(row.record);
    const rows = this.#byKey.get(key);
    rows?.remove(row);
    if (rows?.length !== 0) return;
    this.#byKey.delete(key);
    this.#keys.remove(key);
  }

  lists(): Iterable<SortedList<Waking, R>> {
    return this.#byKey.values();
  }

  /** All keys, each once, starting after a position. */
  *keysAfter(position: string | undefined): Generator<string> {
    if (position === undefined) {
      yield* this.#keys;
      return;
    }
    for (const key of this.#keys.from(position)) if (key !== position) yield key;
    for (const key of this.#keys) {
      if (key > position) return;
      yield key;
    }
  }

  /** The first tasks of a key. */
  first(key: string, most: number): readonly Due<R>[] {
    const found: Due<R>[] = [];
    for (const row of this.#byKey.get(key) ?? []) {
      if (found.length >= most) break;
      found.push(dueOf(row));
    }
    return found;
  }
}

function byWakeTime(a: Waking, b: Waking): number {
  return wakeTime(a) - wakeTime(b) || a.order - b.order;
}

/** A position after all rows with this time. */
function endOf(time: number): Waking {
  return { record: { wakeAt: time } as TaskRecord, order: Number.POSITIVE_INFINITY, isQueued: false };
}

function wakeTime({ record }: Waking): number {
  return record.wakeAt ?? 0;
}
