/** The caller's own signal has stopped a call that was about a task. Named as all of its kind are; `cause` is the reason. */
export class CallAborted extends Error {
  override readonly name = 'AbortError';
  /** `handle` leads back to the task. As long as none is known, `messageId` is what was sent, maybe. */
  readonly details: Readonly<Record<string, string>>;

  /** @internal */
  constructor(reason: unknown, details: Readonly<Record<string, string>>) {
    super(reason instanceof Error ? reason.message : String(reason), { cause: reason });
    this.details = details;
  }
}
