import type { OnDemand, Worked } from '../../engine/on-demand/on-demand.ts';
import type { Submission } from '../../engine/tasks/submission.ts';
import type { Deferred } from '../../support/deferred.ts';
import { Leaving } from '../../support/leave-signal.ts';

export interface ContinuedTaskOptions {
  readonly onDemand: OnDemand;
  readonly runMs: number;
  /** Keeps the process awake until it is resolved, if the host supports it. */
  readonly awake: Deferred<void> | undefined;
  readonly handOver: (taskId: string) => Promise<void>;
}

/**
 * A message whose task must continue after the response.
 *
 * - The sender waits: the task runs here, as long as the sender waits.
 * - The sender does not wait, but the host can: the task runs here, within the time limit.
 * - Neither: the task is only stored here, and another process is asked to run it.
 *
 * A task that is not settled when the time is over is handed over to another process.
 */
export class ContinuedTask {
  readonly submission: Submission;
  readonly #options: ContinuedTaskOptions;
  readonly #deadline: number;
  readonly #leaving = new Leaving();
  readonly #isWaiting: boolean;
  #taskId: string | undefined;
  #working: Promise<Worked> = Promise.resolve('resting');
  #responded: Promise<void> | undefined;

  constructor(submission: Submission, options: ContinuedTaskOptions) {
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

  /** Returns the result; if there is none, releases the process. */
  async unlessFailed<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      await this.responded();
      throw error;
    }
  }

  /** Called when the sender has the response, or has disconnected. Resolves when the process may be frozen. */
  responded(): Promise<void> {
    return (this.#responded ??= this.#continueTask());
  }

  #stored(taskId: string): void {
    if (this.#taskId !== undefined) return;
    this.#taskId = taskId;
    const { onDemand, runMs, handOver } = this.#options;
    if (!this.#isWaiting) return;
    const work = onDemand.work(taskId, { forMs: runMs, signal: this.#leaving, lingers: true });
    // Without a free slot here another process runs it, and the sender still waits for it.
    this.#working = work.then(async (worked) => {
      if (worked === 'full') await handOver(taskId);
      return worked;
    });
    this.#working.catch(() => {});
  }

  async #continueTask(): Promise<void> {
    const taskId = this.#taskId;
    const { awake } = this.#options;
    if (taskId === undefined) return awake?.resolve();
    if (awake === undefined) return this.#handOver(taskId);
    void this.#work(taskId).finally(() => awake.resolve());
  }

  /** Without a way to keep the process awake. */
  async #handOver(taskId: string): Promise<void> {
    const { onDemand, handOver } = this.#options;
    if (!this.#isWaiting) return handOver(taskId);
    this.#leaving.leave();
    const worked = await this.#working.catch(() => 'unfinished');
    if (worked === 'unfinished' || (await onDemand.hasPushesDue().catch(() => true))) await handOver(taskId);
  }

  /** With the process kept awake. Starts before the work for the sender stops, so that the task is not released in between. */
  async #work(taskId: string): Promise<void> {
    const { onDemand, handOver } = this.#options;
    const forMs = Math.max(0, this.#deadline - Date.now());
    const work = onDemand.work(taskId, { forMs, onlyHere: this.#isWaiting });
    this.#leaving.leave();
    // Either of the two may have had the task last, and the other does not know its state.
    const [now, before] = await Promise.all([work, this.#working].map((each) => each.catch(() => 'unfinished')));
    if (now !== 'resting' || before === 'unfinished') await handOver(taskId);
  }
}
