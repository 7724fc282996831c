import type { JournalKind } from '../replay/journal.ts';
import { ReplayQueue } from '../replay/replay-queue.ts';
import type { Run } from './run.ts';
import type { Noted } from '../write/task-writer.ts';

/**
 * Delivers journal entries to the handler by number, in the first run and in every replay, so that a race always has the
 * same winner.
 */
export class RunOrder {
  readonly #run: Run;
  readonly #replayQueue: ReplayQueue;

  constructor(run: Run) {
    this.#run = run;
    this.#replayQueue = new ReplayQueue(run.env.scheduler, () => {
      if (run.state !== 'running') return;
      run.waits.settle();
      run.pauses.pauseLater();
    });
  }

  /** Whether a stored entry is still to be delivered, or was delivered in this turn. */
  get isBusy(): boolean {
    return this.#replayQueue.isBusy;
  }

  /** Resolves when a recorded entry is next in the replay. */
  again(kind: JournalKind, key: string): Promise<void> {
    return this.#run.pauses.busy(() => this.#replayQueue.turn(this.#run.journal.numberOf(kind, key)));
  }

  /** Resolves when an entry that was just stored is next; `undefined` if it is alone and nothing precedes it. */
  first({ number, isAlone }: Noted): Promise<void> | undefined {
    return isAlone && !this.isBusy ? undefined : this.#replayQueue.turn(number);
  }
}
