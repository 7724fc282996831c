import { type Deferred, deferred } from '../../support/deferred.ts';
import { stopError } from '../run/run-state.ts';

/**
 * Tracks whether a new task is stored. Its handler may start before that, because its output waits for the store anyway.
 * Side effects elsewhere must wait, because the task might never exist.
 */
export class Creation {
  #state: 'pending' | 'stored' | 'failed';
  #waiting: Deferred<void> | undefined;

  constructor(isStored: boolean) {
    this.#state = isStored ? 'stored' : 'pending';
  }

  /** Resolves when the task is stored, rejects if storing it failed. `undefined` if it is already stored. */
  get stored(): Promise<void> | undefined {
    return this.#state === 'stored' ? undefined : this.#outcome.promise;
  }

  succeed(): void {
    this.#state = 'stored';
    this.#waiting?.resolve();
  }

  fail(): void {
    this.#state = 'failed';
    this.#waiting?.reject(stopError('not-stored'));
  }

  /** Created on first use, because usually nobody waits. A later access still sees the failure. */
  get #outcome(): Deferred<void> {
    if (this.#waiting === undefined) {
      this.#waiting = deferred<void>();
      if (this.#state === 'failed') this.#waiting.reject(stopError('not-stored'));
    }
    return this.#waiting;
  }
}
