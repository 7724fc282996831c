import type { Message } from '../../model/message.ts';
import { isPaused, isTerminal, type TaskState } from '../../model/state.ts';
import type { Task } from '../../model/task.ts';
import type { Scope, TaskRecord } from '../../store/store.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import type { EngineContext } from '../engine-context.ts';
import type { FeedChange } from '../stream/feed.ts';
import type { LeaveSignal } from '../../support/leave-signal.ts';

/** The outcome for a caller that waits for a task. */
export type Settled =
  /** The task has ended or waits for its caller. */
  | { readonly kind: 'settled'; readonly record: TaskRecord; /** If it need not be read. */ readonly task?: Task }
  | { readonly kind: 'replied'; readonly message: Message }
  /** The task no longer exists: another node dropped it for a reply, or it was removed. */
  | { readonly kind: 'gone' }
  /** The waiting time is over, or the caller has disconnected. */
  | { readonly kind: 'late' };

/** Waits until a task settles. Listens from its creation on, so that nothing is missed before `wait` is called. */
export class SettleWaiter {
  readonly #engine: EngineContext;
  readonly #scope: Scope;
  readonly #taskId: string;
  readonly #start: number;
  readonly #settled = deferred<Settled>();
  readonly #stop: () => void;
  #leave: (() => void) | undefined;
  #signal: LeaveSignal | undefined;
  #disarm: (() => void) | undefined;
  #reply: Deferred<Message | undefined> | undefined;
  #hasReply = false;
  #isWaiting = false;
  #isStale = false;

  readonly #isSettled: (state: TaskState) => boolean;
  #since: number | 'unknown';

  /**
   * @param since The number of the last event that the caller knows: notifications about earlier states are ignored. If it
   * is not known yet, call `start` before `wait`.
   */
  constructor(
    engine: EngineContext,
    scope: Scope,
    taskId: string,
    since: number | 'unknown' = 0,
    isSettled: (state: TaskState) => boolean = hasSettled,
  ) {
    this.#isSettled = isSettled;
    this.#since = since;
    this.#engine = engine;
    this.#scope = scope;
    this.#taskId = taskId;
    this.#start = engine.clock.now();
    this.#stop = engine.feed.listen(taskId, (change) => this.#receive(change));
  }

  /** Counts from a stored state on, which may be settled itself. */
  start(record: TaskRecord): void {
    this.#since = record.lastEvent;
    this.#observe(record);
  }

  /** Call `close` after it. @param maxWaitMs Counts from the creation of the waiter. */
  wait(maxWaitMs: number, signal?: LeaveSignal): Promise<Settled> {
    this.#isWaiting = true;
    if (this.#isStale) void this.poll();
    const leave = (): void => this.#settled.resolve({ kind: 'late' });
    const { timers, clock } = this.#engine;
    const end = this.#start + maxWaitMs;
    if (end <= clock.now()) leave();
    else this.#disarm = timers.add(end, leave);
    this.#leave = leave;
    this.#signal = signal;
    signal?.addEventListener('abort', leave, { once: true });
    if (signal?.aborted === true) leave();
    return this.#settled.promise;
  }

  get hasReply(): boolean {
    return this.#hasReply;
  }

  /**
   * The reply, even after the waiting time, until the waiter is closed. For a dropped task that ran on this node;
   * `undefined` if it ended on another node.
   */
  get reply(): Promise<Message | undefined> {
    return this.#replied.promise;
  }

  /** Reads the store, because the task may have settled before the waiter listened, or on another node. */
  async poll(): Promise<void> {
    try {
      const stored = await this.#engine.store.read(this.#scope, this.#taskId, { history: 0 });
      if (stored === undefined) this.#settled.resolve({ kind: 'gone' });
      else this.#observe(stored.record);
    } catch (error) {
      this.#settled.reject(error);
    }
  }

  close(): void {
    this.#stop();
    this.#disarm?.();
    if (this.#leave !== undefined) this.#signal?.removeEventListener('abort', this.#leave);
  }

  /** Created on first use, which is rare. */
  get #replied(): Deferred<Message | undefined> {
    return (this.#reply ??= deferred<Message | undefined>());
  }

  #receive(change: FeedChange): void {
    switch (change.kind) {
      case 'written':
        this.#observe(change.record, change.task);
        break;
      case 'replied':
        this.#hasReply = true;
        this.#replied.resolve(change.message);
        this.#settled.resolve(change);
        break;
      case 'gone':
        this.#replied.resolve(undefined);
        this.#settled.resolve(change);
        break;
      case 'hint':
        if (change.progress !== undefined && !this.#isSettled(change.progress.status.state)) break;
        // Before `wait` is called, the task may not be stored yet.
        if (this.#isWaiting) void this.poll();
        else this.#isStale = true;
        break;
      case 'interrupted':
        // Another run was interrupted, before the write that this waiter is about.
        if (this.#since === 'unknown' && change.isFinal !== true) break;
        this.#settled.reject(change.error);
        this.#replied.reject(change.error);
    }
  }

  #observe(record: TaskRecord, task?: () => Task): void {
    if (!this.#isSettled(record.status.state)) return;
    if (this.#since === 'unknown') this.#isStale = true;
    if (this.#since === 'unknown' || record.lastEvent < this.#since) return;
    this.#settled.resolve(task === undefined ? { kind: 'settled', record } : { kind: 'settled', record, task: task() });
  }
}

/** Whether a task is settled: it has ended, or waits for its caller. */
function hasSettled(state: TaskState): boolean {
  return isTerminal(state) || isPaused(state);
}
