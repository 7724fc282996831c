import { type Deferred, deferred } from '../support/deferred.ts';
import { stopError } from './abort.ts';

/**
 * Whether a new task is stored. Its handler may begin before it is: what it says waits for the store in any case. What it
 * does elsewhere must wait, or it could have been done for a task that does not exist.
 */
export class Creation {
  #state: 'pending' | 'stored' | 'failed';
  #waiting: Deferred<void> | undefined;

  constructor(isStored: boolean) {
    this.#state = isStored ? 'stored' : 'pending';
  }

  /** Resolves when it is stored, rejects if it could not be. Nothing to wait for if it is. */
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

  /** Made when asked for: most often nobody waits. Who asks after the failure gets it all the same. */
  get #outcome(): Deferred<void> {
    if (this.#waiting === undefined) {
      this.#waiting = deferred<void>();
      if (this.#state === 'failed') this.#waiting.reject(stopError('not-stored'));
    }
    return this.#waiting;
  }
}
