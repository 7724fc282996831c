import { A2AError, markNested } from '../errors.ts';
import type { Clock } from '../support/clock.ts';
import { CallAborted } from './call-aborted.ts';
import { Deadline } from './deadline.ts';
import { withDetails } from './failures.ts';
import type { CallOptions } from './options.ts';
import { Trace } from './trace.ts';

/** What one call of a user has to itself, however many requests it takes. Whoever makes one closes it. */
export class CallScope {
  readonly deadline: Deadline;
  readonly trace: Trace;
  readonly extensions: readonly string[];
  readonly #signal: AbortSignal | undefined;
  #handle: () => string | undefined = () => undefined;
  #messageId: string | undefined;

  constructor(clock: Clock, options: CallOptions, timeoutMs: number | undefined) {
    this.deadline = new Deadline(clock, { timeoutMs: options.timeoutMs ?? timeoutMs, signal: options.signal });
    this.#signal = options.signal;
    this.trace = new Trace(options.traceparent, options.tracestate);
    this.extensions = options.extensions ?? [];
  }

  /** Leads to the task that the call is about, as soon as that is known. */
  get handle(): string | undefined {
    return this.#handle();
  }

  /** Whoever is told of a failure can go on from there, or knows what was sent. */
  isAbout(handle: () => string | undefined, messageId?: string): void {
    this.#handle = handle;
    this.#messageId = messageId;
  }

  /** What to throw: that the time is over rather than what that led to, and with the way back to the task. */
  explain(error: unknown): unknown {
    return markNested(this.#explained(error));
  }

  #explained(error: unknown): unknown {
    const explained = A2AError.is(error, 'TIMEOUT') ? error : this.deadline.explain(error);
    const details = this.#details();
    if (details === undefined) return explained;
    const isReason = this.#signal?.aborted === true && explained === this.#signal.reason;
    return isReason && !A2AError.is(explained) ? new CallAborted(explained, details) : withDetails(explained, details);
  }

  #details(): Readonly<Record<string, string>> | undefined {
    const { handle } = this;
    if (handle !== undefined) return { handle };
    return this.#messageId === undefined ? undefined : { messageId: this.#messageId };
  }

  close(): void {
    this.deadline.close();
  }

  /** Ends what is under way. */
  stop(): void {
    this.deadline.stop();
  }
}

/** Runs a call within its scope. */
export async function withScope<T>(scope: CallScope, run: (scope: CallScope) => Promise<T>): Promise<T> {
  try {
    return await run(scope);
  } catch (error) {
    throw scope.explain(error);
  } finally {
    scope.close();
  }
}
