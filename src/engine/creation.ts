import { type Deferred, deferred } from '../support/deferred.ts';
import { stopError } from './abort.ts';

/**
 * Whether a new task is stored. Its handler may begin before it is: what it says waits for the store in any case. What it
 * does elsewhere must wait, or it could have been done for a task that does not exist.
 */
export class Creation {
  #isStored: boolean;
  #waiting: Deferred<void> | undefined;

  constructor(isStored: boolean) {
    this.#isStored = isStored;
  }

  /** Resolves when it is stored, rejects if it could not be. Nothing to wait for if it is. */
  get stored(): Promise<void> | undefined {
    return this.#isStored ? undefined : (this.#waiting ??= deferred<void>()).promise;
  }

  succeed(): void {
    this.#isStored = true;
    this.#waiting?.resolve();
  }

  fail(): void {
    this.#waiting?.reject(stopError('lease-lost'));
  }
}
