import type { Clock } from '../../support/time/clock.ts';
import type { FakeClock } from '../fake-clock.ts';

/** The clock of one simulated process. Its timers end with the process, and the next one is known. */
export class ProcessClock implements Clock {
  readonly #clock: FakeClock;
  readonly #timers = new Map<object, { readonly time: number; readonly cancel: () => void }>();
  #isDead = false;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  readonly now = (): number => this.#clock.now();

  readonly callAt = (time: number, run: () => void): (() => void) => {
    if (this.#isDead) return () => {};
    const key = {};
    const cancel = this.#clock.callAt(time, () => {
      this.#timers.delete(key);
      run();
    });
    this.#timers.set(key, { time, cancel });
    return () => {
      cancel();
      this.#timers.delete(key);
    };
  };

  /** When the next timer is due. */
  get nextDue(): number {
    return Math.min(...Array.from(this.#timers.values(), ({ time }) => time));
  }

  /** Cancels all timers, as the end of a process does. */
  kill(): void {
    this.#isDead = true;
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}
