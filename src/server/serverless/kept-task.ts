import type { OnDemand, Worked } from '../../engine/on-demand.ts';
import type { Submission } from '../../engine/submission.ts';
import type { Deferred } from '../../support/deferred.ts';
import { Leaving } from '../../support/leave-signal.ts';

export interface KeptTaskOptions {
  readonly onDemand: OnDemand;
  /** How long this request may work. */
  readonly runMs: number;
  /** Keeps the process awake until it is resolved, if the host has a way. */
  readonly awake: Deferred<void> | undefined;
  /** Asks another process to go on with the task. */
  readonly handOver: (taskId: string) => Promise<void>;
}

/**
 * A message whose task must go on after the answer.
 *
 * - The sender waits: it is run here, for as long as he does.
 * - He does not, but the host can wait: it is run here, for as long as there is time.
 * - Neither: it is only stored here, and another process is asked to run it.
 *
 * What is not at rest when the time here is over is handed over to another process.
 */
export class KeptTask {
  readonly submission: Submission;
  readonly #options: KeptTaskOptions;
  readonly #deadline: number;
  readonly #leaving = new Leaving();
  readonly #isWaiting: boolean;
  #taskId: string | undefined;
  #working: Promise<Worked> = Promise.resolve('resting');
  #answered: Promise<void> | undefined;

  constructor(submission: Submission, options: KeptTaskOptions) {
    this.#options = options;
    this.#deadline = Date.now() + options.runMs;
    this.#isWaiting = submission.returnImmediately !== true;
    this.submission = {
      ...submission,
      elsewhere: !this.#isWaiting && options.awake === undefined,
      maxWaitMs: Math.min(submission.maxWaitMs ?? options.runMs, options.runMs),
      onStored: (taskId) => this.#stored(taskId),
    };
  }

  /** The answer of the agent, unless there is none: then nothing is kept. */
  async unlessFailed<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      await this.answered();
      throw error;
    }
  }

  /** The sender has his answer, or has gone. Resolves when the process may be frozen. */
  answered(): Promise<void> {
    return (this.#answered ??= this.#goOn());
  }

  #stored(taskId: string): void {
    if (this.#taskId !== undefined) return;
    this.#taskId = taskId;
    const { onDemand, runMs, handOver } = this.#options;
    if (!this.#isWaiting) return;
    const work = onDemand.work(taskId, { forMs: runMs, signal: this.#leaving, lingers: true });
    // Without a place here it is another's at once: the sender waits for it all the same.
    this.#working = work.then(async (worked) => {
      if (worked === 'full') await handOver(taskId);
      return worked;
    });
    this.#working.catch(() => {});
  }

  async #goOn(): Promise<void> {
    const taskId = this.#taskId;
    const { awake } = this.#options;
    if (taskId === undefined) return awake?.resolve();
    if (awake === undefined) return this.#handOver(taskId);
    void this.#work(taskId).finally(() => awake.resolve());
  }

  /** There is nothing that keeps the process awake. */
  async #handOver(taskId: string): Promise<void> {
    const { onDemand, handOver } = this.#options;
    if (!this.#isWaiting) return handOver(taskId);
    this.#leaving.leave();
    const worked = await this.#working.catch(() => 'unfinished');
    if (worked === 'unfinished' || (await onDemand.hasPushesDue().catch(() => true))) await handOver(taskId);
  }

  /** The process is kept awake: it goes on with the task before the sender lets go of it. */
  async #work(taskId: string): Promise<void> {
    const { onDemand, handOver } = this.#options;
    const forMs = Math.max(0, this.#deadline - Date.now());
    const work = onDemand.work(taskId, { forMs, onlyHere: this.#isWaiting });
    this.#leaving.leave();
    // Whichever of the two was the last to have the task: the other knows nothing of it.
    const [now, before] = await Promise.all([work, this.#working].map((each) => each.catch(() => 'unfinished')));
    if (now !== 'resting' || before === 'unfinished') await handOver(taskId);
  }
}
