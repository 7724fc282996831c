import type { A2AError } from '../errors.ts';
import type { Message } from '../model/message.ts';
import type { Task } from '../model/task.ts';
import type { ReadProgress, TaskEvent, TaskProgress, TaskRecord } from '../store/store.ts';

/** What there is to tell about a task, after it is stored. */
export type News =
  /** A write of this node: the task as it is now, and its new events. */
  | {
      readonly kind: 'written';
      readonly record: TaskRecord;
      readonly events: readonly TaskEvent[];
      /** The whole task as it is stored now, from a writer who knows all of it. Asked for at once or not at all. */
      readonly task?: () => Task;
    }
  /** The task was dropped, this is its outcome. */
  | { readonly kind: 'replied'; readonly message: Message }
  /** The task was dropped elsewhere, perhaps for a message that is kept under the key of its request. */
  | { readonly kind: 'gone' }
  /** Something may have happened elsewhere: look into the store, unless this says what it was. */
  | { readonly kind: 'hint'; readonly progress?: TaskProgress | undefined }
  /** What was under way is lost or stopped; who only waits for it must not wait on. */
  | { readonly kind: 'interrupted'; readonly error: A2AError; /** The node shuts down. */ readonly isFinal?: true };

export type Listener = (news: News) => void;

/** Calls now and then, until the returned function is called. */
type NowAndThen = (call: () => void) => () => void;

/** Who on this node listens to which task. Nothing is kept: a listener that missed something finds it in the store. */
export class Feed {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #onPushed: () => void;
  readonly #nowAndThen: NowAndThen;
  #last: News | undefined;
  /** How many have had their turn in this round. */
  #turn = 0;

  /**
   * @param onPushed Called when something was stored of a task that has push configurations.
   * @param nowAndThen If each listener is to be told by himself to look into the store.
   */
  constructor(onPushed: () => void = () => {}, nowAndThen: NowAndThen = () => () => {}) {
    this.#onPushed = onPushed;
    this.#nowAndThen = nowAndThen;
  }

  /** How many tasks somebody listens to. */
  get size(): number {
    return this.#listeners.size;
  }

  /** The news is made up only if anybody listens. */
  written(record: TaskRecord, news: () => News): void {
    if (this.#listeners.has(record.id)) this.tell(record.id, news());
    else this.stored(record);
  }

  /** What a hint says is read only if anybody listens. */
  hint(taskId: string, progress?: ReadProgress): void {
    if (this.#listeners.has(taskId)) this.tell(taskId, { kind: 'hint', progress: progress?.() });
  }

  /** A task as it was just stored: who is to be told of it elsewhere may be told. */
  stored({ pushed }: TaskRecord): void {
    if (pushed === true) this.#onPushed();
  }

  listen(taskId: string, listener: Listener): () => void {
    if (this.#last !== undefined) listener(this.#last);
    const listeners = this.#listeners.get(taskId) ?? new Set();
    this.#listeners.set(taskId, listeners.add(listener));
    const stop = this.#nowAndThen(() => listener({ kind: 'hint' }));
    return () => {
      stop();
      if (listeners.delete(listener) && listeners.size === 0) this.#listeners.delete(taskId);
    };
  }

  tell(taskId: string, news: News): void {
    if (news.kind === 'written') this.stored(news.record);
    const listeners = this.#listeners.get(taskId);
    if (listeners !== undefined) for (const listener of listeners) listener(news);
  }

  /** Tells all who listen to anything. */
  tellAll(news: News): void {
    for (const taskId of this.#listeners.keys()) this.tell(taskId, news);
  }

  /** Tells those who listen to some of the tasks, each time to others, until all have had their turn. */
  tellSome(news: News, count: number): void {
    const taskIds = [...this.#listeners.keys()];
    const from = this.#turn < taskIds.length ? this.#turn : 0;
    for (const taskId of taskIds.slice(from, from + count)) this.tell(taskId, news);
    this.#turn = from + count;
  }

  /** As `tellAll`, also to those who come later: there will be no more. */
  close(news: News): void {
    this.#last = news;
    this.tellAll(news);
  }
}
