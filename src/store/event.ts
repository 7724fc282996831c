import type { TaskStatus } from '../model/task.ts';

/** A public event: what subscribers see. `body` is its JSON in the words of 1.0, serialised once for all of them. */
export interface TaskEvent {
  readonly number: number;
  readonly kind: 'task' | 'status' | 'artifact';
  readonly body: string;
}

export type NewEvent = Omit<TaskEvent, 'number'>;

/** `isLeft`: the task is there for any node to run, now or at its time. Not known, if it is not said. */
export type WatchListener = (taskId: string, by?: string, isLeft?: boolean, progress?: ReadProgress) => void;

/** To be called at once or not at all. Nothing, if it was too much to be said. */
export type ReadProgress = () => TaskProgress | undefined;

/** How far a task had come when something of it was committed. */
export interface TaskProgress {
  readonly lastEvent: number;
  /** Set if it has ended. */
  readonly endedAt?: number | undefined;
  readonly status: Pick<TaskStatus, 'state'>;
  /** Those that were committed with it. */
  readonly events: readonly TaskEvent[];
}
