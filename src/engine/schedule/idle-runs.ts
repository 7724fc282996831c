import type { TaskRecord } from '../../store/store.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';

/** Notifies waiters when a run of this node becomes idle. */
export class IdleRuns {
  readonly #awaited = new Map<string, Deferred<TaskRecord | undefined>>();

  /** Resolves with the task when its run becomes idle, or with `undefined` if it does not run. */
  next(taskId: string): Promise<TaskRecord | undefined> {
    let rest = this.#awaited.get(taskId);
    if (rest === undefined) this.#awaited.set(taskId, (rest = deferred()));
    return rest.promise;
  }

  tell(taskId: string, record: TaskRecord | undefined): void {
    this.#awaited.get(taskId)?.resolve(record);
    this.#awaited.delete(taskId);
  }
}
