import type { Message } from '../model/message.ts';
import { isPaused, isTerminal, type TaskState } from '../model/state.ts';
import type { Task } from '../model/task.ts';
import type { Scope, TaskRecord } from '../store/store.ts';
import { type Deferred, deferred } from '../support/deferred.ts';
import type { Core } from './core.ts';
import type { News } from './feed.ts';
import type { LeaveSignal } from '../support/leave-signal.ts';

/** What a caller who waits for a task gets. */
export type Rest =
  /** It has ended, or waits for its caller. */
  | { readonly kind: 'resting'; readonly record: TaskRecord; /** If it need not be read. */ readonly task?: Task }
  | { readonly kind: 'replied'; readonly message: Message }
  /** It is not there any more: dropped for a reply on another node, or removed. */
  | { readonly kind: 'gone' }
  /** The caller has waited long enough, or has left. */
  | { readonly kind: 'late' };

/** Listens from the moment it is made, so that nothing is missed before `wait` is called. */
export class RestWaiter {
  readonly #core: Core;
  readonly #scope: Scope;
  readonly #taskId: string;
  readonly #start: number;
  readonly #rest = deferred<Rest>();
  readonly #stop: () => void;
  #reply: Deferred<Message | undefined> | undefined;
  #hasReply = false;
  #isWaiting = false;
  #mustLook = false;

  readonly #isRest: (state: TaskState) => boolean;
  readonly #since: number;

  /** @param since The number of the last event that the caller knows of: news of an earlier rest are old. */
  constructor(core: Core, scope: Scope, taskId: string, since = 0, isRest: (state: TaskState) => boolean = isAtRest) {
    this.#isRest = isRest;
    this.#since = since;
    this.#core = core;
    this.#scope = scope;
    this.#taskId = taskId;
    this.#start = core.clock.now();
    this.#stop = core.feed.listen(taskId, (news) => this.#hear(news));
  }

  /** @param maxWaitMs Counts from the moment at which it was made. */
  async wait(maxWaitMs: number, signal?: LeaveSignal): Promise<Rest> {
    this.#isWaiting = true;
    if (this.#mustLook) void this.look();
    const leave = (): void => this.#rest.resolve({ kind: 'late' });
    const { timers, clock } = this.#core;
    const end = this.#start + maxWaitMs;
    if (end <= clock.now()) leave();
    const disarm = timers.add(end, leave);
    signal?.addEventListener('abort', leave, { once: true });
    if (signal?.aborted === true) leave();
    try {
      return await this.#rest.promise;
    } finally {
      disarm();
      signal?.removeEventListener('abort', leave);
    }
  }

  get hasReply(): boolean {
    return this.#hasReply;
  }

  /**
   * The answer, also after the end of patience, as long as it is not closed. For a task that is gone, and ran here; nothing if
   * it ended elsewhere after all.
   */
  get reply(): Promise<Message | undefined> {
    return this.#replied.promise;
  }

  /** Asks the store, for what happened before the listening began or on other nodes. */
  async look(): Promise<void> {
    try {
      const stored = await this.#core.store.read(this.#scope, this.#taskId, { history: 0 });
      if (stored === undefined) this.#rest.resolve({ kind: 'gone' });
      else this.#see(stored.record);
    } catch (error) {
      this.#rest.reject(error);
    }
  }

  close(): void {
    this.#stop();
  }

  /** Made when it is needed, which it seldom is. */
  get #replied(): Deferred<Message | undefined> {
    return (this.#reply ??= deferred<Message | undefined>());
  }

  #hear(news: News): void {
    switch (news.kind) {
      case 'written':
        this.#see(news.record, news.task);
        break;
      case 'replied':
        this.#hasReply = true;
        this.#replied.resolve(news.message);
        this.#rest.resolve(news);
        break;
      case 'gone':
        this.#replied.resolve(undefined);
        this.#rest.resolve(news);
        break;
      case 'hint':
        if (news.progress !== undefined && !this.#isRest(news.progress.status.state)) break;
        // Before somebody waits the task may not even be stored.
        if (this.#isWaiting) void this.look();
        else this.#mustLook = true;
        break;
      case 'interrupted':
        this.#rest.reject(news.error);
        this.#replied.reject(news.error);
    }
  }

  #see(record: TaskRecord, task?: () => Task): void {
    if (record.lastEvent < this.#since || !this.#isRest(record.status.state)) return;
    this.#rest.resolve(task === undefined ? { kind: 'resting', record } : { kind: 'resting', record, task: task() });
  }
}

/** Nothing will happen by itself: it has ended, or waits for its caller. */
function isAtRest(state: TaskState): boolean {
  return isTerminal(state) || isPaused(state);
}
