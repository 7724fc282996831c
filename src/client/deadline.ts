import { A2AError } from '../errors.ts';
import type { Clock } from '../support/clock.ts';
import { type LeaveSignal, Leaving } from '../support/leave-signal.ts';

export interface DeadlineOptions {
  /** Without one there is no end to it but the caller's own. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The one time limit of a call, over everything it takes: requests, retries, pauses between them, waiting. It is also the
 * signal that stops what is under way. Whoever makes one closes it.
 */
export class Deadline implements LeaveSignal {
  readonly #clock: Clock;
  readonly #leaving = new Leaving();
  readonly #endsAt: number;
  readonly #timeoutMs: number | undefined;
  readonly #signal: AbortSignal | undefined;
  #disarm: () => void = () => {};
  #isTimeout = false;

  constructor(clock: Clock, { timeoutMs, signal }: DeadlineOptions = {}) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
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

  /** The call is over; no timer stays behind. */
  close(): void {
    this.#disarm();
    this.#signal?.removeEventListener('abort', this.#leave);
  }

  /** Nobody waits any more: what is still under way is stopped. */
  stop(): void {
    this.close();
    this.#leaving.leave();
  }

  /** @throws what `explain` says, once it is over. */
  check(): void {
    if (this.aborted) throw this.explain(undefined);
  }

  /** @throws once it is over, at once. */
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
   * What somebody else is at, as long as there is time for it. That goes on when the time is over.
   *
   * @throws once it is over, at once.
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

  /** What to throw instead of an error that only says that somebody stopped it; any other error as it is. */
  explain(error: unknown, details: Readonly<Record<string, string>> = {}): unknown {
    if (!this.aborted) return error;
    const reason: unknown = this.#signal?.aborted === true ? this.#signal.reason : undefined;
    if (this.#isTimeout || (reason instanceof Error && reason.name === 'TimeoutError')) {
      const limit = this.#isTimeout ? `${this.#timeoutMs} ms` : 'the time given';
      return new A2AError('TIMEOUT', `No end within ${limit}`, { details, cause: error });
    }
    return reason ?? error;
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
