import type { TaskRecord } from '../store/store.ts';

interface Taking {
  /** How many times it is being taken up: a slow one may be overtaken by the next. */
  count: number;
  /** The latest lease. */
  fence: number;
  hasNews: boolean;
}

/** Tasks that were claimed and do not run yet: what is being read of them may be old by the time it arrives. */
export class Takings {
  readonly #byTask = new Map<string, Taking>();

  begin({ id, fence }: TaskRecord): void {
    const taking = this.#byTask.get(id) ?? { count: 0, fence, hasNews: false };
    taking.count++;
    taking.fence = Math.max(taking.fence, fence);
    this.#byTask.set(id, taking);
  }

  /** Says whether there was news of the task that nobody has looked at. */
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

  /** This node has claimed the task again since. */
  isOvertaken({ id, fence }: TaskRecord): boolean {
    return (this.#byTask.get(id)?.fence ?? fence) > fence;
  }
}
