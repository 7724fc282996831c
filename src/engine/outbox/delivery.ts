import type { Observers } from '../../observe/observers.ts';
import { traceOf, type TraceContext } from '../../observe/trace-context.ts';
import type { Task } from '../../model/task.ts';
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

/** A delivery without its trace context. */
export type PlannedDelivery = Omit<Delivery, 'trace'>;

/** The error of a span. The transport itself does not throw if a receiver fails. */
class DeliveryFailed extends Error {
  override readonly name = 'DeliveryFailed';
}

/**
 * Makes one attempt, in the trace of the request that created the task. With a tracer, the attempt is a span and the parent
 * of what the receiver does. Errors of the transport are rethrown.
 */
export async function attemptDelivery(
  { tracer }: Observers,
  pushTransport: PushTransport,
  planned: PlannedDelivery,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const { id, attempt, task, config } = planned;
  const trace = traceOf(task);
  // A task that was created without a trace: the active span belongs to whatever woke the outbox.
  if (tracer === undefined || trace === undefined) return pushTransport.deliver({ ...planned, trace }, signal);
  const span = tracer.start('a2a.push', 'client', trace, {
    'a2a.agent': task.agent,
    'a2a.task.id': task.id,
    'a2a.context.id': task.contextId,
    'a2a.push.config.id': config.id,
    'a2a.push.delivery.id': id,
    'a2a.push.attempt': attempt,
    'server.address': hostOf(config.config.url),
  });
  try {
    const result = await span.within(() => pushTransport.deliver({ ...planned, trace: span.context }, signal));
    span.end(result.kind === 'failed' ? new DeliveryFailed(result.reason) : undefined);
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/** Only the host, because the path and query may contain secrets. */
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}
