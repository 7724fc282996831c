import type { Scheduler } from '../support/scheduler.ts';

/** Who has something to write, in a moment. */
export interface Gatherer {
  writeGathered(): void;
  /** Is told what it threw. */
  fail(error: unknown): void;
}

/**
 * Lets what is said in one turn of the event loop become one write, for all runs of a node in one go. Who has written by
 * himself meanwhile takes himself out, so that nothing that is over is kept until the loop turns.
 */
export class Gathering {
  readonly #scheduler: Scheduler;
  readonly #waiting = new Set<Gatherer>();
  #isScheduled = false;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  add(gatherer: Gatherer): void {
    this.#waiting.add(gatherer);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#scheduler.soon(() => this.#write());
  }

  remove(gatherer: Gatherer): void {
    this.#waiting.delete(gatherer);
  }

  #write(): void {
    this.#isScheduled = false;
    const all = [...this.#waiting];
    this.#waiting.clear();
    for (const one of all) {
      try {
        one.writeGathered();
      } catch (error) {
        // The others of this turn are not to suffer for it.
        one.fail(error);
      }
    }
  }
}
