import type { Message } from '../model/message.ts';
import { isTerminal } from '../model/state.ts';
import type { Task } from '../model/task.ts';
import type { Scope, TaskEvent, TaskRecord } from '../store/store.ts';
import { type Deferred, deferred } from '../support/deferred.ts';
import type { Core } from './core.ts';
import { taskOf } from './event-body.ts';
import type { News } from './feed.ts';
import { notFound } from './not-found.ts';

/** What a subscriber gets: events by number, or the whole task where there is no event to begin with. */
export type StreamItem =
  | TaskEvent
  /** The task with all events up to `number` in it. */
  | { readonly kind: 'snapshot'; readonly number: number; readonly task: Task }
  /** The answer of a task that was never made. */
  | { readonly kind: 'message'; readonly message: Message };

/** Events that wait for a slow reader in memory; if there are more, it reads them from the store. */
const MAX_BUFFERED = 512;
const MAX_BUFFERED_BYTES = 2 ** 20;
const PAGE = 256;

export interface StreamStart {
  /** The last number that the reader has. Without it, the stream begins with the task as it is. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Given by who has made the task, and may see it before others can: finds what it was dropped for. */
  readonly findReply?: (() => Promise<Message | undefined>) | undefined;
}

/**
 * The events of a task in order, without a gap or a double, in the batches in which they come. Ends after the last event
 * of the task. If it ends earlier, the reader can go on from its last number.
 */
export async function* subscribe(
  core: Core,
  scope: Scope,
  taskId: string,
  { after, signal, findReply }: StreamStart,
): AsyncGenerator<readonly StreamItem[], void> {
  const box = new Mailbox(core, taskId, signal, findReply);
  try {
    const stored = await core.store.read(scope, taskId, { artifacts: true });
    const message = stored === undefined ? await findReply?.() : undefined;
    if (message !== undefined) {
      yield [{ kind: 'message', message }];
      return;
    }
    if (stored === undefined || !(findReply !== undefined || stored.record.visible)) throw notFound(taskId);
    const { record } = stored;
    if (!record.visible) {
      yield* follow(core, box, record, 0);
    } else if (after === undefined || !isNumber(after) || after > record.lastEvent) {
      yield [{ kind: 'snapshot', number: record.lastEvent, task: taskOf(stored) }];
      yield* follow(core, box, record, record.lastEvent, true);
    } else {
      yield* follow(core, box, record, after);
    }
  } finally {
    box.close();
  }
}

/** Listens to a task that is about to be made. */
export interface Listening {
  /** Its events, from the first one on, once it is made. */
  readonly items: (record: TaskRecord) => AsyncGenerator<readonly StreamItem[], void>;
  readonly close: () => void;
}

export function listenToNew(
  core: Core,
  taskId: string,
  findReply: () => Promise<Message | undefined>,
  signal?: AbortSignal,
): Listening {
  const box = new Mailbox(core, taskId, signal, findReply);
  const close = (): void => box.close();
  return { items: (record) => closing(follow(core, box, record, 0), close), close };
}

/** Like a `finally`, but also for a reader who leaves before he has read anything: that does not start a generator. */
export function closing<T>(items: AsyncGenerator<T, void>, close: () => void): AsyncGenerator<T, void> {
  const closed = async (result: Promise<IteratorResult<T, void>>): Promise<IteratorResult<T, void>> => {
    try {
      const next = await result;
      if (next.done === true) close();
      return next;
    } catch (error) {
      close();
      throw error;
    }
  };
  const stream: AsyncGenerator<T, void> = {
    next: () => closed(items.next()),
    return: (value) => {
      close();
      return items.return(value);
    },
    throw: (error) => {
      close();
      return items.throw(error);
    },
    [Symbol.asyncIterator]: () => stream,
    [Symbol.asyncDispose]: async () => void (await stream.return()),
  };
  return stream;
}

async function* follow(
  core: Core,
  box: Mailbox,
  start: TaskRecord,
  after: number,
  hasTask = false,
): AsyncGenerator<readonly StreamItem[], void> {
  let record = start;
  let position = after;
  for (;;) {
    while (position < record.lastEvent) {
      const events = box.take(position) ?? (await core.store.events(record.id, position, PAGE));
      if (events.length > 0) {
        // A reader who began with the task has seen what its first event says.
        yield hasTask ? events.filter(({ kind }) => kind !== 'task') : events;
        position = events.at(-1)?.number ?? position;
      } else {
        // The events are gone, which only happens after the end: the task says it all.
        const stored = await core.store.read(record, record.id, { artifacts: true });
        if (stored === undefined) return;
        ({ record } = stored);
        yield [{ kind: 'snapshot', number: record.lastEvent, task: taskOf(stored) }];
        position = record.lastEvent;
      }
    }
    if (isTerminal(record.status.state)) return;
    const next = await box.next(record);
    if (next === undefined) return;
    if ('message' in next) {
      yield [{ kind: 'message', message: next.message }];
      return;
    }
    ({ record } = next);
  }
}

function isNumber(after: number): boolean {
  return Number.isSafeInteger(after) && after >= 0;
}

/** What one reader has heard and not read. */
class Mailbox {
  readonly #core: Core;
  readonly #stop: () => void;
  readonly #signal: AbortSignal | undefined;
  readonly #leave = (): void => this.#close();
  #buffer: TaskEvent[] = [];
  /** Of the buffer, or more: it is counted anew when it is empty. */
  #bytes = 0;
  #record: TaskRecord | undefined;
  #message: Message | undefined;
  #mustLook = false;
  #isClosed = false;
  #arrival: Deferred<void> | undefined;

  readonly #findReply: () => Promise<Message | undefined>;

  constructor(
    core: Core,
    taskId: string,
    signal?: AbortSignal,
    findReply = async (): Promise<Message | undefined> => undefined,
  ) {
    this.#core = core;
    this.#findReply = findReply;
    this.#stop = core.feed.listen(taskId, (news) => this.#hear(news));
    this.#signal = signal;
    signal?.addEventListener('abort', this.#leave, { once: true });
    if (signal?.aborted === true) this.#isClosed = true;
  }

  /** The events that follow a number, as far as it has them. */
  take(position: number): readonly TaskEvent[] | undefined {
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
          const message = await this.#findReply();
          return message && { message };
        }
        if (isNewer(stored.record, last)) return { record: stored.record };
        continue;
      }
      await (this.#arrival ??= deferred<void>()).promise;
    }
  }

  close(): void {
    this.#stop();
    this.#signal?.removeEventListener('abort', this.#leave);
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
