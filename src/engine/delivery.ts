import type { Task } from '../model/task.ts';
import type { TraceContext } from '../observe/trace-context.ts';
import type { PushConfigName, PushConfigRecord, Scope, Store, TaskEvent, TaskRecord } from '../store/store.ts';
import { digest } from '../support/digest.ts';
import { notFound } from './not-found.ts';
import { PAGE_PARTS, pagedTask } from './task-page.ts';

/** One event on its way to one receiver. */
export interface Delivery {
  /** The same for each attempt, and for no other event or push configuration; at most 64 characters. */
  readonly id: string;
  /** 1 for the first one. */
  readonly attempt: number;
  readonly task: TaskRecord;
  readonly config: PushConfigRecord;
  readonly event: TaskEvent;
  /** The task as it is now, without its oldest messages if it is too large for one notification. */
  readonly taskView: () => Promise<Task>;
  /** Where in a trace it is, for the receiver to go on from. */
  readonly trace: TraceContext | undefined;
}

export type DeliveryResult =
  | { readonly kind: 'delivered' }
  | {
      readonly kind: 'failed';
      /** For people; without secrets. */
      readonly reason: string;
      /** The receiver does not want to be asked again before. */
      readonly retryAfterMs?: number;
      /** The receiver wants nothing more, ever. */
      readonly gone?: boolean;
    };

/** Knows how to tell a receiver. The engine knows when, and that nothing is lost. */
export interface Courier {
  /** Whether an event is told there: older dialects know of fewer. */
  wants(event: Pick<TaskEvent, 'kind'>, config: PushConfigRecord): boolean;
  /** One attempt. It ends by itself; what it gives once `signal` is aborted is not looked at. */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryResult>;
}

export function deliveryId({ taskId, configId }: PushConfigName, number: number): string {
  return `${digest(JSON.stringify([taskId, configId]))}-${number}`;
}

/** The task as it is when this is called. @throws A2AError `TASK_NOT_FOUND` if it is gone by then. */
export async function currentTask(store: Store, scope: Scope, taskId: string): Promise<Task> {
  const stored = await store.read(scope, taskId, PAGE_PARTS);
  if (stored === undefined) throw notFound(taskId);
  return pagedTask(stored);
}
