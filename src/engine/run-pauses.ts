import { nextTurn } from '../support/scheduler.ts';
import type { Run } from './run.ts';
import type { RunWaits } from './run-waits.ts';
import type { TaskWriter } from './task-writer.ts';
import type { Decision } from './write-batch.ts';

/** Puts a run to rest while its handler only waits, for an answer or a timer. */
export class RunPauses {
  readonly #run: Run;
  readonly #writer: TaskWriter;
  readonly #waits: RunWaits;
  #busy = 0;
  #pending: Promise<void> | undefined;
  #decision: Decision = {};

  constructor(run: Run, writer: TaskWriter, waits: RunWaits) {
    this.#run = run;
    this.#writer = writer;
    this.#waits = waits;
  }

  /** Runs work that needs the run to go on: it is not suspended meanwhile. */
  async busy<T>(work: () => Promise<T>): Promise<T> {
    this.#busy++;
    try {
      return await work();
    } finally {
      this.#busy--;
      if (this.#busy === 0) this.restLater();
    }
  }

  /** Stores a wait, with all waits of the moment, and suspends the run if nothing else is under way. */
  pause(decision: Decision): Promise<void> {
    const journal = [...(this.#decision.journal ?? []), ...(decision.journal ?? [])];
    this.#decision = { ...this.#decision, ...decision, journal };
    // A turn later, when the handler has come to rest: who suspends it while it goes on loses what it does next.
    return (this.#pending ??= nextTurn(this.#run.env.scheduler).then(() => this.#commit()));
  }

  /** Suspends it in a while, unless the handler has found something else to do by then. */
  restLater(): void {
    // Whoever begins to wait later does not need it.
    if (!this.#waits.isWaiting) return;
    this.#run.env.scheduler.soon(() => {
      const { state, isOver, isCanceling } = this.#run;
      if (state !== 'running' || isOver || isCanceling) return;
      if (this.#continues || this.#pending !== undefined) return;
      if (!this.#writer.isIdle)
        this.#writer.stored().then(
          () => this.restLater(),
          () => {},
        );
      else this.#suspend({}).catch(() => {});
    });
  }

  /**
   * The handler does not only wait. While the journal still delivers what it has, sleeps that are over are not settled:
   * a run that was suspended at that moment would be replayed to the same point, and suspended again, for ever.
   */
  get #continues(): boolean {
    return this.#busy > 0 || this.#run.order.isBusy || this.#waits.isAsking || !this.#waits.isWaiting;
  }

  async #commit(): Promise<void> {
    const decision = this.#decision;
    this.#decision = {};
    this.#pending = undefined;
    if (this.#run.isLeft) await new Promise(() => {});
    this.#run.assertRunning();
    if (this.#run.state === 'running') this.#waits.settle();
    // A short sleep may be over before it is stored: then there is nothing that would wake the run.
    if (this.#continues ? await this.#writer.decide(decision) : await this.#suspend(decision)) return;
    // A cancel came first, then there is nothing to wait for; or an answer, then what is waited for is still to be stored.
    this.#run.assertMayWait();
    await this.#writer.stored();
  }

  async #suspend(decision: Decision): Promise<boolean> {
    const wakeAt = Math.min(this.#waits.wakeAt, Number.MAX_SAFE_INTEGER);
    // An answer that came first has woken the task: it must not be put to sleep over it.
    const { openKey } = this.#waits;
    const open = decision.question === undefined && openKey !== undefined ? { ifOpen: openKey } : {};
    const stance = decision.status === undefined ? this.#waits.stance(this.#run.record) : {};
    const isDecided = await this.#writer.decide({ ...stance, ...decision, ...open, release: true, wakeAt });
    this.#run.env.faultPoint('after-suspend');
    if (isDecided && this.#writer.lease === undefined) this.#run.suspended();
    // A message that came meanwhile has woken it too early.
    if (isDecided ? this.#writer.hasUnheard : !this.#run.isCanceling) this.#run.env.onWakeWanted(this.#run);
    return isDecided;
  }
}
