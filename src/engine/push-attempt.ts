import type { Observers } from '../observe/observers.ts';
import { traceOf } from '../observe/trace-context.ts';
import type { Courier, Delivery, DeliveryResult } from './delivery.ts';

/** All of a delivery but its place in a trace. */
export type PlannedDelivery = Omit<Delivery, 'trace'>;

/** For those who look at spans: the courier itself never throws for what a receiver does. */
class DeliveryFailed extends Error {
  override readonly name = 'DeliveryFailed';
}

/**
 * Makes one attempt, in the trace of the request that made the task. If there are spans the attempt is one, and what the
 * receiver does is below it. What the courier throws is thrown.
 */
export async function attemptDelivery(
  { tracer }: Observers,
  courier: Courier,
  planned: PlannedDelivery,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const { id, attempt, task, config } = planned;
  const trace = traceOf(task);
  // A task of a time without spans: what is active here is the span of whoever happened to wake the outbox.
  if (tracer === undefined || trace === undefined) return courier.deliver({ ...planned, trace }, signal);
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
    const result = await span.within(() => courier.deliver({ ...planned, trace: span.context }, signal));
    span.end(result.kind === 'failed' ? new DeliveryFailed(result.reason) : undefined);
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/** The rest of an address may be a secret. */
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}
