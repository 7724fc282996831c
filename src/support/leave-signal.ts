/**
 * As much of an `AbortSignal` as it takes to hear that somebody has left. A real one will do; on Node it costs 5 µs with
 * one listener, which is more than the checking of a whole message.
 */
export interface LeaveSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A signal that its maker sets off, once. */
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

  /** Called once at most: it happens once. */
  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) (this.#listeners ??= new Set()).add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener);
  }
}
