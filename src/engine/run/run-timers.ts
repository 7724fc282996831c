import { deferred } from '../../support/deferred.ts';
import type { EngineContext } from '../engine-context.ts';

/** The timers of one run; none outlives it. */
export class RunTimers {
  readonly #engine: EngineContext;
  readonly #run: { readonly isAwake: boolean };
  #cancels: Set<() => void> | undefined;
  #disarm: (() => void) | undefined;
  /** When the run started to work, by the clock and in working time. */
  #begunAt = 0;
  #begunWork = 0;
  /** The working time of earlier runs. */
  #workedBefore = 0;
  #timeoutMs = 0;
  #onTimeout: (() => void) | undefined;
  /** The working time up to which the journal has records. */
  #recordedUpTo = 0;

  constructor(engine: EngineContext, run: { readonly isAwake: boolean }) {
    this.#engine = engine;
    this.#run = run;
  }

  /** Calls a function at a time, unless the run is suspended by then: due timers are checked when it resumes. */
  callAt(time: number, call: () => void): void {
    const cancels = (this.#cancels ??= new Set());
    const cancel = this.#engine.timers.add(time, () => {
      cancels.delete(cancel);
      if (this.#run.isAwake) call();
    });
    cancels.add(cancel);
  }

  /** A short wait that does not survive the process. */
  async delay(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = deferred<void>();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    this.callAt(this.#engine.clock.now() + ms, resolve);
    await promise;
  }

  /** @param workedMs The working time of earlier runs since the last pause. */
  armTimeout(ms: number, workedMs: number, call: () => void): void {
    this.#engine.work.begin();
    this.#begunAt = this.#engine.clock.now();
    this.#begunWork = this.#recordedUpTo = this.#engine.work.now();
    this.#workedBefore = workedMs;
    this.#timeoutMs = ms;
    this.#onTimeout = call;
    this.#arm(this.#begunAt + ms - workedMs);
  }

  /** The working time of the task since its last pause, on all nodes. */
  get workedMs(): number {
    return this.#workedBefore + this.#engine.work.now() - this.#begunWork;
  }

  /** The time since the run started to work. */
  get passedMs(): number {
    return this.#engine.clock.now() - this.#begunAt;
  }

  /** The working time since the last call. */
  takeWorkedMs(): number {
    const now = this.#engine.work.now();
    const ms = Math.trunc(now - this.#recordedUpTo);
    this.#recordedUpTo += ms;
    return ms;
  }

  disarmTimeout(): void {
    if (this.#disarm === undefined) return;
    this.#disarm();
    this.#disarm = undefined;
    this.#engine.work.end();
  }

  #arm(time: number): void {
    this.#disarm = this.#engine.timers.add(time, () => {
      // The clock may have jumped.
      const left = this.#timeoutMs - this.workedMs;
      if (left > 0) this.#arm(this.#engine.clock.now() + left);
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
