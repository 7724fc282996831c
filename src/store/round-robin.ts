import type { ClaimRequest } from './store.ts';

/** A due task that no living node holds. */
export interface DueTask {
  /** Its fairness key. */
  readonly key: string;
  /** The time from which it is due. */
  readonly wakeAt: number;
  /** Breaks ties between tasks due at the same time. */
  readonly order: number;
}

/** The due tasks of one fairness key, the longest due first. */
export interface KeyQueue<T> {
  /** The fairness key. */
  readonly key: string;
  /** Its first tasks. */
  readonly tasks: readonly T[];
}

/** The keys of one agent in the order of its rotation, which begins after the key that got the last task. */
export interface AgentRotation<T> {
  /** The id of the agent. */
  readonly agent: string;
  /** The keys with due tasks. */
  readonly queues: readonly KeyQueue<T>[];
}

/** The tasks that a claim gets, and the new positions of the rotations. */
export interface Chosen<T> {
  /** The longest due first. */
  readonly tasks: readonly T[];
  /** The key that got the last task, by agent. */
  readonly positions: ReadonlyMap<string, string>;
}

/**
 * Chooses the due tasks of one claim: round robin by fairness key, within the shares of the request. A store iterates over the
 * keys of an agent in rotation order, reads a few tasks of each candidate, and calls `choose`. It never has to read more than
 * the first tasks of `limit` keys and of the keys with running tasks on the node.
 */
export class RoundRobin {
  #limit: number;
  #openSlots: number;
  readonly #perKey: number;
  readonly #running: Map<string, number>;

  constructor({ limit, shares }: Pick<ClaimRequest, 'limit' | 'shares'>) {
    this.#limit = Math.max(0, limit);
    this.#openSlots = shares?.openSlots ?? Number.POSITIVE_INFINITY;
    this.#perKey = shares?.perKey ?? Number.POSITIVE_INFINITY;
    this.#running = new Map(shares?.running);
  }

  /** How many more tasks the claim may return. */
  get limit(): number {
    return this.#limit;
  }

  /** Takes tasks outside the rotation, in their order: as many as the limit and the shares allow, and at most `most`. */
  give<T extends DueTask>(tasks: Iterable<T>, most: number): readonly T[] {
    const given: T[] = [];
    for (const task of tasks) {
      if (given.length >= most || this.#limit <= 0) break;
      if (!this.#mayGet(task.key, 0)) continue;
      given.push(task);
      this.#running.set(task.key, (this.#running.get(task.key) ?? 0) + 1);
      this.#limit -= 1;
      this.#openSlots -= 1;
    }
    return given;
  }

  /** Whether all of these tasks can be returned, in any order. Returns false if that needs a closer look. */
  allowsAll(due: readonly DueTask[]): boolean {
    if (due.length > Math.min(this.#limit, this.#openSlots)) return false;
    if (this.#perKey === Number.POSITIVE_INFINITY) return true;
    const running = new Map(this.#running);
    for (const { key } of due) running.set(key, (running.get(key) ?? 0) + 1);
    return due.every(({ key }) => (running.get(key) ?? 0) <= this.#perKey);
  }

  /** The keys that get nothing in this claim, even if no other key waits. */
  get excluded(): readonly string[] {
    return [...this.#running.keys()].filter((key) => this.#isExcluded(key));
  }

  /** The maximum number of keys, apart from excluded ones, that `candidates` needs. */
  get maxCandidates(): number {
    return this.#limit + this.#running.size;
  }

  /** The keys whose tasks the claim may return, of all keys with due tasks in rotation order. */
  candidates(keys: Iterable<string>): readonly string[] {
    const candidates: string[] = [];
    let idle = 0;
    if (this.#limit === 0) return candidates;
    for (const key of keys) {
      if (this.#isExcluded(key)) continue;
      candidates.push(key);
      // Each key without a running task gets one in the first round.
      if (!this.#running.has(key) && ++idle >= this.#limit) break;
    }
    return candidates;
  }

  /** The number of tasks to read of each candidate. */
  tasksPerKey(candidates: number): number {
    return candidates >= this.#limit ? 1 : this.#limit;
  }

  /** Chooses from the rotations of all agents. Positions are stored only if due tasks are left. */
  choose<T extends DueTask>(rotations: readonly AgentRotation<T>[]): Chosen<T> {
    const tasks: T[] = [];
    const positions = new Map<string, string>();
    const lines = rotations.map(({ agent, queues }) => ({ agent, rest: inRounds(queues) }));
    const heads = lines.map(({ rest }) => rest.next().value);
    while (tasks.length < this.#limit) {
      const first = longestDue(heads);
      const task = heads[first];
      if (task === undefined) break;
      const line = lines[first];
      heads[first] = line?.rest.next().value;
      if (!this.#mayGet(task.key, tasks.length)) continue;
      this.#running.set(task.key, (this.#running.get(task.key) ?? 0) + 1);
      tasks.push(task);
      if (line !== undefined) positions.set(line.agent, task.key);
    }
    return { tasks: tasks.sort(byDueTime), positions };
  }

  #mayGet(key: string, given: number): boolean {
    const running = this.#running.get(key) ?? 0;
    return running === 0 || (given < this.#openSlots && running < this.#perKey);
  }

  #isExcluded(key: string): boolean {
    return !this.#mayGet(key, 0);
  }
}

/** Groups all due tasks of an agent, if they are few, into a rotation that starts after a key. */
export function rotationOf<T extends DueTask>(
  agent: string,
  due: readonly T[],
  position: string | undefined,
): AgentRotation<T> {
  const byKey = new Map<string, T[]>();
  for (const task of due.toSorted(byDueTime)) {
    const tasks = byKey.get(task.key);
    if (tasks === undefined) byKey.set(task.key, [task]);
    else tasks.push(task);
  }
  const queues = Array.from(byKey, ([key, tasks]) => ({ key, tasks })).sort((a, b) => (a.key < b.key ? -1 : 1));
  const start = position === undefined ? 0 : queues.findIndex(({ key }) => key > position);
  return { agent, queues: start <= 0 ? queues : [...queues.slice(start), ...queues.slice(0, start)] };
}

/** The order of due tasks, the longest due first. */
export function byDueTime(a: DueTask, b: DueTask): number {
  return a.wakeAt - b.wakeAt || a.order - b.order;
}

/** The first task of each key, then the second of each, and so on. */
function* inRounds<T>(queues: readonly KeyQueue<T>[]): Generator<T, undefined> {
  for (let round = 0, isLast = false; !isLast; round++) {
    isLast = true;
    for (const { tasks } of queues) {
      const task = tasks[round];
      if (task === undefined) continue;
      isLast = false;
      yield task;
    }
  }
}

/** The index of the longest due task, or -1 if there is none. */
function longestDue(tasks: readonly (DueTask | undefined)[]): number {
  let first = -1;
  let best: DueTask | undefined;
  for (const [i, task] of tasks.entries()) {
    if (task === undefined || (best !== undefined && byDueTime(task, best) > 0)) continue;
    best = task;
    first = i;
  }
  return first;
}
