import type { Message } from '../model/message.ts';
import { isTerminal } from '../model/state.ts';
import type { TaskEvent, TaskRecord } from '../store/store.ts';
import { type Deferred, deferred } from '../support/deferred.ts';
import type { Core } from './core.ts';
import type { News } from './feed.ts';
import type { LeaveSignal } from '../support/leave-signal.ts';

/** Events that wait for a slow reader in memory; if there are more, it reads them from the store. */
const MAX_BUFFERED = 512;
const MAX_BUFFERED_BYTES = 2 ** 20;

/** Finds the bare message that a task was dropped for. */
export type FindReply = () => Promise<Message | undefined>;

/** What one reader has heard and not read. */
export class Mailbox {
  readonly #core: Core;
  readonly #stop: () => void;
  readonly #signal: LeaveSignal | undefined;
  readonly #leave = (): void => this.#close();
  #buffer: TaskEvent[] = [];
  /** Of the buffer, or more: it is counted anew when it is empty. */
  #bytes = 0;
  #record: TaskRecord | undefined;
  #message: Message | undefined;
  #mustLook = false;
  #isClosed = false;
  #arrival: Deferred<void> | undefined;

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
    const [first] = events;
    const last = position + events.length;
    // Nearly always all of it is next.
    if (first === undefined) return undefined;
    if (first.number !== position + 1 || events.at(-1)?.number !== last) return this.#search(position);
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

  /** The task after something has happened to it; nothing if that is all there will be. */
  async next(last: TaskRecord): Promise<{ readonly record: TaskRecord } | { readonly message: Message } | undefined> {
    for (;;) {
      if (this.#message !== undefined) return { message: this.#message };
      const record = this.#record;
      this.#record = undefined;
      if (record !== undefined && isNewer(record, last)) return { record };
      if (this.#isClosed) return undefined;
      if (this.#mustLook) {
        this.#mustLook = false;
        const stored = await this.#core.store.read(last, last.id, { history: 0 });
        if (stored === undefined) {
          const message = await this.#findReply?.();
          return message && { message };
        }
        if (isNewer(stored.record, last)) return { record: stored.record };
        continue;
      }
      await (this.#arrival ??= deferred<void>()).promise;
    }
  }

  /** Nobody reads on: who waits for something gets nothing. */
  close(): void {
    this.#signal?.removeEventListener('abort', this.#leave);
    this.#close();
  }

  #hear(news: News): void {
    switch (news.kind) {
      case 'written':
        if (this.#record === undefined || isNewer(news.record, this.#record)) this.#record = news.record;
        this.#keep(news.events);
        // What a reader who never comes would keep for ever.
        if (isTerminal(news.record.status.state)) this.#stop();
        break;
      case 'replied':
        this.#message = news.message;
        this.#stop();
        break;
      case 'hint':
        this.#mustLook = true;
        break;
      case 'interrupted':
        // The task goes on, and so does its stream; but not on a node that shuts down.
        if (news.isFinal !== true) return;
        this.#isClosed = true;
    }
    this.#wake();
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
    this.#arrival?.resolve();
    this.#arrival = undefined;
  }
}

function isNewer(record: TaskRecord, last: TaskRecord): boolean {
  return record.lastEvent > last.lastEvent || record.endedAt !== last.endedAt;
}
