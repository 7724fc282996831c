import type { TaskRecord } from '../../store/store.ts';

interface PendingClaim {
  /** How many claims of the task are being processed: a later one may overtake a slow one. */
  count: number;
  /** The latest lease. */
  fence: number;
  hasNews: boolean;
}

/** Claimed tasks that do not run yet. Data that is being read for them may be outdated by the time it arrives. */
export class PendingClaims {
  readonly #byTask = new Map<string, PendingClaim>();

  begin({ id, fence }: TaskRecord): void {
    const taking = this.#byTask.get(id) ?? { count: 0, fence, hasNews: false };
    taking.count++;
    taking.fence = Math.max(taking.fence, fence);
    this.#byTask.set(id, taking);
  }

  /** Returns whether the task was written to in the meantime. */
  end({ id }: TaskRecord): boolean {
    const taking = this.#byTask.get(id);
    if (taking === undefined) return false;
    if (--taking.count === 0) this.#byTask.delete(id);
    return taking.hasNews;
  }

  noteNews(taskId: string): void {
    const taking = this.#byTask.get(taskId);
    if (taking !== undefined) taking.hasNews = true;
  }

  /** Whether this node has claimed the task again since. */
  isOvertaken({ id, fence }: TaskRecord): boolean {
    return (this.#byTask.get(id)?.fence ?? fence) > fence;
  }
}
