import type { Message } from '../../model/message.ts';
import { isTerminal } from '../../model/state.ts';
import type { Task } from '../../model/task.ts';
import type { StoredTask, TaskEvent, TaskRecord } from '../../store/store.ts';
import type { EngineContext } from '../engine-context.ts';
import { type FindReply, Mailbox, moved, NOTHING, type Position, positionOf } from './mailbox.ts';
import { notFound, isWithin, type TaskAccess } from '../tasks/task-access.ts';
import type { LeaveSignal } from '../../support/leave-signal.ts';
import { PAGE_PARTS, pagedTask } from '../tasks/task-page.ts';

/** An item of a task stream: a numbered event, or the whole task if there is no event to start with. */
export type StreamItem =
  | TaskEvent
  /** The task including all events up to `number`, without its oldest messages if it is too large for one event. */
  | {
      /** Always `snapshot`. */
      readonly kind: 'snapshot';
      /** The number of the last event that the task includes. */
      readonly number: number;
      /** The task. */
      readonly task: Task;
    }
  /** A reply without a task. */
  | {
      /** Always `message`. */
      readonly kind: 'message';
      /** The reply. */
      readonly message: Message;
    };

/** Where a subscription starts. */
export interface StreamStart {
  /** The number of the last event that the subscriber has. Without it, the stream starts with the current task. */
  readonly after?: number | undefined;
  /** Ends the stream when it aborts. */
  readonly signal?: LeaveSignal | undefined;
  /**
   * Finds the reply of a dropped task. Passed only by the request that created the task, which may see it before other
   * callers can.
   */
  readonly findReply?: FindReply | undefined;
}

/** The approximate size of a page of events. The first page has a fixed number of events, because their size is unknown. */
const PAGE_BYTES = 2 ** 18;
const FIRST_PAGE = 64;
const LARGEST_PAGE = 256;

const DONE: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined });

/** Starts a subscription. Returns its first items, or `undefined` if it starts with events. */
type Opening = (box: Mailbox) => Promise<readonly StreamItem[] | undefined>;

/**
 * The events of a task in order, without gaps and duplicates, in the batches in which they arrive. Ends after the last
 * event of the task. If it ends earlier, the subscriber can resume after its last number.
 *
 * It is not a generator: there can be thousands of subscriptions, a generator keeps its start values for its whole life,
 * and a waiting generator does not notice that its subscriber has left.
 */
export class Subscription
  implements AsyncIterator<readonly StreamItem[], undefined>, AsyncIterable<readonly StreamItem[]>
{
  readonly #engine: EngineContext;
  /** Created by the first call of `next`. */
  #box: Mailbox | (() => Mailbox);
  #open: Opening | undefined;
  #task: Position | undefined;
  #position = 0;
  /** The stream started with the task, so the event that contains the same is skipped. */
  #hasTask = false;
  #limit = FIRST_PAGE;
  #isOver = false;

  private constructor(engine: EngineContext, box: Mailbox | (() => Mailbox), open?: Opening) {
    this.#engine = engine;
    this.#box = box;
    this.#open = open;
  }

  /** Subscribes to an existing task. Listens from the first call of `next` on. */
  static to(engine: EngineContext, access: TaskAccess, taskId: string, start: StreamStart): Subscription {
    const { after, signal, findReply } = start;
    const subscription = new Subscription(
      engine,
      () => new Mailbox(engine, taskId, signal, findReply),
      () => subscription.#begin(access, taskId, after, findReply),
    );
    return subscription;
  }

  /** Subscribes to a task that was just created, from the first event on, with a mailbox that was opened before. */
  static toNew(engine: EngineContext, box: Mailbox, record: TaskRecord): Subscription {
    const subscription = new Subscription(engine, box);
    subscription.#task = positionOf(record);
    return subscription;
  }

  /** Awaits in one function, because each further async frame would be kept in memory for every subscriber. */
  async next(): Promise<IteratorResult<readonly StreamItem[], undefined>> {
    try {
      const box = (this.#box = typeof this.#box === 'function' ? this.#box() : this.#box);
      while (!this.#isOver) {
        const items = await this.#batch(box);
        if (items === undefined) break;
        if (items.length > 0) return { done: false, value: items };
        await box.arrival();
      }
    } catch (error) {
      this.#end();
      throw error;
    }
    this.#end();
    return DONE;
  }

  /** Ends the subscription, including a pending call of `next`. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#end();
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #end(): void {
    this.#isOver = true;
    if (typeof this.#box !== 'function') this.#box.close();
  }

  /** The items that are available, possibly none; `undefined` if the stream has ended. */
  async #batch(box: Mailbox): Promise<readonly StreamItem[] | undefined> {
    if (this.#open !== undefined) {
      const open = this.#open;
      this.#open = undefined;
      const first = await open(box);
      if (first !== undefined) return first;
    }
    while (this.#task !== undefined && !this.#isOver) {
      if (this.#position < this.#task.lastEvent) {
        const items = await this.#read(box, this.#task);
        if (items === undefined || items.length > 0) return items;
        continue;
      }
      if (isTerminal(this.#task.state)) return undefined;
      const change =
        box.pending(this.#task) ?? (box.isStale ? await box.poll(this.#task, this.#position, this.#limit) : NOTHING);
      if (change.kind === 'nothing') return [];
      if (change.kind === 'end') return undefined;
      if (change.kind === 'reply') return this.#replyItem(change.message);
      this.#task = moved(this.#task, change.progress);
    }
    return undefined;
  }

  async #begin(
    access: TaskAccess,
    taskId: string,
    after: number | undefined,
    findReply: FindReply | undefined,
  ): Promise<readonly StreamItem[] | undefined> {
    const { store } = this.#engine;
    const comesBack = after !== undefined && Number.isSafeInteger(after) && after >= 0;
    let stored = await store.read(access, taskId, comesBack ? { history: 0 } : PAGE_PARTS);
    const message = stored === undefined ? await findReply?.() : undefined;
    if (message !== undefined) return this.#replyItem(message);
    if (stored === undefined || !isWithin(access, stored.record)) throw notFound(taskId);
    if (findReply === undefined && !stored.record.visible) throw notFound(taskId);
    this.#task = positionOf(stored.record);
    if (!stored.record.visible) return undefined;
    if (comesBack && after <= stored.record.lastEvent) {
      this.#position = after;
      return undefined;
    }
    if (comesBack) stored = await store.read(access, taskId, PAGE_PARTS);
    if (stored === undefined) throw notFound(taskId);
    this.#hasTask = true;
    return this.#snapshot(stored);
  }

  async #read(box: Mailbox, { id }: Position): Promise<readonly StreamItem[] | undefined> {
    const { store } = this.#engine;
    const buffered = box.take(this.#position);
    const events = buffered ?? (await store.events(id, this.#position, this.#limit));
    const last = events.at(-1);
    if (last !== undefined) {
      this.#position = last.number;
      if (buffered === undefined) this.#limit = pageAfter(events);
      // The snapshot already contains the first event.
      return this.#hasTask ? events.filter(({ kind }) => kind !== 'task') : events;
    }
    // Retention removes events only after the task has ended, so the task contains everything.
    const stored = this.#task && (await store.read(this.#task, id, PAGE_PARTS));
    return stored && this.#snapshot(stored);
  }

  #snapshot(stored: StoredTask): readonly StreamItem[] {
    this.#task = positionOf(stored.record);
    this.#position = stored.record.lastEvent;
    return [{ kind: 'snapshot', number: stored.record.lastEvent, task: pagedTask(stored) }];
  }

  #replyItem(message: Message): readonly StreamItem[] {
    this.#isOver = true;
    return [{ kind: 'message', message }];
  }
}

function pageAfter(events: readonly TaskEvent[]): number {
  const bytes = events.reduce((sum, { body }) => sum + body.length, 1);
  return Math.min(LARGEST_PAGE, Math.max(1, Math.floor((events.length * PAGE_BYTES) / bytes)));
}

/** The stream of a repeated request that was already answered with a reply. */
export async function* replied(message: Message): AsyncGenerator<readonly StreamItem[], void> {
  yield [{ kind: 'message', message }];
}
