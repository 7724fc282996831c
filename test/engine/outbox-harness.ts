import type { PushTransport, Delivery, DeliveryResult } from '../../src/engine/outbox/delivery.ts';
import type { NewPushConfig } from '../../src/engine/outbox/push-configs.ts';

/** A receiver that does what a test tells it to, and remembers all that came. */
export interface FakeCourier extends PushTransport {
  readonly deliveries: Delivery[];
  /** What becomes of an attempt; everything arrives if not set. */
  answer: (delivery: Delivery, signal: AbortSignal) => DeliveryResult | Promise<DeliveryResult>;
  /** How many are under way, and the most that ever were, by the id of their push configuration. */
  readonly underWay: Map<string, number>;
  /** "config event" of all attempts, in order. */
  readonly told: () => readonly string[];
}

export const DELIVERED: DeliveryResult = { kind: 'delivered' };
export const FAILED: DeliveryResult = { kind: 'failed', reason: 'It answered 503' };

export function fakeCourier(wants: PushTransport['wants'] = () => true): FakeCourier {
  const deliveries: Delivery[] = [];
  const underWay = new Map<string, number>();
  const pushTransport: FakeCourier = {
    deliveries,
    underWay,
    answer: () => DELIVERED,
    told: () => deliveries.map(nameOf),
    wants,
    async deliver(delivery, signal) {
      deliveries.push(delivery);
      const { id } = delivery.config;
      underWay.set(id, (underWay.get(id) ?? 0) + 1);
      try {
        return await pushTransport.answer(delivery, signal);
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
