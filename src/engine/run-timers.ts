import type { Clock } from '../support/clock.ts';
import { deferred } from '../support/deferred.ts';
import type { Timers } from '../support/timers.ts';
import type { WorkClock } from './work-clock.ts';

export interface RunTimerTools {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly work: WorkClock;
}

/** The timers of one run; none outlives it. */
export class RunTimers {
  readonly #clock: Clock;
  readonly #all: Timers;
  readonly #run: { readonly state: string };
  #cancels: Set<() => void> | undefined;
  readonly #work: WorkClock;
  #disarm: (() => void) | undefined;
  /** When the run began to work, by the clock and in working time. */
  #begunAt = 0;
  #begunWork = 0;
  /** How long it had worked before. */
  #workedBefore = 0;
  #timeoutMs = 0;
  #onTimeout: (() => void) | undefined;
  /** Up to when its working time is recorded. */
  #recordedUpTo = 0;

  constructor({ clock, timers, work }: RunTimerTools, run: { readonly state: string }) {
    this.#clock = clock;
    this.#all = timers;
    this.#work = work;
    this.#run = run;
  }

  /** Nothing happens if the run is suspended by then: what is due is looked at when it goes on. */
  callAt(time: number, call: () => void): void {
    const cancels = (this.#cancels ??= new Set());
    const cancel = this.#all.add(time, () => {
      cancels.delete(cancel);
      if (this.#run.state === 'running') call();
    });
    cancels.add(cancel);
  }

  /** A short wait that does not outlive the process. */
  async delay(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = deferred<void>();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    this.callAt(this.#clock.now() + ms, resolve);
    await promise;
  }

  /** @param workedMs How long others have worked since the last pause. */
  armTimeout(ms: number, workedMs: number, call: () => void): void {
    this.#work.begin();
    this.#begunAt = this.#clock.now();
    this.#begunWork = this.#recordedUpTo = this.#work.now();
    this.#workedBefore = workedMs;
    this.#timeoutMs = ms;
    this.#onTimeout = call;
    this.#arm(this.#begunAt + ms - workedMs);
  }

  /** How long the task has worked since its last pause, here and on other nodes. */
  get workedMs(): number {
    return this.#workedBefore + this.#work.now() - this.#begunWork;
  }

  /** How much time has passed since the run began to work. */
  get passedMs(): number {
    return this.#clock.now() - this.#begunAt;
  }

  /** The working time since the last call of this. */
  takeWorkedMs(): number {
    const now = this.#work.now();
    const ms = Math.trunc(now - this.#recordedUpTo);
    this.#recordedUpTo += ms;
    return ms;
  }

  disarmTimeout(): void {
    if (this.#disarm === undefined) return;
    this.#disarm();
    this.#disarm = undefined;
    this.#work.end();
  }

  #arm(time: number): void {
    this.#disarm = this.#all.add(time, () => {
      // The clock may have jumped.
      const left = this.#timeoutMs - this.workedMs;
      if (left > 0) this.#arm(this.#clock.now() + left);
      else this.#onTimeout?.();
    });
  }

  clear(): void {
    this.disarmTimeout();
    if (this.#cancels === undefined) return;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }
}
