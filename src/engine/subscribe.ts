import type { Message } from '../model/message.ts';
import { isTerminal } from '../model/state.ts';
import type { Task } from '../model/task.ts';
import type { StoredTask, TaskEvent, TaskRecord } from '../store/store.ts';
import type { Core } from './core.ts';
import { type FindReply, Mailbox, moved, NOTHING, type Position, positionOf } from './mailbox.ts';
import { notFound } from './not-found.ts';
import type { LeaveSignal } from '../support/leave-signal.ts';
import { isWithin, type TaskAccess } from './task-access.ts';
import { PAGE_PARTS, pagedTask } from './task-page.ts';

/** What a subscriber gets: events by number, or the whole task where there is no event to begin with. */
export type StreamItem =
  | TaskEvent
  /** The task with all events up to `number` in it, without its oldest messages if it is too large for one event. */
  | { readonly kind: 'snapshot'; readonly number: number; readonly task: Task }
  /** The answer of a task that was never made. */
  | { readonly kind: 'message'; readonly message: Message };

export interface StreamStart {
  /** The last number that the reader has. Without it, the stream begins with the task as it is. */
  readonly after?: number | undefined;
  readonly signal?: LeaveSignal | undefined;
  /** Given by who has made the task, and may see it before others can: finds what it was dropped for. */
  readonly findReply?: FindReply | undefined;
}

/** A page of events has about so many bytes, after a first one of so many events: they can be of any size. */
const PAGE_BYTES = 2 ** 18;
const FIRST_PAGE = 64;
const LARGEST_PAGE = 256;

const DONE: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined });

/** How a subscription begins: gives its first items, or nothing if it begins with events. */
type Opening = (box: Mailbox) => Promise<readonly StreamItem[] | undefined>;

/**
 * The events of a task in order, without a gap or a double, in the batches in which they come. Ends after the last event
 * of the task. If it ends earlier, the reader can go on from its last number.
 *
 * By hand instead of a generator: of these there may be thousands, each holds what it began with for as long as it
 * lives, and one that waits would not hear that its reader has left.
 */
export class Subscription implements AsyncIterableIterator<readonly StreamItem[], undefined> {
  readonly #core: Core;
  /** Made at the first call of `next`. */
  #box: Mailbox | (() => Mailbox);
  #open: Opening | undefined;
  #task: Position | undefined;
  #position = 0;
  /** It began with the task: the event that says the same is left out. */
  #hasTask = false;
  #limit = FIRST_PAGE;
  #isOver = false;

  private constructor(core: Core, box: Mailbox | (() => Mailbox), open?: Opening) {
    this.#core = core;
    this.#box = box;
    this.#open = open;
  }

  /** Of a task that is there. Listens from the first call of `next` on. */
  static to(core: Core, access: TaskAccess, taskId: string, start: StreamStart): Subscription {
    const { after, signal, findReply } = start;
    const subscription = new Subscription(
      core,
      () => new Mailbox(core, taskId, signal, findReply),
      () => subscription.#begin(access, taskId, after, findReply),
    );
    return subscription;
  }

  /** Of a task that was made just now, from the first event on, by one who has listened from before. */
  static toNew(core: Core, box: Mailbox, record: TaskRecord): Subscription {
    const subscription = new Subscription(core, box);
    subscription.#task = positionOf(record);
    return subscription;
  }

  /** Waits by itself: each further function that waits would be kept for every reader. */
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

  /** Also ends a call of `next` that waits. */
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

  /** What there is by now, maybe nothing; `undefined` if nothing will follow. */
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
      const news =
        box.news(this.#task) ?? (box.mustLook ? await box.look(this.#task, this.#position, this.#limit) : NOTHING);
      if (news.kind === 'nothing') return [];
      if (news.kind === 'end') return undefined;
      if (news.kind === 'reply') return this.#lastWord(news.message);
      this.#task = moved(this.#task, news.progress);
    }
    return undefined;
  }

  async #begin(
    access: TaskAccess,
    taskId: string,
    after: number | undefined,
    findReply: FindReply | undefined,
  ): Promise<readonly StreamItem[] | undefined> {
    const { store } = this.#core;
    const comesBack = after !== undefined && Number.isSafeInteger(after) && after >= 0;
    let stored = await store.read(access, taskId, comesBack ? { history: 0 } : PAGE_PARTS);
    const message = stored === undefined ? await findReply?.() : undefined;
    if (message !== undefined) return this.#lastWord(message);
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
    const { store } = this.#core;
    const heard = box.take(this.#position);
    const events = heard ?? (await store.events(id, this.#position, this.#limit));
    const last = events.at(-1);
    if (last !== undefined) {
      this.#position = last.number;
      if (heard === undefined) this.#limit = pageAfter(events);
      // A reader who began with the task has seen what its first event says.
      return this.#hasTask ? events.filter(({ kind }) => kind !== 'task') : events;
    }
    // The events are gone, which only happens after the end: the task says it all.
    const stored = this.#task && (await store.read(this.#task, id, PAGE_PARTS));
    return stored && this.#snapshot(stored);
  }

  #snapshot(stored: StoredTask): readonly StreamItem[] {
    this.#task = positionOf(stored.record);
    this.#position = stored.record.lastEvent;
    return [{ kind: 'snapshot', number: stored.record.lastEvent, task: pagedTask(stored) }];
  }

  #lastWord(message: Message): readonly StreamItem[] {
    this.#isOver = true;
    return [{ kind: 'message', message }];
  }
}

function pageAfter(events: readonly TaskEvent[]): number {
  const bytes = events.reduce((sum, { body }) => sum + body.length, 1);
  return Math.min(LARGEST_PAGE, Math.max(1, Math.floor((events.length * PAGE_BYTES) / bytes)));
}

/** For a request that came twice, and was answered the first time. */
export async function* replied(message: Message): AsyncGenerator<readonly StreamItem[], void> {
  yield [{ kind: 'message', message }];
}
