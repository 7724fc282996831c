/**
 * The part of `AbortSignal` that is needed to notice a disconnect. An `AbortSignal` can be passed; on Node it costs 5 µs
 * with one listener, more than validating a whole message.
 */
export interface LeaveSignal {
  /** Whether the caller has disconnected. */
  readonly aborted: boolean;
  /** Adds a listener that is called once on disconnect. */
  addEventListener(
    type: 'abort',
    listener: () => void,
    options?: {
      /** Whether to remove the listener after its first call, as `AbortSignal` does. */
      readonly once?: boolean;
    },
  ): void;
  /** Removes a listener. */
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A lightweight signal that `leave` aborts once. */
export class Leaving implements LeaveSignal {
  aborted = false;
  #listeners: Set<() => void> | undefined;

  leave(): void {
    if (this.aborted) return;
    this.aborted = true;
    const listeners = this.#listeners;
    this.#listeners = undefined;
    if (listeners !== undefined) for (const listener of listeners) listener();
  }

  /** Each listener is called at most once. */
  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) (this.#listeners ??= new Set()).add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener);
  }
}
