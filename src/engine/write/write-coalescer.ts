import type { Scheduler } from '../../support/time/scheduler.ts';

/** A writer with pending writes. */
export interface WriteCoalescer {
  writeGathered(): void;
  /** Handles an error of `writeGathered`. */
  fail(error: unknown): void;
}

/**
 * Combines the outputs of one turn of the event loop into one write per run, for all runs of a node at once. A run that has
 * written in the meantime removes itself, so that ended runs are not kept until the next turn.
 */
export class Gathering {
  readonly #scheduler: Scheduler;
  readonly #waiting = new Set<WriteCoalescer>();
  #isScheduled = false;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  add(gatherer: WriteCoalescer): void {
    this.#waiting.add(gatherer);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#scheduler.soon(() => this.#write());
  }

  remove(gatherer: WriteCoalescer): void {
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
        // One failing writer must not affect the others.
        one.fail(error);
      }
    }
  }
}
