import type { TaskRecord } from '../store/store.ts';
import { type Deferred, deferred } from '../support/deferred.ts';

/** Those who wait for runs of this node to come to rest. */
export class Rests {
  readonly #awaited = new Map<string, Deferred<TaskRecord | undefined>>();

  /** Resolves with the task as it is when its run rests next, or with nothing if there will be none. */
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
