import type { Scheduler } from '../../support/time/scheduler.ts';

interface Turn {
  readonly number: number;
  readonly give: () => void;
}

/**
 * Delivers recorded results to a handler in their original order, one per turn of the event loop. Otherwise a race could
 * have a different winner at each replay.
 */
export class ReplayQueue {
  readonly #scheduler: Scheduler;
  readonly #onIdle: () => void;
  /** Sorted by number. */
  readonly #turns: Turn[] = [];
  #isGiving = false;

  /** @param onIdle Called when all requested results are delivered, so that unrecorded events may happen now. */
  constructor(scheduler: Scheduler, onIdle: () => void) {
    this.#scheduler = scheduler;
    this.#onIdle = onIdle;
  }

  /** Whether a requested result is still to be delivered, or was delivered in this turn. */
  get isBusy(): boolean {
    return this.#isGiving;
  }

  /** Resolves when the entry with this number is next. */
  turn(number: number): Promise<void> {
    return new Promise((give) => {
      this.#turns.splice(this.#turns.findLastIndex((other) => other.number <= number) + 1, 0, { number, give });
      if (!this.#isGiving) this.#giveLater();
    });
  }

  /** In a later turn, when the handler has requested everything that it waits for at this point. */
  #giveLater(): void {
    this.#isGiving = true;
    this.#scheduler.soon(() => {
      const next = this.#turns.shift();
      if (next !== undefined) {
        next.give();
        this.#giveLater();
        return;
      }
      this.#isGiving = false;
      this.#onIdle();
    });
  }
}
