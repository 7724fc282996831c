import type { JournalKind } from './journal.ts';
import { Recall } from './recall.ts';
import type { Run } from './run.ts';
import type { Noted } from './task-writer.ts';

/**
 * The order in which a handler gets what its journal has, at the first attempt and at every later one: by number, so that
 * whatever won a race wins it again.
 */
export class RunOrder {
  readonly #run: Run;
  readonly #recall: Recall;

  constructor(run: Run) {
    this.#run = run;
    this.#recall = new Recall(run.env.scheduler, () => {
      if (run.state !== 'running') return;
      run.waits.settle();
      run.pauses.restLater();
    });
  }

  /** Something that is stored has still to come about, or did so just now. */
  get isBusy(): boolean {
    return this.#recall.isBusy;
  }

  /** Resolves when it is the turn of an entry of the journal to come about again. */
  again(kind: JournalKind, key: string): Promise<void> {
    return this.#run.pauses.busy(() => this.#recall.turn(this.#run.journal.numberOf(kind, key)));
  }

  /** Resolves when it is the turn of what was stored just now: at once, if it is alone and nothing is before it. */
  first({ number, isAlone }: Noted): Promise<void> | undefined {
    return isAlone && !this.isBusy ? undefined : this.#recall.turn(number);
  }
}
