/** Why a run stops its handler. */
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
  'handed-over': 'This node has no time left for the task; another node resumes it',
  suspended: 'The run is suspended',
  over: 'The run has ended',
};

/** The abort reason of `ctx.signal`. */
export function stopError(reason: StopReason): DOMException {
  return new DOMException(WORDS[reason], 'AbortError');
}

/** The stop reason of a run, and the `AbortSignal` for its handler. */
export class StopSignal {
  #reason: StopReason | undefined;
  #controller: AbortController | undefined;

  /** The first reason. */
  get reason(): StopReason | undefined {
    return this.#reason;
  }

  /** Created on first use, because a controller costs as much as a short run. */
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
