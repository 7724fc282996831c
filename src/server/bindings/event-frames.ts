import type { StreamItem } from '../../engine/stream/subscribe.ts';
import { withHistory } from '../../engine/tasks/task-page.ts';
import type { A2AError } from '../../errors.ts';
import type { StreamResponse } from '../../model/event.ts';
import { isTerminal, type TaskState } from '../../model/state.ts';
import type { Task } from '../../model/task.ts';
import { mayHoldUnknownMembers } from '../../model/unknown-members.ts';
import type { TaskEvent } from '../../store/store.ts';
import type { Dialect, StreamEncoder } from '../../wire/dialect.ts';
import { encodeSse } from '../../wire/sse/sse-encoder.ts';
import { renameEvent } from '../operations/aliases.ts';

/** The result of a streaming operation, before it is encoded in a dialect. */
export interface TaskEvents {
  /** Items that were already taken from `items`. */
  readonly first?: readonly StreamItem[];
  /** The events in batches. Can be iterated once. */
  readonly items: AsyncIterable<readonly StreamItem[]>;
  /** The name that the caller chose for the task, if any. */
  readonly alias: string | undefined;
  /** The number of messages to include in the first task. */
  readonly historyLength: number | undefined;
  /** Whether the stream ends when the task asks a question. */
  readonly endsAtQuestion: boolean;
  /** For a resumed stream: the task as the caller has already seen it. */
  readonly seen?: Task;
  /** Whether the initial task is sent as events instead of a snapshot. */
  readonly beginsWithEvents?: boolean;
  /** Runs after the last event, before the response ends, so that the process stays awake for it. May be called repeatedly. */
  readonly afterwards?: () => Promise<void>;
}

/** The text that a binding adds around each item of a stream, and its encoding of errors. */
export interface Envelope {
  readonly before: string;
  readonly after: string;
  /** The event name of errors, if they have one. */
  readonly errorName?: string;
  error(error: unknown): unknown;
  /** The wire form of an error that the caller may see as it is. */
  failure(error: A2AError): unknown;
  /** Whether streams end because the server is closing. */
  isGoingAway(): boolean;
}

/** Sent before a stream ends while its task continues. Clients reconnect for the rest. */
const GOING_AWAY = ': stream interrupted, reconnect with Last-Event-ID\nretry: 1000\n\n';

/** A piece is written as a whole, so a client that stops reading holds at most this and one event in memory. */
const PIECE_CHARACTERS = 64 * 1024;

const DONE: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined });

/**
 * Encodes a stream in a dialect, as pieces of `text/event-stream`: one for each batch of events, several for a large batch. Every event
 * has its public number as `id`. A stream that ends early ends with a hint to reconnect, or with an error.
 */
export class EventFrames implements AsyncIterableIterator<string, undefined> {
  readonly #items: AsyncIterator<readonly StreamItem[], unknown>;
  readonly #writer: FrameWriter;
  readonly #envelope: Envelope;
  readonly #afterwards: TaskEvents['afterwards'];
  readonly #onEnd: () => void;
  #batch: readonly StreamItem[] = [];
  #at = 0;
  #isOver = false;
  #isCutShort = false;

  /** `onEnd` is called once when the stream ends, for any reason. */
  constructor(events: TaskEvents, dialect: Dialect, envelope: Envelope, onEnd: () => void = () => {}) {
    this.#onEnd = onEnd;
    this.#afterwards = events.afterwards;
    this.#items = events.items[Symbol.asyncIterator]();
    this.#batch = events.first ?? [];
    this.#writer = new FrameWriter(events, dialect, envelope);
    this.#envelope = envelope;
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    if (this.#isOver) return this.#afterwards === undefined ? DONE : this.#done(this.#afterwards);
    try {
      for (;;) {
        const text = this.#piece();
        if (text !== '') return { done: false, value: text };
        const next = await this.#items.next();
        // Otherwise the stream had no further events from the start.
        if (next.done === true) {
          const isEarly = this.#isCutShort || this.#envelope.isGoingAway();
          return isEarly ? this.#last(GOING_AWAY) : await this.return();
        }
        this.#batch = next.value;
        this.#at = 0;
      }
    } catch (error) {
      const { errorName } = this.#envelope;
      const data = JSON.stringify(this.#envelope.error(error));
      return this.#last(encodeSse(errorName === undefined ? { data } : { data, event: errorName }));
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#end();
    const left = this.#items.return?.();
    if (this.#afterwards !== undefined) await this.#afterwards();
    await left;
    return DONE;
  }

  async #done(afterwards: () => Promise<void>): Promise<IteratorReturnResult<undefined>> {
    await afterwards();
    return DONE;
  }

  /** Ends the stream with the hint to reconnect, after the events that are already available. */
  cutShort(): void {
    this.#isCutShort = true;
    void this.#items.return?.();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next piece of the batch. Written items are released. */
  #piece(): string {
    let text = '';
    while (this.#at < this.#batch.length && text.length < PIECE_CHARACTERS) {
      const item = this.#batch[this.#at++];
      const next = this.#batch[this.#at];
      if (item !== undefined) text += this.#writer.frame(item, next);
      if (this.#writer.isOver) {
        this.#end();
        void this.#items.return?.();
        break;
      }
    }
    if (this.#at >= this.#batch.length) this.#batch = [];
    return text;
  }

  #last(text: string): IteratorYieldResult<string> {
    this.#end();
    return { done: false, value: text };
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd();
  }
}

/** Texts of stateless encoders: an event is serialised once for all subscribers of a task. */
const written = new WeakMap<StreamEncoder, WeakMap<TaskEvent, string>>();

class FrameWriter {
  isOver = false;
  readonly #alias: string | undefined;
  readonly #historyLength: number | undefined;
  readonly #endsAtQuestion: boolean;
  readonly #encoder: StreamEncoder;
  /** Whether stored events already have the format of this dialect. */
  readonly #writesBodies: boolean;
  readonly #envelope: Envelope;
  readonly #beginsWithEvents: boolean;
  readonly #streamErrorOf: Dialect['streamErrorOf'];
  readonly #shared: WeakMap<TaskEvent, string> | undefined;

  constructor(events: TaskEvents, dialect: Dialect, envelope: Envelope) {
    this.#alias = events.alias;
    this.#historyLength = events.historyLength;
    this.#endsAtQuestion = events.endsAtQuestion;
    this.#envelope = envelope;
    this.#beginsWithEvents = events.beginsWithEvents === true;
    this.#streamErrorOf = dialect.streamErrorOf;
    this.#writesBodies = dialect.isModel === true;
    this.#encoder = dialect.createStreamEncoder();
    if (this.#writesBodies) return;
    if (this.#encoder.isStateless === true && events.alias === undefined) this.#shared = sharedOf(this.#encoder);
    if (events.seen !== undefined) this.#encoder.encode(renameEvent({ task: events.seen }, events.alias), false);
  }

  /** The text of an item. Empty if the next item, already available, includes it. */
  frame(item: StreamItem, next: StreamItem | undefined): string {
    switch (item.kind) {
      case 'artifact':
        if (next?.kind === 'artifact' && this.#encoder.skip !== undefined) {
          this.#encoder.skip(renameEvent(JSON.parse(item.body) as StreamResponse, this.#alias));
          return '';
        }
        return this.#frameOf(item.number, this.#writesBodies ? item.body : this.#sharedText(item));
      case 'status': {
        const event = JSON.parse(item.body) as Extract<StreamResponse, { statusUpdate: unknown }>;
        this.isOver = this.#endsAt(event.statusUpdate.status.state);
        const error = this.#streamErrorOf?.(event);
        if (error !== undefined) return this.#failure(error, item.number);
        return this.#writesBodies ? this.#frameOf(item.number, item.body) : this.#encoded(event, item.number);
      }
      case 'task': {
        const historyLength = this.#historyLength;
        const mayWriteBody = this.#writesBodies && historyLength === undefined;
        if (mayWriteBody && !mayHoldUnknownMembers(item.body)) return this.#frameOf(item.number, item.body);
        const { task } = JSON.parse(item.body) as Extract<StreamResponse, { task: unknown }>;
        return this.#encoded({ task: withHistory(task, historyLength) }, item.number);
      }
      case 'snapshot': {
        const task = withHistory(item.task, this.#historyLength);
        this.isOver = this.#endsAt(task.status.state);
        return this.#beginsWithEvents ? this.#asEvents(task, item.number) : this.#encoded({ task }, item.number);
      }
      case 'message':
        this.isOver = true;
        return this.#encoded({ message: item.message }, undefined);
    }
  }

  /** Sends a task as events: its artifacts, then its status. */
  #asEvents({ id, contextId, status, artifacts = [] }: Task, number: number): string {
    const ids = { taskId: id, contextId: contextId ?? '' };
    const isOver = this.isOver;
    this.isOver = false;
    const updates = artifacts.map((artifact) => this.#encoded({ artifactUpdate: { ...ids, artifact } }, undefined));
    this.isOver = isOver;
    return updates.join('') + this.#encoded({ statusUpdate: { ...ids, status } }, number);
  }

  #failure(error: A2AError, number: number): string {
    const { errorName } = this.#envelope;
    const data = JSON.stringify(this.#envelope.failure(error));
    return encodeSse({ data, id: String(number), ...(errorName !== undefined && { event: errorName }) });
  }

  #endsAt(state: TaskState): boolean {
    return isTerminal(state) || (this.#endsAtQuestion && state === 'TASK_STATE_INPUT_REQUIRED');
  }

  /** The text of an event that is never the last one. */
  #sharedText(item: TaskEvent): string {
    const known = this.#shared?.get(item);
    if (known !== undefined) return known;
    const [encoded] = this.#encode(JSON.parse(item.body) as StreamResponse);
    const text = JSON.stringify(encoded);
    this.#shared?.set(item, text);
    return text;
  }

  #encode(event: StreamResponse): readonly unknown[] {
    const named = renameEvent(event, this.#alias);
    return this.#encoder.encode(named, this.isOver);
  }

  /** If a dialect needs several items for one event, only the last one has its number, so that a resumed stream misses none. */
  #encoded(event: StreamResponse, number: number | undefined): string {
    const items = this.#encode(event);
    const last = items.length - 1;
    return items.map((item, i) => this.#frameOf(i === last ? number : undefined, JSON.stringify(item))).join('');
  }

  /** JSON has no line breaks, so one `data` line is enough. */
  #frameOf(number: number | undefined, text: string): string {
    const { before, after } = this.#envelope;
    const head = number === undefined ? 'data: ' : `id: ${number}\ndata: `;
    return `${head}${before}${text}${after}\n\n`;
  }
}

function sharedOf(encoder: StreamEncoder): WeakMap<TaskEvent, string> {
  let texts = written.get(encoder);
  if (texts === undefined) written.set(encoder, (texts = new WeakMap()));
  return texts;
}
