import type { Task } from '../../model/task.ts';
import type { TraceContext } from '../../observe/trace-context.ts';
import type { PushConfigName, PushConfigRecord, Scope, Store, TaskEvent, TaskRecord } from '../../store/store.ts';
import { digest } from '../../support/secret/digest.ts';
import { notFound } from '../tasks/task-access.ts';
import { PAGE_PARTS, pagedTask } from '../tasks/task-page.ts';

/** One attempt to deliver an event to a push receiver. */
export interface Delivery {
  /**
   * Identifies the delivery: the same for each attempt, and unique for the event and the push configuration. At most 64
   * characters.
   */
  readonly id: string;
  /** The number of the attempt, starting with 1. */
  readonly attempt: number;
  /** The stored task. */
  readonly task: TaskRecord;
  /** The push configuration to deliver to. */
  readonly config: PushConfigRecord;
  /** The event to deliver. */
  readonly event: TaskEvent;
  /** Returns the task as it is now, without its oldest messages if it is too large for one notification. */
  readonly taskView: () => Promise<Task>;
  /** The trace context to pass on to the receiver. */
  readonly trace: TraceContext | undefined;
}

/** The result of one attempt. */
export type DeliveryResult =
  | {
      /** The receiver accepted the notification. */
      readonly kind: 'delivered';
    }
  | {
      /** The receiver did not accept the notification. */
      readonly kind: 'failed';
      /** A description for operators, without secrets. */
      readonly reason: string;
      /** How long the receiver asks to wait before the next attempt, in milliseconds. */
      readonly retryAfterMs?: number;
      /** Whether the receiver rejects all further notifications. The push configuration is disabled. */
      readonly gone?: boolean;
    };

/** Delivers push notifications. The engine decides when, retries, and guarantees at-least-once delivery in order. */
export interface PushTransport {
  /** Returns whether a receiver gets an event. Older protocol versions support fewer kinds. */
  wants(event: Pick<TaskEvent, 'kind'>, config: PushConfigRecord): boolean;
  /** Makes one attempt. It must apply its own timeout; its result is ignored once `signal` is aborted. */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryResult>;
}

export function deliveryId({ taskId, configId }: PushConfigName, number: number): string {
  return `${digest(JSON.stringify([taskId, configId]))}-${number}`;
}

/**
 * Reads the current task.
 *
 * @throws A2AError `TASK_NOT_FOUND` if it no longer exists.
 */
export async function currentTask(store: Store, scope: Scope, taskId: string): Promise<Task> {
  const stored = await store.read(scope, taskId, PAGE_PARTS);
  if (stored === undefined) throw notFound(taskId);
  return pagedTask(stored);
}
