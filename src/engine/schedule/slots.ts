import { fairnessKeyOf, type ClaimRequest, type Scope, type TaskRecord } from '../../store/store.ts';
import type { RunLimits } from '../runnable.ts';

/** One slot in this many is reserved for callers without a running task. */
const SLOTS_PER_RESERVED = 10;
/** The share of the queue that one caller may use while another caller waits. */
const QUEUE_SHARE = 0.8;

/** How many waiting tasks one caller may have while another caller waits. */
export function queueShare(queue: number): number {
  return Math.max(1, Math.floor(queue * QUEUE_SHARE));
}

interface Waiting {
  readonly scope: Scope;
  readonly key: string;
  /** Stops the timer that limits the wait. */
  readonly disarm: (() => void) | undefined;
}

/**
 * The slots of one agent on this node, and the new tasks that wait for one.
 *
 * A caller with a running task gets another slot only while more slots are free than the reserve: a tenth of all, at least
 * one unless there is just one. So a caller that runs nothing does not wait for callers that run much. The rule applies
 * both to tasks that start at once and to claims. If the slots of all agents on the node are limited too, the same rule applies
 * to them.
 */
export class Slots {
  readonly #limits: Pick<RunLimits, 'concurrency' | 'queue' | 'runsPerCaller'>;
  /** The number of slots in use below which a caller with a running task may start another one. */
  readonly #open: number;
  readonly #perKey: number;
  readonly #memory: { readonly isFull: boolean };
  readonly #node: Slots | undefined;
  #taken = 0;
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #waitingByKey = new Map<string, number>();

  /**
   * @param memory Above its limit, a caller with a running task gets no further slot.
   * @param node The slots of all agents on this node, if they are limited.
   */
  constructor(
    limits: Pick<RunLimits, 'concurrency' | 'queue' | 'runsPerCaller'>,
    memory: { readonly isFull: boolean },
    node?: Slots,
  ) {
    this.#memory = memory;
    this.#node = node;
    const { concurrency, runsPerCaller = Number.POSITIVE_INFINITY } = limits;
    this.#limits = limits;
    this.#open =
      concurrency <= 1 ? concurrency : concurrency - Math.max(1, Math.floor(concurrency / SLOTS_PER_RESERVED));
    this.#perKey = runsPerCaller;
  }

  get taken(): number {
    return this.#taken;
  }

  get free(): number {
    return Math.min(this.#limits.concurrency - this.#taken, this.#node?.free ?? Infinity);
  }

  /** How many new tasks wait here for a slot. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Whether there may be due tasks that this node cannot claim now because of their caller. */
  get isTight(): boolean {
    if (this.#taken >= this.#open || this.#memory.isFull || this.#node?.isTight === true) return true;
    if (this.#perKey === Number.POSITIVE_INFINITY) return false;
    for (const running of this.#running.values()) if (running >= this.#perKey) return true;
    return false;
  }

  /** How many slots any caller may have, whether it has a running task or not. */
  get openSlots(): number {
    if (this.#memory.isFull) return 0;
    return Math.max(0, Math.min(this.#open - this.#taken, this.#node?.openSlots ?? Infinity));
  }

  /** How many due tasks a claim together with other agents may take, because no caller has to be held back. */
  get sharedRoom(): number {
    return this.#perKey === Infinity ? this.openSlots : 0;
  }

  /** Whether a caller may have one more slot. */
  mayTake(key: string): boolean {
    if (this.#node?.mayTake(key) === false) return false;
    const running = this.#running.get(key) ?? 0;
    if (running === 0) return this.#taken < this.#limits.concurrency;
    return this.#taken < this.#open && running < this.#perKey && !this.#memory.isFull;
  }

  /** Whether a new task of a caller may start at once, which requires that no queued task may. */
  mayStart(key: string): boolean {
    if (!this.mayTake(key)) return false;
    if (this.#waitingByKey.size === 0) return true;
    for (const waiting of this.#waitingByKey.keys()) if (this.mayTake(waiting)) return false;
    return true;
  }

  take(key: string): void {
    this.#taken += 1;
    add(this.#running, key, 1);
    this.#node?.take(key);
  }

  release(key: string): void {
    this.#taken -= 1;
    add(this.#running, key, -1);
    this.#node?.release(key);
  }

  /** Holds slots for a claim in progress. A negative number releases them. */
  hold(count: number): void {
    this.#taken += count;
    this.#node?.hold(count);
  }

  /** The limit and the shares for a claim of at most `max` tasks; undefined if no slot is free. */
  claimable(max: number): Pick<ClaimRequest, 'limit' | 'shares'> | undefined {
    const limit = Math.min(this.free, max);
    if (limit <= 0) return undefined;
    const { openSlots } = this;
    const { runsPerCaller } = this.#limits;
    if (openSlots >= limit && runsPerCaller === undefined) return { limit };
    const shares = { running: this.#runningFor(limit), openSlots };
    return { limit, shares: runsPerCaller === undefined ? shares : { ...shares, perKey: runsPerCaller } };
  }

  /** If the node has no room for `limit` tasks of any caller, a caller that runs another agent there counts as running. */
  #runningFor(limit: number): ReadonlyMap<string, number> {
    const node = this.#node;
    if (node === undefined || node.openSlots >= limit) return new Map(this.#running);
    return new Map(Array.from(node.#running.keys(), (key) => [key, this.#running.get(key) ?? 1]));
  }

  /**
   * Why a task of a caller may not be queued, if it may not. `share`: the caller has used its share of the queue, and
   * others wait. `full`: the queue is full. Tasks of a caller above its share do not take room from other callers.
   */
  refusal(key: string): 'full' | 'share' | undefined {
    const { queue } = this.#limits;
    const share = queueShare(queue);
    const own = this.#waitingByKey.get(key) ?? 0;
    if (own >= share && own < this.#waiting.size) return 'share';
    if (this.#waiting.size < queue) return undefined;
    let above = 0;
    for (const [other, count] of this.#waitingByKey) if (other !== key && count > share) above += count - share;
    return queue > 0 && this.#waiting.size - above < queue ? undefined : 'full';
  }

  /** Queues a task. Only its owner is kept, because a long queue of long messages would fill the memory. */
  enqueue(task: Pick<TaskRecord, 'id' | 'tenant' | 'owner' | 'fairnessKey'>, disarm?: () => void): void {
    const { id, tenant, owner } = task;
    const key = fairnessKeyOf(task);
    this.#waiting.set(id, { scope: { tenant, owner }, key, disarm });
    add(this.#waitingByKey, key, 1);
  }

  dequeue(taskId: string): void {
    const waiting = this.#waiting.get(taskId);
    if (waiting === undefined) return;
    this.#waiting.delete(taskId);
    waiting.disarm?.();
    add(this.#waitingByKey, waiting.key, -1);
  }

  /** The owner of a queued task. */
  ownerOf(taskId: string): Scope | undefined {
    return this.#waiting.get(taskId)?.scope;
  }

  /** Called when a claim returned nothing: tasks that could have been claimed are on other nodes and leave the queue. */
  forgetClaimable(): void {
    for (const [taskId, { key }] of this.#waiting) if (this.mayTake(key)) this.dequeue(taskId);
  }
}

function add(counts: Map<string, number>, key: string, step: number): void {
  const count = (counts.get(key) ?? 0) + step;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
