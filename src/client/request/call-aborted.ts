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
