import type { PushTransport, Delivery, DeliveryResult } from '../../src/engine/outbox/delivery.ts';
import type { NewPushConfig } from '../../src/engine/outbox/push-configs.ts';

/** A push transport whose results a test sets, and which records all deliveries. */
export interface FakePushTransport extends PushTransport {
  readonly deliveries: Delivery[];
  /** The result of an attempt; every attempt succeeds if not set. */
  respond: (delivery: Delivery, signal: AbortSignal) => DeliveryResult | Promise<DeliveryResult>;
  /** How many deliveries are under way, by the id of their push configuration. */
  readonly underWay: Map<string, number>;
  /** "config event" of all attempts, in order. */
  readonly attempts: () => readonly string[];
}

export const DELIVERED: DeliveryResult = { kind: 'delivered' };
export const FAILED: DeliveryResult = { kind: 'failed', reason: 'It answered 503' };

export function fakePushTransport(wants: PushTransport['wants'] = () => true): FakePushTransport {
  const deliveries: Delivery[] = [];
  const underWay = new Map<string, number>();
  const pushTransport: FakePushTransport = {
    deliveries,
    underWay,
    respond: () => DELIVERED,
    attempts: () => deliveries.map(nameOf),
    wants,
    async deliver(delivery, signal) {
      deliveries.push(delivery);
      const { id } = delivery.config;
      underWay.set(id, (underWay.get(id) ?? 0) + 1);
      try {
        return await pushTransport.respond(delivery, signal);
      } finally {
        underWay.set(id, (underWay.get(id) ?? 0) - 1);
      }
    },
  };
  return pushTransport;
}

export function nameOf({ config, event }: Delivery): string {
  return `${config.id} ${event.number}`;
}

export function hookAt(id: string, host = 'example.com'): NewPushConfig {
  return { config: { id, url: `https://${host}/${id}` }, dialect: '1.0' };
}
