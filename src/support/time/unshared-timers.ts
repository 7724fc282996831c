import type { Clock } from './clock.ts';
import type { Timers } from './timers.ts';

/**
 * Uses one timer of the clock per entry. On some hosts a timer ends with the request in which it was set: a shared timer
 * would be lost, and with it all entries that depend on it.
 */
export class UnsharedTimers implements Timers {
  readonly #clock: Clock;
  readonly #cancels = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(time: number, run: () => void): () => void {
    if (Number.isNaN(time)) throw new TypeError('The time of a timer is not a number');
    if (time === Number.POSITIVE_INFINITY) return () => {};
    const disarm = this.#clock.callAt(time, () => {
      this.#cancels.delete(cancel);
      run();
    });
    const cancel = (): void => {
      this.#cancels.delete(cancel);
      disarm();
    };
    this.#cancels.add(cancel);
    return cancel;
  }

  clear(): void {
    for (const cancel of this.#cancels) cancel();
  }
}
