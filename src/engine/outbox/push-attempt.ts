import type { Observers } from '../../observe/observers.ts';
import { traceOf } from '../../observe/trace-context.ts';
import type { PushTransport, Delivery, DeliveryResult } from './delivery.ts';

/** A delivery without its trace context. */
export type PlannedDelivery = Omit<Delivery, 'trace'>;

/** The error of a span. The courier itself does not throw if a receiver fails. */
class DeliveryFailed extends Error {
  override readonly name = 'DeliveryFailed';
}

/**
 * Makes one attempt, in the trace of the request that created the task. With a tracer, the attempt is a span and the parent
 * of what the receiver does. Errors of the courier are rethrown.
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
