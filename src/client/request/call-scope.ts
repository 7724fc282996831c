import { A2AError, markNested } from '../../errors.ts';
import type { Clock } from '../../support/time/clock.ts';
import type { Credentials } from '../auth/credentials.ts';
import { Deadline, durationText } from './deadline.ts';
import { ClientClosed, closedDuringCall, withDetails } from './failures.ts';
import type { CallOptions } from '../options.ts';
import { Trace } from './trace.ts';

/** Options that only this package passes. */
export interface InternalCallOptions extends CallOptions {
  /** The `timeoutMs` that the user gave, if `timeoutMs` is only the rest of it. For messages. */
  readonly statedTimeoutMs?: number;
  /** Replaces the credentials of the client. */
  readonly credentials?: Credentials;
}

/** The state of one call by a user, over all its requests. Its creator must close it. */
export class CallScope {
  readonly deadline: Deadline;
  readonly trace: Trace;
  readonly extensions: readonly string[];
  readonly credentials: Credentials | undefined;
  readonly #signal: AbortSignal | undefined;
  #handle: () => string | undefined = () => undefined;
  #messageId: string | undefined;
  /** Whether the client was open when the call began. */
  #hasBegun = false;

  constructor(clock: Clock, options: InternalCallOptions, timeoutMs: number | undefined, limit?: string) {
    const { signal, statedTimeoutMs } = options;
    this.deadline = new Deadline(clock, {
      timeoutMs: options.timeoutMs ?? timeoutMs,
      limit: statedTimeoutMs === undefined ? limit : durationText(statedTimeoutMs),
      signal,
    });
    this.#signal = signal;
    this.trace = new Trace(options.traceparent, options.tracestate);
    this.extensions = options.extensions ?? [];
    this.credentials = options.credentials;
  }

  /** The handle of the task that the call is about, as soon as it is known. */
  get handle(): string | undefined {
    return this.#handle();
  }

  /** Adds the task, or the message that was sent, to the errors of this call, so that a caller can resume from there. */
  isAbout(handle: () => string | undefined, messageId?: string): void {
    this.#handle = handle;
    this.#messageId = messageId;
  }

  /** Called before each operation of the call. */
  begin(closing: { readonly aborted: boolean }): void {
    this.#hasBegun ||= !closing.aborted;
  }

  /** Returns the error to throw: `TIMEOUT` instead of its consequences, with the handle of the task in `details`. */
  explain(error: unknown): unknown {
    return markNested(this.#explained(error));
  }

  #explained(error: unknown): unknown {
    const explained = A2AError.is(error, 'TIMEOUT') ? error : this.#withReason(this.deadline.explain(error));
    const details = this.#details();
    if (details === undefined) return explained;
    const isReason = this.#signal?.aborted === true && explained === this.#signal.reason;
    return isReason && !A2AError.is(explained) ? new CallAborted(explained, details) : withDetails(explained, details);
  }

  /** The message of the call may have been sent before the request that was not. */
  #withReason(error: unknown): unknown {
    return error instanceof ClientClosed && this.#hasBegun ? closedDuringCall('maybe', error) : error;
  }

  #details(): Readonly<Record<string, string>> | undefined {
    const { handle } = this;
    if (handle !== undefined) return { handle };
    return this.#messageId === undefined ? undefined : { messageId: this.#messageId };
  }

  close(): void {
    this.deadline.close();
  }

  /** Stops the requests of this call. */
  stop(): void {
    this.deadline.stop();
  }
}

/** Runs a call and closes its scope. Errors are explained by the scope. */
export async function withScope<T>(scope: CallScope, run: (scope: CallScope) => Promise<T>): Promise<T> {
  try {
    return await run(scope);
  } catch (error) {
    throw scope.explain(error);
  } finally {
    scope.close();
  }
}

/**
 * Thrown if the caller's own signal aborts a call about a task. Its `name` is `AbortError`, as for every aborted call; `cause` is
 * the reason of the signal.
 */
export class CallAborted extends Error {
  override readonly name = 'AbortError';
  /** `handle` is the handle of the task. If the task is not known yet, `messageId` is the id of the message, which may have been sent. */
  readonly details: Readonly<Record<string, string>>;

  /** @internal */
  constructor(reason: unknown, details: Readonly<Record<string, string>>) {
    super(reason instanceof Error ? reason.message : String(reason), { cause: reason });
    this.details = details;
  }
}
