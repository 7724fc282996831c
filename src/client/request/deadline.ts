import { A2AError } from '../../errors.ts';
import type { Clock } from '../../support/time/clock.ts';
import { type LeaveSignal, Leaving } from '../../support/leave-signal.ts';

export interface DeadlineOptions {
  /** Time limit in milliseconds. If not set, only the signal and `stop()` end the call. */
  readonly timeoutMs?: number | undefined;
  /** The limit as messages print it, if it is not the `timeoutMs` of the user. */
  readonly limit?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A failed attempt of a call that is still being retried. */
interface FailedAttempts {
  readonly count: number;
  readonly reason: string;
  readonly error: unknown;
}

/**
 * The single time limit of a call. It covers all requests, retries, pauses and waits, and is the signal that stops requests in
 * progress. Its creator must close it.
 */
export class Deadline implements LeaveSignal {
  readonly #clock: Clock;
  readonly #leaving = new Leaving();
  readonly #endsAt: number;
  readonly #limit: string;
  readonly #signal: AbortSignal | undefined;
  #disarm: () => void = () => {};
  #isTimeout = false;
  #failed: FailedAttempts | undefined;

  constructor(clock: Clock, { timeoutMs, limit, signal }: DeadlineOptions = {}) {
    this.#clock = clock;
    this.#limit = limit ?? `${durationText(timeoutMs ?? 0)} (timeoutMs: ${timeoutMs})`;
    this.#signal = signal;
    this.#endsAt = timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.now() + timeoutMs;
    if (signal?.aborted === true) this.#leaving.leave();
    else signal?.addEventListener('abort', this.#leave, { once: true });
    if (timeoutMs !== undefined && !this.aborted) this.#disarm = clock.callAt(this.#endsAt, this.#expire);
  }

  get aborted(): boolean {
    return this.#leaving.aborted;
  }

  get remainingMs(): number {
    return this.#endsAt - this.#clock.now();
  }

  addEventListener(type: 'abort', listener: () => void): void {
    this.#leaving.addEventListener(type, listener);
  }

  removeEventListener(type: 'abort', listener: () => void): void {
    this.#leaving.removeEventListener(type, listener);
  }

  /** Notes an attempt that will be retried, so that a timeout can name the reason. */
  noteFailure(reason: string, error: unknown): void {
    this.#failed = { count: (this.#failed?.count ?? 0) + 1, reason, error };
  }

  /** Notes that the last attempt succeeded: a later timeout has another reason. */
  noteSuccess(): void {
    this.#failed = undefined;
  }

  /** Removes the timer and the listener. Must be called when the call has ended. */
  close(): void {
    this.#disarm();
    this.#signal?.removeEventListener('abort', this.#leave);
  }

  /** Stops requests that are still in progress, because no caller waits for them any more. */
  stop(): void {
    this.close();
    this.#leaving.leave();
  }

  /** @throws The error of `explain` if the deadline has passed or the call was aborted. */
  check(): void {
    if (this.aborted) throw this.explain(undefined);
  }

  /** Waits. @throws As soon as the deadline passes or the call is aborted. */
  async pause(ms: number): Promise<void> {
    this.check();
    await new Promise<void>((resolve) => {
      const disarm = this.#clock.callAt(this.#clock.now() + ms, () => {
        this.removeEventListener('abort', leave);
        resolve();
      });
      const leave = (): void => {
        disarm();
        resolve();
      };
      this.addEventListener('abort', leave);
    });
    this.check();
  }

  /**
   * Waits for work that cannot be stopped. The work continues if the deadline passes first.
   *
   * @throws As soon as the deadline passes or the call is aborted.
   */
  async within<T>(work: Promise<T>): Promise<T> {
    this.check();
    let leave: () => void = () => {};
    const left = new Promise<undefined>((resolve) => {
      leave = () => resolve(undefined);
      this.addEventListener('abort', leave);
    });
    try {
      const done = await Promise.race([work.then((value) => ({ value })), left]);
      if (done === undefined) throw this.explain(new Error('stopped'));
      return done.value;
    } finally {
      this.removeEventListener('abort', leave);
    }
  }

  /**
   * Returns the error to throw. An error that was caused by this deadline becomes `TIMEOUT` or the reason of the signal; other
   * errors are returned unchanged.
   */
  explain(error: unknown): unknown {
    if (!this.aborted) return error;
    const reason: unknown = this.#signal?.aborted === true ? this.#signal.reason : undefined;
    if (this.#isTimeout || (reason instanceof Error && reason.name === 'TimeoutError')) {
      const limit = this.#isTimeout ? `within ${this.#limit}` : 'before the signal of the call timed out';
      const cause = this.#failed?.error ?? error;
      return new A2AError('TIMEOUT', `No result ${limit}${this.#failureText()}`, { cause });
    }
    return reason ?? error;
  }

  #failureText(): string {
    if (this.#failed === undefined) return '';
    const { count, reason } = this.#failed;
    return count === 1 ? `; an attempt failed: ${reason}` : `; ${count} attempts failed, the last one: ${reason}`;
  }

  readonly #leave = (): void => {
    this.#disarm();
    this.#leaving.leave();
  };

  readonly #expire = (): void => {
    this.#isTimeout = true;
    this.#leaving.leave();
  };
}

/** Formats a time for people: `30 ms`, `1.5 s`. */
export function durationText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms) / 1000} s`;
}
