import { type AgentRotation, RoundRobin } from '../round-robin.ts';
import { type ClaimRequest, fairnessKeyOf, type TaskRecord } from '../store.ts';
import { SortedList } from './sorted-list.ts';

/** What the index needs of a row. */
export interface Waking {
  readonly record: TaskRecord;
  /** Decides between rows of the same time; each has its own. */
  readonly order: number;
  /** Whether the row is in the claim queue of its agent. Only the index changes it. */
  isQueued: boolean;
}

export type IsAlive = (node: string | undefined) => boolean;

/**
 * The tasks that somebody should run, now or later. Each is in one of two places: sorted by time among those of its
 * holder, so that the tasks of a living node are never looked at, however many it runs; or, once it was due and no living
 * node held it, in the claim queue of its agent.
 */
export class WakeIndex<R extends Waking> {
  readonly #byHolder = new Map<string | undefined, SortedList<Waking, R>>();
  readonly #queues = new Map<string, ClaimQueue<R>>();
  /** The fairness key that got the last task, by agent. */
  readonly #positions = new Map<string, string>();

  add(row: R): void {
    const { node, wakeAt } = row.record;
    if (wakeAt === undefined) return;
    let rows = this.#byHolder.get(node);
    if (rows === undefined) this.#byHolder.set(node, (rows = new SortedList(byWakeTime)));
    rows.add(row);
  }

  /** To be called while the row has the record with which it was added. */
  remove(row: R): void {
    const { agent, node, wakeAt } = row.record;
    if (wakeAt === undefined) return;
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

  /** The earliest time after another one at which a task of these agents is due that no living node holds. */
  next(agents: readonly string[], isAlive: IsAlive, after = Number.NEGATIVE_INFINITY): number | undefined {
    let next = Number.POSITIVE_INFINITY;
    const look = (rows: SortedList<Waking, R>): void => {
      for (const row of rows.from(endOf(after))) {
        if (wakeTime(row) >= next) return;
        if (!agents.includes(row.record.agent) || isAlive(row.record.node)) continue;
        next = wakeTime(row);
        return;
      }
    };
    for (const [node, rows] of this.#byHolder) if (!isAlive(node)) look(rows);
    for (const agent of agents) for (const rows of this.#queues.get(agent)?.lists() ?? []) look(rows);
    return next === Number.POSITIVE_INFINITY ? undefined : next;
  }

  /** The rows that a claim gives. The longest due come first. */
  claim(request: ClaimRequest, now: number, isAlive: IsAlive): readonly R[] {
    this.#queueDue(now, isAlive);
    const robin = new RoundRobin(request);
    const agents = new Set(request.agents);
    const { tasks, positions } = robin.choose(Array.from(agents, (agent) => this.#rotation(agent, robin, isAlive)));
    const rows = tasks.map(({ row }) => row);
    if (this.#leavesSome(agents, new Set(rows), isAlive)) {
      for (const [agent, key] of positions) this.#positions.set(agent, key);
    }
    return rows;
  }

  #queueDue(now: number, isAlive: IsAlive): void {
    for (const [node, rows] of this.#byHolder) {
      if (isAlive(node)) continue;
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
      if (rows.length === 0) this.#byHolder.delete(node);
    }
  }

  #rotation(agent: string, robin: RoundRobin, isAlive: IsAlive): AgentRotation<Due<R>> {
    const queue = this.#queues.get(agent);
    if (queue === undefined) return { agent, queues: [] };
    const keys = robin.candidates(queue.keysAfter(this.#positions.get(agent), isAlive));
    const most = robin.tasksPerKey(keys.length);
    return { agent, queues: keys.map((key) => ({ key, tasks: queue.free(key, most, isAlive) })) };
  }

  #leavesSome(agents: Iterable<string>, given: ReadonlySet<R>, isAlive: IsAlive): boolean {
    for (const agent of agents) {
      for (const rows of this.#queues.get(agent)?.lists() ?? []) {
        for (const row of rows) if (!given.has(row) && !isAlive(row.record.node)) return true;
      }
    }
    return false;
  }
}

interface Due<R> {
  readonly key: string;
  readonly wakeAt: number;
  readonly order: number;
  readonly row: R;
}

/** The tasks of one agent that wait for a slot, by fairness key. A node that was dead may have come back for its own. */
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

  /** All keys with a task that no living node holds, each once, beginning with the one after a position. */
  *keysAfter(position: string | undefined, isAlive: IsAlive): Generator<string> {
    const isFree = (key: string): boolean => this.free(key, 1, isAlive).length > 0;
    if (position === undefined) {
      for (const key of this.#keys) if (isFree(key)) yield key;
      return;
    }
    for (const key of this.#keys.from(position)) if (key !== position && isFree(key)) yield key;
    for (const key of this.#keys) {
      if (key > position) return;
      if (isFree(key)) yield key;
    }
  }

  /** The first tasks of a key that no living node holds. */
  free(key: string, most: number, isAlive: IsAlive): readonly Due<R>[] {
    const found: Due<R>[] = [];
    for (const row of this.#byKey.get(key) ?? []) {
      if (found.length >= most) break;
      if (!isAlive(row.record.node)) found.push({ key, wakeAt: wakeTime(row), order: row.order, row });
    }
    return found;
  }
}

function byWakeTime(a: Waking, b: Waking): number {
  return wakeTime(a) - wakeTime(b) || a.order - b.order;
}

/** The place behind all rows of a time. */
function endOf(time: number): Waking {
  return { record: { wakeAt: time } as TaskRecord, order: Number.POSITIVE_INFINITY, isQueued: false };
}

function wakeTime({ record }: Waking): number {
  return record.wakeAt ?? 0;
}
