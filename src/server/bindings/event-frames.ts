import type { StreamItem } from '../../engine/stream/subscribe.ts';
import { withHistory } from '../../engine/tasks/task-page.ts';
import type { A2AError } from '../../errors.ts';
import type { StreamResponse } from '../../model/event.ts';
import { isTerminal, type TaskState } from '../../model/state.ts';
import type { Task } from '../../model/task.ts';
import { mayHoldUnknownMembers } from '../../model/unknown-members.ts';
import type { TaskEvent } from '../../store/store.ts';
import type { Dialect, StreamEncoder } from '../../wire/dialect.ts';
import { renameEvent } from '../operations/aliases.ts';
import type { TaskEvents } from '../operations/operation.ts';

/** Writes the events of a stream as frames of one transport. Everything added since the last `take()` is one piece. */
export interface FrameWriter<Piece> {
  /** The approximate size of what was added, in characters. */
  readonly size: number;
  /** Adds an event as JSON, with its public number, if it has one. */
  event(json: string, number: number | undefined): void;
  /** Adds an error in place of an event, which the caller may see as it is. */
  failure(error: A2AError, number: number): void;
  /** Adds the error that ends the stream. */
  error(error: unknown): void;
  /** Adds a hint that the stream ends while its task continues, so that the client reconnects for the rest. */
  interrupted(): void;
  /** Removes and returns what was added; undefined if there is nothing. */
  take(): Piece | undefined;
}

/** A piece is written as a whole, so a client that stops reading holds at most this and one event in memory. */
const PIECE_CHARACTERS = 64 * 1024;

const DONE: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined });

/**
 * Encodes a stream in a dialect, as pieces of frames: one for each batch of events, several for a large batch. Every event has its
 * public number. A stream that ends early ends with a hint to reconnect, or with an error.
 */
export class EventFrames<Piece> implements AsyncIterableIterator<Piece, undefined> {
  readonly #items: AsyncIterator<readonly StreamItem[], unknown>;
  readonly #encoder: EventEncoder;
  readonly #writer: FrameWriter<Piece>;
  readonly #isGoingAway: () => boolean;
  readonly #afterwards: TaskEvents['afterwards'];
  readonly #onEnd: () => void;
  #batch: readonly StreamItem[] = [];
  #at = 0;
  #isOver = false;
  #isCutShort = false;

  /**
   * @param isGoingAway Whether streams end because the server is closing.
   * @param onEnd Called once when the stream ends, for any reason.
   */
  constructor(
    events: TaskEvents,
    dialect: Dialect,
    writer: FrameWriter<Piece>,
    isGoingAway: () => boolean,
    onEnd: () => void = () => {},
  ) {
    this.#onEnd = onEnd;
    this.#afterwards = events.afterwards;
    this.#items = events.items[Symbol.asyncIterator]();
    this.#batch = events.first ?? [];
    this.#encoder = new EventEncoder(events, dialect, writer);
    this.#writer = writer;
    this.#isGoingAway = isGoingAway;
  }

  async next(): Promise<IteratorResult<Piece, undefined>> {
    if (this.#isOver) return this.#afterwards === undefined ? DONE : this.#done(this.#afterwards);
    try {
      for (;;) {
        const piece = this.#piece();
        if (piece !== undefined) return { done: false, value: piece };
        const next = await this.#items.next();
        // Otherwise the stream had no further events from the start.
        if (next.done === true) {
          if (!this.#isCutShort && !this.#isGoingAway()) return await this.return();
          this.#writer.interrupted();
          return this.#last();
        }
        this.#batch = next.value;
        this.#at = 0;
      }
    } catch (error) {
      // Without the events before the error in the same piece.
      this.#writer.take();
      this.#writer.error(error);
      return this.#last();
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#end();
    const left = this.#items.return?.();
    if (this.#afterwards !== undefined) await this.#afterwards();
    await left;
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
  #piece(): Piece | undefined {
    while (this.#at < this.#batch.length && this.#writer.size < PIECE_CHARACTERS) {
      const item = this.#batch[this.#at++];
      const next = this.#batch[this.#at];
      if (item !== undefined) this.#encoder.encode(item, next);
      if (this.#encoder.isOver) {
        this.#end();
        void this.#items.return?.();
        break;
      }
    }
    if (this.#at >= this.#batch.length) this.#batch = [];
    return this.#writer.take();
  }

  #last(): IteratorResult<Piece, undefined> {
    this.#end();
    const value = this.#writer.take();
    return value === undefined ? DONE : { done: false, value };
  }

  async #done(afterwards: () => Promise<void>): Promise<IteratorReturnResult<undefined>> {
    await afterwards();
    return DONE;
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd();
  }
}

/** Texts of stateless encoders: an event is serialised once for all subscribers of a task. */
const written = new WeakMap<StreamEncoder, WeakMap<TaskEvent, string>>();

/** Encodes the events of a stream in a dialect. */
class EventEncoder {
  isOver = false;
  readonly #alias: string | undefined;
  readonly #historyLength: number | undefined;
  readonly #endsAtQuestion: boolean;
  readonly #encoder: StreamEncoder;
  /** Whether stored events already have the format of this dialect. */
  readonly #writesBodies: boolean;
  readonly #writer: FrameWriter<unknown>;
  readonly #beginsWithEvents: boolean;
  readonly #streamErrorOf: Dialect['streamErrorOf'];
  readonly #shared: WeakMap<TaskEvent, string> | undefined;

  constructor(events: TaskEvents, dialect: Dialect, writer: FrameWriter<unknown>) {
    this.#alias = events.alias;
    this.#historyLength = events.historyLength;
    this.#endsAtQuestion = events.endsAtQuestion;
    this.#writer = writer;
    this.#beginsWithEvents = events.beginsWithEvents === true;
    this.#streamErrorOf = dialect.streamErrorOf;
    this.#writesBodies = dialect.isModel === true;
    this.#encoder = dialect.createStreamEncoder();
    if (this.#writesBodies) return;
    if (this.#encoder.isStateless === true && events.alias === undefined) this.#shared = sharedOf(this.#encoder);
    if (events.seen !== undefined) this.#encoder.encode(renameEvent({ task: events.seen }, events.alias), false);
  }

  /** Writes an item, unless the next item, already available, includes it. */
  encode(item: StreamItem, next: StreamItem | undefined): void {
    switch (item.kind) {
      case 'artifact':
        if (next?.kind === 'artifact' && this.#encoder.skip !== undefined) {
          this.#encoder.skip(renameEvent(JSON.parse(item.body) as StreamResponse, this.#alias));
          return;
        }
        return this.#writer.event(this.#writesBodies ? item.body : this.#sharedText(item), item.number);
      case 'status': {
        const event = JSON.parse(item.body) as Extract<StreamResponse, { statusUpdate: unknown }>;
        this.isOver = this.#endsAt(event.statusUpdate.status.state);
        const error = this.#streamErrorOf?.(event);
        if (error !== undefined) return this.#writer.failure(error, item.number);
        return this.#writesBodies ? this.#writer.event(item.body, item.number) : this.#write(event, item.number);
      }
      case 'task': {
        const historyLength = this.#historyLength;
        const mayWriteBody = this.#writesBodies && historyLength === undefined;
        if (mayWriteBody && !mayHoldUnknownMembers(item.body)) return this.#writer.event(item.body, item.number);
        const { task } = JSON.parse(item.body) as Extract<StreamResponse, { task: unknown }>;
        return this.#write({ task: withHistory(task, historyLength) }, item.number);
      }
      case 'snapshot': {
        const task = withHistory(item.task, this.#historyLength);
        this.isOver = this.#endsAt(task.status.state);
        return this.#beginsWithEvents ? this.#writeAsEvents(task, item.number) : this.#write({ task }, item.number);
      }
      case 'message':
        this.isOver = true;
        return this.#write({ message: item.message }, undefined);
    }
  }

  /** Sends a task as events: its artifacts, then its status. */
  #writeAsEvents({ id, contextId, status, artifacts = [] }: Task, number: number): void {
    const ids = { taskId: id, contextId: contextId ?? '' };
    const isOver = this.isOver;
    this.isOver = false;
    for (const artifact of artifacts) this.#write({ artifactUpdate: { ...ids, artifact } }, undefined);
    this.isOver = isOver;
    this.#write({ statusUpdate: { ...ids, status } }, number);
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
  #write(event: StreamResponse, number: number | undefined): void {
    const items = this.#encode(event);
    const last = items.length - 1;
    for (let i = 0; i <= last; i++) this.#writer.event(JSON.stringify(items[i]), i === last ? number : undefined);
  }
}

function sharedOf(encoder: StreamEncoder): WeakMap<TaskEvent, string> {
  let texts = written.get(encoder);
  if (texts === undefined) written.set(encoder, (texts = new WeakMap()));
  return texts;
}
