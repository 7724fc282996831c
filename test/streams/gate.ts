import { deferred } from '../../src/support/deferred.ts';

/** Where handlers wait until the test lets them go on. */
export class Gate {
  readonly #opened = deferred<void>();
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  #arrivals = 0;

  /** For a handler: says that it is there, and waits. A signal ends the wait, too. */
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

  /** Resolves when so many handlers have come to it. */
  async reached(count = 1): Promise<void> {
    if (this.#arrivals < count) await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
  }

  open(): void {
    this.#opened.resolve();
  }
}
