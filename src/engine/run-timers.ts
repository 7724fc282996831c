import type { Clock } from '../support/clock.ts';
import { deferred } from '../support/deferred.ts';
import type { Timers } from '../support/timers.ts';

/** The timers of one run; none outlives it. */
export class RunTimers {
  readonly #clock: Clock;
  readonly #all: Timers;
  readonly #run: { readonly state: string };
  #cancels: Set<() => void> | undefined;
  #disarm: (() => void) | undefined;
  #begunAt = 0;

  constructor({ clock, timers }: { readonly clock: Clock; readonly timers: Timers }, run: { readonly state: string }) {
    this.#clock = clock;
    this.#all = timers;
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

  /** @param workedMs How long others have worked before. */
  armTimeout(ms: number, workedMs: number, call: () => void): void {
    this.#begunAt = this.#clock.now();
    this.#disarm = this.#all.add(this.#begunAt + ms - workedMs, call);
  }

  /** How long the run has worked since its last pause. */
  get workedMs(): number {
    return this.#clock.now() - this.#begunAt;
  }

  disarmTimeout(): void {
    this.#disarm?.();
  }

  clear(): void {
    this.#disarm?.();
    if (this.#cancels === undefined) return;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }
}
