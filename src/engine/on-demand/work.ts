import { type Deferred, deferred } from '../../support/deferred.ts';
import type { LeaveSignal } from '../../support/leave-signal.ts';
import type { EngineContext } from '../engine-context.ts';

/** Options of `OnDemand.work`. */
export interface WorkOptions {
  /** How long to work, in milliseconds. A run that is not settled by then is handed over. */
  readonly forMs: number;
  /** Ends the work early. */
  readonly signal?: LeaveSignal;
  /** Whether to stay until the end of the time even if the task is settled, because a caller waits for its outcome. */
  readonly lingers?: boolean;
  /** Whether to continue only a run that is already on this node. */
  readonly onlyHere?: boolean;
}

/** A period of time in which a node works on a task. */
export class Work {
  readonly taskId: string;
  readonly until: number;
  readonly lingers: boolean;
  readonly onlyHere: boolean;
  readonly #engine: EngineContext;
  readonly #stop = deferred<undefined>();
  readonly #disarm: () => void;
  readonly #signal: LeaveSignal | undefined;
  /** Whether the task is worked on, and not only what its work has left to do for others. */
  isActive = true;
  #isStopped = false;
  #news: Deferred<void> | undefined;
  #hasNews = false;

  constructor(
    engine: EngineContext,
    taskId: string,
    { forMs, signal, lingers = false, onlyHere = false }: WorkOptions,
  ) {
    this.#engine = engine;
    this.taskId = taskId;
    this.until = engine.clock.now() + forMs;
    this.lingers = lingers;
    this.onlyHere = onlyHere;
    this.#disarm = engine.timers.add(this.until, this.stop);
    this.#signal = signal;
    signal?.addEventListener('abort', this.stop, { once: true });
    if (signal?.aborted === true) this.stop();
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Resolves when the work is stopped. */
  get stopped(): Promise<undefined> {
    return this.#stop.promise;
  }

  readonly stop = (): void => {
    this.#isStopped = true;
    this.#disarm();
    this.#signal?.removeEventListener('abort', this.stop);
    this.#stop.resolve(undefined);
    this.#news?.resolve();
  };

  nudge(): void {
    this.#hasNews = true;
    this.#news?.resolve();
  }

  /**
   * Resolves at a time, when the work is stopped, or when there was a notification since the last pause, but for that not
   * before `newsFrom`.
   */
  async pause(time: number, newsFrom: number): Promise<void> {
    if (!this.#hasNews) await this.#pauseUntil(time, (this.#news = deferred<void>()));
    if (newsFrom > this.#engine.clock.now()) await this.#pauseUntil(newsFrom, deferred<void>());
    this.#hasNews = false;
  }

  async #pauseUntil(time: number, sooner: Deferred<void>): Promise<void> {
    if (this.#isStopped) return;
    const { timers } = this.#engine;
    const disarm = time === Number.POSITIVE_INFINITY ? undefined : timers.add(time, () => sooner.resolve());
    await Promise.race([sooner.promise, this.stopped]);
    disarm?.();
  }
}
