import type { Message } from '../model/message.ts';
import { isTerminal, type TaskState } from '../model/state.ts';
import type { Scope, TaskEvent, TaskProgress, TaskRecord } from '../store/store.ts';
import type { Core } from './core.ts';
import type { News } from './feed.ts';
import type { LeaveSignal } from '../support/leave-signal.ts';

/** Events that wait for a slow reader in memory; if there are more, it reads them from the store. */
const MAX_BUFFERED = 512;
const MAX_BUFFERED_BYTES = 2 ** 20;

/** Finds the bare message that a task was dropped for. */
export type FindReply = () => Promise<Message | undefined>;

export const noReply: FindReply = async () => undefined;

/** What a reader remembers of a task: a record may hold much more, and there may be thousands of readers. */
export interface Position extends Scope {
  readonly id: string;
  readonly lastEvent: number;
  readonly endedAt: number | undefined;
  readonly state: TaskState;
}

export function positionOf({ id, tenant, owner, lastEvent, endedAt, status }: TaskRecord): Position {
  return { id, tenant, owner, lastEvent, endedAt, state: status.state };
}

/** Where a task is that has gone on. */
export function moved({ id, tenant, owner }: Position, { lastEvent, endedAt, status }: Progress): Position {
  return { id, tenant, owner, lastEvent, endedAt, state: status.state };
}

/** As a record says it, or a hint. */
type Progress = Omit<TaskProgress, 'events'>;

/** What one can hear of a task. */
type Heard =
  | { readonly kind: 'later'; readonly progress: Progress }
  /** It was dropped for a bare message. */
  | { readonly kind: 'reply'; readonly message: Message }
  | { readonly kind: 'nothing' }
  /** Nothing will follow. */
  | { readonly kind: 'end' };

export const NOTHING: Heard = { kind: 'nothing' };
const END: Heard = { kind: 'end' };

/** What one reader has heard and not read. */
export class Mailbox {
  readonly #core: Core;
  readonly #stop: () => void;
  readonly #signal: LeaveSignal | undefined;
  readonly #leave = (): void => this.#close();
  #buffer: TaskEvent[] = [];
  /** Of the buffer, or more: it is counted anew when it is empty. */
  #bytes = 0;
  #progress: Progress | undefined;
  #message: Message | undefined;
  #mustLook = false;
  #isClosed = false;
  #arrival: Promise<void> | undefined;
  #wakeUp: (() => void) | undefined;
  readonly #findReply: FindReply | undefined;

  constructor(core: Core, taskId: string, signal: LeaveSignal | undefined, findReply: FindReply | undefined) {
    this.#core = core;
    this.#findReply = findReply;
    this.#stop = core.feed.listen(taskId, (news) => this.#hear(news));
    this.#signal = signal;
    signal?.addEventListener('abort', this.#leave, { once: true });
    if (signal?.aborted === true) this.#isClosed = true;
  }

  /** The events that follow a number, as far as it has them. */
  take(position: number): readonly TaskEvent[] | undefined {
    const events = this.#buffer;
    if (events.length === 0) return undefined;
    // Nearly always all of it is next. But hints come late, doubled and out of order.
    if (!events.every(({ number }, i) => number === position + 1 + i)) return this.#search(position);
    this.#empty();
    return events;
  }

  #search(position: number): readonly TaskEvent[] | undefined {
    const next = this.#buffer.findIndex(({ number }) => number === position + 1);
    if (next < 0) return undefined;
    // What another node wrote in between is missing here.
    const gap = this.#buffer.findIndex(({ number }, i) => i > next && number !== position + 1 + i - next);
    const events = this.#buffer.slice(next, gap < 0 ? undefined : gap);
    if (gap < 0) this.#empty();
    else this.#buffer = this.#buffer.slice(gap);
    return events;
  }

  /** What it was told since, if anything. */
  news(last: Position): Heard | undefined {
    if (this.#message !== undefined) return { kind: 'reply', message: this.#message };
    const progress = this.#progress;
    this.#progress = undefined;
    if (progress !== undefined && isNewer(progress, last)) return { kind: 'later', progress };
    return this.#isClosed ? END : undefined;
  }

  /** Something may have happened that it was not told of. */
  get mustLook(): boolean {
    return this.#mustLook;
  }

  /** Asks the store for the task, and at the same time for what follows a number: most often there is something. */
  async look(last: Position, after: number, limit: number): Promise<Heard> {
    this.#mustLook = false;
    const { store } = this.#core;
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

  /** Resolves when there may be something to hear. */
  arrival(): Promise<void> {
    const isHere = this.#message !== undefined || this.#progress !== undefined || this.#mustLook || this.#isClosed;
    if (isHere) return Promise.resolve();
    return (this.#arrival ??= new Promise((resolve) => (this.#wakeUp = resolve)));
  }

  /** Nobody reads on: who waits for something gets nothing. */
  close(): void {
    this.#signal?.removeEventListener('abort', this.#leave);
    this.#close();
  }

  #hear(news: News): void {
    switch (news.kind) {
      case 'written':
        this.#goOn(news.record, news.events);
        break;
      case 'replied':
        this.#message = news.message;
        this.#stop();
        break;
      case 'hint':
        if (news.progress === undefined) this.#mustLook = true;
        else this.#goOn(news.progress, news.progress.events);
        break;
      case 'gone':
        this.#mustLook = true;
        break;
      case 'interrupted':
        // The task goes on, and so does its stream; but not on a node that shuts down.
        if (news.isFinal !== true) return;
        this.#isClosed = true;
    }
    this.#wake();
  }

  #goOn(progress: Progress, events: readonly TaskEvent[]): void {
    if (this.#progress === undefined || isNewer(progress, this.#progress)) this.#progress = progress;
    this.#keep(events);
    // What a reader who never comes would keep for ever.
    if (isTerminal(progress.status.state)) this.#stop();
  }

  /** As long as it is little: the store has it all. */
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
