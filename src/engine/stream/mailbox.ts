import type { Message } from '../../model/message.ts';
import { isTerminal, type TaskState } from '../../model/state.ts';
import type { Scope, TaskEvent, TaskProgress, TaskRecord } from '../../store/store.ts';
import type { EngineContext } from '../engine-context.ts';
import type { FeedChange } from './feed.ts';
import type { LeaveSignal } from '../../support/leave-signal.ts';

/** The maximum number of buffered events for a slow subscriber. Beyond it, the subscriber reads them from the store. */
const MAX_BUFFERED = 512;
const MAX_BUFFERED_BYTES = 2 ** 20;

/** Finds the reply that a task was dropped for. */
export type FindReply = () => Promise<Message | undefined>;

export const noReply: FindReply = async () => undefined;

/** The position of a subscriber in a task. Smaller than a record, because there can be thousands of subscribers. */
export interface Position extends Scope {
  readonly id: string;
  readonly lastEvent: number;
  readonly endedAt: number | undefined;
  readonly state: TaskState;
}

export function positionOf({ id, tenant, owner, lastEvent, endedAt, status }: TaskRecord): Position {
  return { id, tenant, owner, lastEvent, endedAt, state: status.state };
}

/** The position after progress. */
export function moved({ id, tenant, owner }: Position, { lastEvent, endedAt, status }: Progress): Position {
  return { id, tenant, owner, lastEvent, endedAt, state: status.state };
}

/** The progress of a task, from a record or a hint. */
type Progress = Omit<TaskProgress, 'events'>;

/** A notification for a subscriber. */
type MailboxItem =
  | { readonly kind: 'later'; readonly progress: Progress }
  /** The task was dropped for a reply. */
  | { readonly kind: 'reply'; readonly message: Message }
  | { readonly kind: 'nothing' }
  /** No more events follow. */
  | { readonly kind: 'end' };

export const NOTHING: MailboxItem = { kind: 'nothing' };
const END: MailboxItem = { kind: 'end' };

/** The unread notifications of one subscriber. */
export class Mailbox {
  readonly #engine: EngineContext;
  readonly #stop: () => void;
  readonly #signal: LeaveSignal | undefined;
  readonly #leave = (): void => this.#close();
  #buffer: TaskEvent[] = [];
  /** An upper bound for the size of the buffer. It is reset when the buffer is empty. */
  #bytes = 0;
  #progress: Progress | undefined;
  #message: Message | undefined;
  #isStale = false;
  #isClosed = false;
  #arrival: Promise<void> | undefined;
  #wakeUp: (() => void) | undefined;
  readonly #findReply: FindReply | undefined;

  constructor(
    engine: EngineContext,
    taskId: string,
    signal: LeaveSignal | undefined,
    findReply: FindReply | undefined,
  ) {
    this.#engine = engine;
    this.#findReply = findReply;
    this.#stop = engine.feed.listen(taskId, (change) => this.#receive(change));
    this.#signal = signal;
    signal?.addEventListener('abort', this.#leave, { once: true });
    if (signal?.aborted === true) this.#isClosed = true;
  }

  /** Takes the events that follow a number, as far as they are buffered. */
  take(position: number): readonly TaskEvent[] | undefined {
    const events = this.#buffer;
    if (events.length === 0) return undefined;
    // Usually the whole buffer is next. But hints can be late, duplicated and out of order.
    if (!events.every(({ number }, i) => number === position + 1 + i)) return this.#search(position);
    this.#empty();
    return events;
  }

  #search(position: number): readonly TaskEvent[] | undefined {
    const next = this.#buffer.findIndex(({ number }) => number === position + 1);
    if (next < 0) return undefined;
    // Events that another node wrote in between are missing here.
    const gap = this.#buffer.findIndex(({ number }, i) => i > next && number !== position + 1 + i - next);
    const events = this.#buffer.slice(next, gap < 0 ? undefined : gap);
    if (gap < 0) this.#empty();
    else this.#buffer = this.#buffer.slice(gap);
    return events;
  }

  /** The latest notification, if any. */
  pending(last: Position): MailboxItem | undefined {
    if (this.#message !== undefined) return { kind: 'reply', message: this.#message };
    const progress = this.#progress;
    this.#progress = undefined;
    if (progress !== undefined && isNewer(progress, last)) return { kind: 'later', progress };
    return this.#isClosed ? END : undefined;
  }

  /** Whether the store must be read, because a hint did not contain the progress. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /** Reads the task from the store, and at the same time the events after a number, because usually there are some. */
  async poll(last: Position, after: number, limit: number): Promise<MailboxItem> {
    this.#isStale = false;
    const { store } = this.#engine;
    const [stored, events] = await Promise.all([
      store.read(last, last.id, { history: 0 }),
      store.events(last.id, after, limit),
    ]);
    this.#keep(events);
    if (stored !== undefined)
      return isNewer(stored.record, last) ? { kind: 'later', progress: stored.record } : NOTHING;
    const message = await this.#findReply?.();
    return message === undefined ? END : { kind: 'reply', message };
  }

  /** Resolves when there may be a notification. */
  arrival(): Promise<void> {
    const isHere = this.#message !== undefined || this.#progress !== undefined || this.#isStale || this.#isClosed;
    if (isHere) return Promise.resolve();
    return (this.#arrival ??= new Promise((resolve) => (this.#wakeUp = resolve)));
  }

  /** Closes the mailbox. A pending wait ends without a result. */
  close(): void {
    this.#signal?.removeEventListener('abort', this.#leave);
    this.#close();
  }

  #receive(change: FeedChange): void {
    switch (change.kind) {
      case 'written':
        this.#advance(change.record, change.events);
        break;
      case 'replied':
        this.#message = change.message;
        this.#stop();
        break;
      case 'hint':
        if (change.progress === undefined) this.#isStale = true;
        else this.#advance(change.progress, change.progress.events);
        break;
      case 'gone':
        this.#isStale = true;
        break;
      case 'interrupted':
        // The task and its stream continue, unless the node shuts down.
        if (change.isFinal !== true) return;
        this.#isClosed = true;
    }
    this.#wake();
  }

  #advance(progress: Progress, events: readonly TaskEvent[]): void {
    if (this.#progress === undefined || isNewer(progress, this.#progress)) this.#progress = progress;
    this.#keep(events);
    // Stops listening, so that a subscriber that never reads is not kept forever.
    if (isTerminal(progress.status.state)) this.#stop();
  }

  /** Buffers events up to a limit. The store has all of them. */
  #keep(events: readonly TaskEvent[]): void {
    for (const event of events) {
      this.#buffer.push(event);
      this.#bytes += event.body.length;
    }
    if (this.#buffer.length > MAX_BUFFERED || this.#bytes > MAX_BUFFERED_BYTES) this.#empty();
  }

  #empty(): void {
    this.#buffer = [];
    this.#bytes = 0;
  }

  #close(): void {
    this.#isClosed = true;
    this.#stop();
    this.#wake();
  }

  #wake(): void {
    this.#wakeUp?.();
    this.#wakeUp = undefined;
    this.#arrival = undefined;
  }
}

type Point = Pick<Progress, 'lastEvent' | 'endedAt'>;

function isNewer(point: Point, last: Point): boolean {
  return point.lastEvent > last.lastEvent || point.endedAt !== last.endedAt;
}
