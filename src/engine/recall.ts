import type { Scheduler } from '../support/scheduler.ts';

interface Turn {
  readonly number: number;
  readonly give: () => void;
}

/**
 * Gives a handler what its journal remembers in the order in which it once came about, one thing in a turn of the event
 * loop: what was faster then must be faster now, or a race would have another winner at each attempt.
 */
export class Recall {
  readonly #scheduler: Scheduler;
  readonly #onIdle: () => void;
  /** By number. */
  readonly #turns: Turn[] = [];
  #isGiving = false;

  /** @param onIdle Called when all that was asked for is given: what is not in the journal may happen now. */
  constructor(scheduler: Scheduler, onIdle: () => void) {
    this.#scheduler = scheduler;
    this.#onIdle = onIdle;
  }

  /** Something that was asked for is still to be given, or was given just now. */
  get isBusy(): boolean {
    return this.#isGiving;
  }

  /** Resolves when it is the turn of the entry with this number. */
  turn(number: number): Promise<void> {
    return new Promise((give) => {
      this.#turns.splice(this.#turns.findLastIndex((other) => other.number <= number) + 1, 0, { number, give });
      if (!this.#isGiving) this.#giveLater();
    });
  }

  /** Later, when the handler has asked for all that it waits for at this point. */
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
