import type { Clock } from '../support/clock.ts';
import { cpuTimeMs } from '../support/cpu-time.ts';
import type { Timers } from '../support/timers.ts';

const TICK_MS = 1000;

/**
 * Measures working time: the time in which this process could run. A laptop that is closed, a process that is stopped and a
 * clock that is set forward let other clocks jump, and would time out every running task.
 *
 * It adds up ticks of at most a second. A tick that comes late counts as one second, unless the process has used CPU for
 * more: then it was late because a handler kept the event loop busy.
 */
export class WorkClock {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #cpuMs: () => number | undefined;
  /** How many runs are measured. */
  #runs = 0;
  /** Whether a tick is to come. After the last run there is one more, and none until the next run begins. */
  #isTicking = false;
  #counted = 0;
  #tickedAt = 0;
  #cpuAtTick: number | undefined;

  constructor({ clock, timers }: { readonly clock: Clock; readonly timers: Timers }, cpuMs = cpuTimeMs) {
    this.#clock = clock;
    this.#timers = timers;
    this.#cpuMs = cpuMs;
  }

  /** A run begins or resumes. */
  begin(): void {
    this.#runs += 1;
    if (!this.#isTicking) this.#arm();
  }

  /** A run ends or pauses. */
  end(): void {
    this.#runs -= 1;
  }

  /** The working time so far, in milliseconds from an arbitrary start. Only for those between `begin` and `end`. */
  now(): number {
    return this.#counted + this.#sinceTick();
  }

  #sinceTick(): number {
    const passed = Math.max(0, this.#clock.now() - this.#tickedAt);
    if (passed <= TICK_MS) return passed;
    const cpu = this.#cpuMs();
    const used = cpu === undefined ? 0 : cpu - (this.#cpuAtTick ?? cpu);
    return Math.min(passed, Math.max(TICK_MS, Math.trunc(used)));
  }

  #arm(): void {
    this.#isTicking = true;
    this.#tickedAt = this.#clock.now();
    this.#cpuAtTick = this.#cpuMs();
    this.#timers.add(this.#tickedAt + TICK_MS, () => {
      this.#counted += this.#sinceTick();
      this.#isTicking = false;
      if (this.#runs > 0) this.#arm();
    });
  }
}
