import type { Clock } from '../../support/time/clock.ts';
import { cpuTimeMs } from '../../support/time/cpu-time.ts';
import type { Timers } from '../../support/time/timers.ts';

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
  /** The number of runs that are measured. */
  #runs = 0;
  /** Whether a tick is scheduled. After the last run there is one more, and none until the next run starts. */
  #isTicking = false;
  #counted = 0;
  #tickedAt = 0;
  #cpuAtTick: number | undefined;

  constructor({ clock, timers }: { readonly clock: Clock; readonly timers: Timers }, cpuMs = cpuTimeMs) {
    this.#clock = clock;
    this.#timers = timers;
    this.#cpuMs = cpuMs;
  }

  /** Call it when a run starts or resumes. */
  begin(): void {
    this.#runs += 1;
    if (!this.#isTicking) this.#arm();
  }

  /** Call it when a run ends or pauses. */
  end(): void {
    this.#runs -= 1;
  }

  /** The working time so far, in milliseconds from an arbitrary start. Valid only between `begin` and `end`. */
  now(): number {
    const passed = this.#clock.now() - this.#tickedAt;
    if (passed > TICK_MS) this.#tick();
    else if (passed > 0) return this.#counted + passed;
    return this.#counted;
  }

  #tick(): void {
    const now = this.#clock.now();
    const cpu = this.#cpuMs();
    const passed = Math.max(0, now - this.#tickedAt);
    const used = cpu === undefined || this.#cpuAtTick === undefined ? 0 : Math.trunc(cpu - this.#cpuAtTick);
    this.#counted += Math.min(passed, Math.max(TICK_MS, used));
    this.#tickedAt = now;
    this.#cpuAtTick = cpu;
  }

  #arm(): void {
    if (!this.#isTicking) {
      this.#isTicking = true;
      this.#tickedAt = this.#clock.now();
      this.#cpuAtTick = this.#cpuMs();
    }
    this.#timers.add(this.#tickedAt + TICK_MS, () => {
      this.#tick();
      if (this.#runs > 0) this.#arm();
      else this.#isTicking = false;
    });
  }
}
