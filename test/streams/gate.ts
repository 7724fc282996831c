import { deferred } from '../../src/support/deferred.ts';

/** Blocks handlers until the test opens it. */
export class Gate {
  readonly #opened = deferred<void>();
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  #arrivals = 0;

  /** Called by a handler: counts its arrival and waits until the gate is open. Rejects when `signal` is aborted. */
  async pass(signal: AbortSignal): Promise<void> {
    this.#arrivals++;
    for (const { count, resolve } of this.#waiting) if (this.#arrivals >= count) resolve();
    const stopped = deferred<void>();
    const stop = (): void => stopped.resolve();
    signal.addEventListener('abort', stop);
    await Promise.race([this.#opened.promise, stopped.promise]);
    signal.removeEventListener('abort', stop);
    signal.throwIfAborted();
  }

  /** Resolves when `count` handlers have arrived. */
  async reached(count = 1): Promise<void> {
    if (this.#arrivals < count) await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
  }

  open(): void {
    this.#opened.resolve();
  }
}
