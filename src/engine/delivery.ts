import type { Task } from '../model/task.ts';
import type { PushConfigRecord, TaskEvent, TaskRecord } from '../store/store.ts';

/** One event for one who wants to be told. */
export interface Delivery {
  /** The same for every attempt. */
  readonly id: string;
  readonly attempt: number;
  readonly task: TaskRecord;
  readonly config: PushConfigRecord;
  readonly event: TaskEvent;
  /** The task as it is now. */
  readonly taskView: () => Promise<Task>;
}

export type DeliveryResult =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs?: number; readonly gone?: boolean };

/** Knows how to tell. When, how often and in what order is for the engine. */
export interface Courier {
  wants(event: Pick<TaskEvent, 'kind'>, config: PushConfigRecord): boolean;
  deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryResult>;
}
