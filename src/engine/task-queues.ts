import type { Scope, Store } from '../store/store.ts';
import type { Runnable } from './runnable.ts';

/** Tasks that wait on this node for a place, by agent. */
export class TaskQueues {
  readonly #store: Store;
  readonly #queues = new Map<string, Map<string, Scope>>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** How many wait. */
  size({ id }: Runnable): number {
    return this.#queues.get(id)?.size ?? 0;
  }

  /** Of the task only its owner is kept: a long queue of long messages would fill the memory. */
  add({ id }: Runnable, { id: taskId, tenant, owner }: Scope & { readonly id: string }): void {
    const queue = this.#queues.get(id) ?? new Map<string, Scope>();
    this.#queues.set(id, queue.set(taskId, { tenant, owner }));
  }

  delete({ id }: Runnable, taskId: string): void {
    this.#queues.get(id)?.delete(taskId);
  }

  clear({ id }: Runnable): void {
    this.#queues.delete(id);
  }

  /** A task that was canceled, or that another node runs, waits here no longer. */
  async hear(taskId: string): Promise<void> {
    const queue = [...this.#queues.values()].find((tasks) => tasks.has(taskId));
    const queued = queue?.get(taskId);
    if (queue === undefined || queued === undefined) return;
    const stored = await this.#store.read(queued, taskId, { history: 0 });
    if (stored === undefined || stored.record.fence > 0 || stored.record.endedAt !== undefined) queue.delete(taskId);
  }
}
