import { describe, expect, test } from 'vitest';
import type { DeliveryResult } from '../../src/engine/outbox/delivery.ts';
import { deferred } from '../../src/support/deferred.ts';
import { turns } from './cluster.ts';
import { ANN, BOB, harness, until, STORES } from './harness.ts';
import { DELIVERED, fakePushTransport, hookAt } from './fake-push-transport.ts';

async function* manyEvents() {
  for (let i = 0; i < 40; i++) yield { status: 'working' as const, text: String(i) };
}

/** The push configurations in the order of their turns. */
function turnsIn(attempts: readonly string[]): readonly string[] {
  const names = attempts.map((each) => each.split(' ')[0] ?? '');
  return names.filter((name, index) => name !== names[index - 1]);
}

describe.each(STORES)('$name', (variant) => {
  test('a receiver with many events leaves delivery slots to others after 16 events', async () => {
    const pushTransport = fakePushTransport();
    const door = deferred<DeliveryResult>();
    const node = await harness(manyEvents, { variant, pushTransport, push: { concurrency: 1 } });
    pushTransport.respond = async () => {
      const result = await door.promise;
      node.clock.advance(1);
      return result;
    };
    await node.task('go', { pushConfig: hookAt('first') });
    await node.task('go', { pushConfig: hookAt('second') });
    door.resolve(DELIVERED);

    await until(() => pushTransport.attempts().length === 2 * 42);

    expect(turnsIn(pushTransport.attempts())).toEqual(['first', 'second', 'first', 'second', 'first', 'second']);
    expect(pushTransport.attempts().slice(0, 17)).toEqual([
      ...Array.from({ length: 16 }, (_, index) => `first ${index + 1}`),
      'second 1',
    ]);
  });

  test('a slow receiver gets one event per turn', async () => {
    const pushTransport = fakePushTransport();
    const door = deferred<DeliveryResult>();
    const node = await harness(manyEvents, { variant, pushTransport, push: { concurrency: 1 } });
    pushTransport.respond = async ({ config }) => {
      const result = await door.promise;
      if (config.id === 'slow') node.clock.advance(9000);
      return result;
    };
    await node.task('go', { pushConfig: hookAt('slow') });
    await node.task('go', { pushConfig: hookAt('quick') });
    door.resolve(DELIVERED);

    await until(() => pushTransport.attempts().length === 2 * 42);

    const [first, ...rest] = pushTransport.attempts();
    expect(first).toBe('slow 1');
    expect(rest.slice(0, 17)).toEqual([...Array.from({ length: 16 }, (_, index) => `quick ${index + 1}`), 'slow 2']);
    expect(new Set(pushTransport.attempts()).size).toBe(2 * 42);
  });

  test('perOwner leaves delivery slots to the receivers of other callers', async () => {
    const pushTransport = fakePushTransport();
    pushTransport.respond = ({ config }) => (config.id === 'bob' ? DELIVERED : new Promise(() => {}));
    const node = await harness(async () => 'done', { variant, pushTransport, push: { concurrency: 4, perOwner: 3 } });
    for (let i = 0; i < 6; i++) await node.task('go', { ...ANN, pushConfig: hookAt(`ann-${i}`, `host-${i}.example`) });
    await turns();
    expect(pushTransport.attempts()).toEqual(['ann-0 1', 'ann-1 1', 'ann-2 1']);

    await node.task('go', { ...BOB, pushConfig: hookAt('bob') });

    await until(() => pushTransport.deliveries.at(-1)?.event.body.includes('COMPLETED') === true);
    expect(turnsIn(pushTransport.attempts())).toEqual(['ann-0', 'ann-1', 'ann-2', 'bob']);
  });
});
