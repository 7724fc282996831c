import type { A2AError } from '../../errors.ts';
import type { Message } from '../../model/message.ts';
import type { Task } from '../../model/task.ts';
import type { ReadProgress, TaskEvent, TaskProgress, TaskRecord } from '../../store/store.ts';

/** A notification about a stored task. */
export type FeedChange =
  /** A write of this node, with the stored task and its new events. */
  | {
      readonly kind: 'written';
      readonly record: TaskRecord;
      readonly events: readonly TaskEvent[];
      /** Returns the whole stored task, if the writer knows all of it. Must be called synchronously or not at all. */
      readonly task?: () => Task;
    }
  /** The task was dropped for this reply. */
  | { readonly kind: 'replied'; readonly message: Message }
  /** The task was dropped by another node, possibly for a reply that is stored under the key of its request. */
  | { readonly kind: 'gone' }
  /** Another node may have written. Read the store, unless the hint contains the progress. */
  | { readonly kind: 'hint'; readonly progress?: TaskProgress | undefined }
  /** The current run was lost or stopped, so waiting for its outcome must end. */
  | { readonly kind: 'interrupted'; readonly error: A2AError; /** The node shuts down. */ readonly isFinal?: true };

export type Subscriber = (change: FeedChange) => void;

/** Calls a function periodically until the returned function is called. */
type NowAndThen = (call: () => void) => () => void;

/**
 * The listeners of this node by task. Nothing is buffered: a listener that missed a notification finds the events in the
 * store.
 */
export class Feed {
  readonly #subscribers = new Map<string, Set<Subscriber>>();
  readonly #onPushed: () => void;
  readonly #nowAndThen: NowAndThen | undefined;
  #last: FeedChange | undefined;
  /** How many tasks were notified in this round. */
  #turn = 0;

  /**
   * @param onPushed Called when a task with push configurations was stored.
   * @param nowAndThen Set if each listener needs its own periodic hint to read the store.
   */
  constructor(onPushed: () => void = () => {}, nowAndThen?: NowAndThen) {
    this.#onPushed = onPushed;
    this.#nowAndThen = nowAndThen;
  }

  /** The number of tasks with listeners. */
  get size(): number {
    return this.#subscribers.size;
  }

  /** Notifies about a write. The notification is created only if there are listeners. */
  written(record: TaskRecord, change: () => FeedChange): void {
    if (this.#subscribers.has(record.id)) this.notify(record.id, change());
    else this.stored(record);
  }

  /** Notifies about a hint. Its progress is decoded only if there are listeners. */
  hint(taskId: string, progress?: ReadProgress): void {
    if (this.#subscribers.has(taskId)) this.notify(taskId, { kind: 'hint', progress: progress?.() });
  }

  /** Starts push deliveries for a task that was just stored. */
  stored({ pushed }: TaskRecord): void {
    if (pushed === true) this.#onPushed();
  }

  listen(taskId: string, subscriber: Subscriber): () => void {
    if (this.#last !== undefined) subscriber(this.#last);
    const subscribers = this.#subscribers.get(taskId) ?? new Set();
    this.#subscribers.set(taskId, subscribers.add(subscriber));
    const stop = this.#nowAndThen?.(() => subscriber({ kind: 'hint' }));
    return () => {
      stop?.();
      if (subscribers.delete(subscriber) && subscribers.size === 0) this.#subscribers.delete(taskId);
    };
  }

  notify(taskId: string, change: FeedChange): void {
    if (change.kind === 'written') this.stored(change.record);
    const subscribers = this.#subscribers.get(taskId);
    if (subscribers !== undefined) for (const subscriber of subscribers) subscriber(change);
  }

  /** Notifies all listeners. */
  notifyAll(change: FeedChange): void {
    for (const taskId of this.#subscribers.keys()) this.notify(taskId, change);
  }

  /** Notifies the listeners of some tasks, of others with each call, until all had their turn. */
  notifySome(change: FeedChange, count: number): void {
    const taskIds = [...this.#subscribers.keys()];
    const from = this.#turn < taskIds.length ? this.#turn : 0;
    for (const taskId of taskIds.slice(from, from + count)) this.notify(taskId, change);
    this.#turn = from + count;
  }

  /** Notifies all listeners, and every later listener as soon as it is added. */
  close(change: FeedChange): void {
    this.#last = change;
    this.notifyAll(change);
  }
}
