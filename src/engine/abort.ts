/** Why a handler is told to stop. */
export type StopReason =
  | 'canceled'
  | 'timeout'
  | 'lease-lost'
  | 'not-stored'
  | 'shutdown'
  | 'handed-over'
  | 'suspended'
  | 'over';

const WORDS: Readonly<Record<StopReason, string>> = {
  canceled: 'The task was canceled',
  timeout: 'The task timed out',
  'lease-lost': 'Another node runs the task now',
  'not-stored': 'The task could not be stored',
  shutdown: 'The node is shutting down',
  'handed-over': 'The time for the task is over here; it goes on elsewhere',
  suspended: 'The run waits and was put away',
  over: 'The task is over',
};

/** What `ctx.signal` gives as its reason. */
export function stopError(reason: StopReason): DOMException {
  return new DOMException(WORDS[reason], 'AbortError');
}

/** Whether a handler was told to stop, and its signal. */
export class StopSignal {
  #reason: StopReason | undefined;
  #controller: AbortController | undefined;

  /** The first that was given. */
  get reason(): StopReason | undefined {
    return this.#reason;
  }

  /** Made when asked for: a controller costs as much as a short run. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    this.#pass();
    return this.#controller.signal;
  }

  tell(reason: StopReason): void {
    this.#reason ??= reason;
    this.#pass();
  }

  #pass(): void {
    if (this.#reason !== undefined && this.#controller?.signal.aborted === false)
      this.#controller.abort(stopError(this.#reason));
  }
}
