import { nextTurn } from '../../support/time/scheduler.ts';
import type { Run } from './run.ts';
import type { RunWaits } from './run-waits.ts';
import type { TaskWriter } from '../write/task-writer.ts';
import type { Decision } from '../write/write-batch.ts';

/** Suspends a run while its handler only waits for an answer or a timer. */
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

  /** Runs work during which the run must not be suspended. */
  async busy<T>(work: () => Promise<T>): Promise<T> {
    this.#busy++;
    try {
      return await work();
    } finally {
      this.#busy--;
      if (this.#busy === 0) this.pauseLater();
    }
  }

  /** Stores a wait together with all other waits of this turn, and suspends the run if nothing else is in progress. */
  pause(decision: Decision): Promise<void> {
    const journal = [...(this.#decision.journal ?? []), ...(decision.journal ?? [])];
    this.#decision = { ...this.#decision, ...decision, journal };
    // In the next turn, when the handler only waits. Suspending it earlier would lose what it does next.
    return (this.#pending ??= nextTurn(this.#run.env.scheduler).then(() => this.#commit()));
  }

  /** Suspends the run in a later turn, unless the handler has other work by then. */
  pauseLater(): void {
    // Waits that start later suspend the run themselves.
    if (!this.#waits.isWaiting) return;
    this.#run.env.scheduler.soon(() => {
      const { state, isOver, isCanceling } = this.#run;
      if (state !== 'running' || isOver || isCanceling) return;
      if (this.#continues || this.#pending !== undefined) return;
      if (!this.#writer.isIdle)
        this.#writer.stored().then(
          () => this.pauseLater(),
          () => {},
        );
      else this.#suspend({}).catch(() => {});
    });
  }

  /**
   * Whether the handler does more than wait. During a replay, ended sleeps are not settled: a run that was suspended at
   * that moment would be replayed to the same point and suspended again, forever.
   */
  get #continues(): boolean {
    return this.#busy > 0 || this.#run.order.isBusy || this.#waits.isAsking || !this.#waits.isWaiting;
  }

  async #commit(): Promise<void> {
    const decision = this.#decision;
    this.#decision = {};
    this.#pending = undefined;
    if (this.#run.isAbandoned) await new Promise(() => {});
    this.#run.assertRunning();
    if (this.#run.state === 'running') this.#waits.settle();
    // A short sleep may be over before it is stored; then nothing would wake the run.
    if (this.#continues ? await this.#writer.decide(decision) : await this.#suspend(decision)) return;
    // Either a cancel came first, so there is nothing to wait for, or an answer did, and the wait is still to be stored.
    this.#run.assertMayWait();
    await this.#writer.stored();
  }

  async #suspend(decision: Decision): Promise<boolean> {
    const wakeAt = Math.min(this.#waits.wakeAt, Number.MAX_SAFE_INTEGER);
    // An answer that came first has woken the task, which must not be suspended over it.
    const { openKey } = this.#waits;
    const open = decision.question === undefined && openKey !== undefined ? { ifOpen: openKey } : {};
    const stance = decision.status === undefined ? this.#waits.stance(this.#run.record) : {};
    const isDecided = await this.#writer.decide({ ...stance, ...decision, ...open, release: true, wakeAt });
    this.#run.env.faultPoint('after-suspend');
    if (isDecided && this.#writer.lease === undefined) this.#run.suspended();
    // A message that arrived in the meantime woke the task before it was suspended, so it must be woken again.
    if (isDecided ? this.#writer.hasUnheard : !this.#run.isCanceling) this.#run.env.onWakeWanted(this.#run);
    return isDecided;
  }
}
