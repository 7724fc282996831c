import type { TaskStatus } from '../model/task.ts';

/** A public event, as subscribers receive it. */
export interface TaskEvent {
  /** The position among the events of the task, starting at 1. */
  readonly number: number;
  /** A whole task, a status update or an artifact update. */
  readonly kind: 'task' | 'status' | 'artifact';
  /** The event as JSON in the 1.0 format, serialized once for all subscribers. */
  readonly body: string;
}

/** An event to store. The store assigns its number. */
export type NewEvent = Omit<TaskEvent, 'number'>;

/**
 * Receives hints about commits to a task.
 *
 * @param taskId The changed task.
 * @param by The node in `TaskWrite.by`.
 * @param isClaimable Whether the write left the task for any node to run, now or at its `wakeAt`. Undefined if the store does not know.
 * @param progress Reads the new progress of the task without a query, if the store knows it.
 * @param callsDue Whether the write has added calls or made calls due, of this task or of the one that called it. Undefined if the
 * store does not know.
 */
export type WatchListener = (
  taskId: string,
  by?: string,
  isClaimable?: boolean,
  progress?: ReadProgress,
  callsDue?: boolean,
) => void;

/** Reads the progress of a task. Call it only inside the listener. Returns undefined if the progress was too large to send. */
export type ReadProgress = () => TaskProgress | undefined;

/** The progress of a task right after a commit. */
export interface TaskProgress {
  /** The number of the last event. */
  readonly lastEvent: number;
  /** When the task ended. Absent if it has not. */
  readonly endedAt?: number | undefined;
  /** The state of the task. */
  readonly status: Pick<TaskStatus, 'state'>;
  /** The events of the commit. */
  readonly events: readonly TaskEvent[];
}
