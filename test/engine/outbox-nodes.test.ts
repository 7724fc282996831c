import { describe, expect, onTestFinished, test } from 'vitest';
import type { DeliveryResult } from '../../src/engine/outbox/delivery.ts';
import { A2AError } from '../../src/errors.ts';
import type { Store } from '../../src/store/store.ts';
import { deferred } from '../../src/support/deferred.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { pass, turns } from './cluster.ts';
import {
  ANN,
  type Harness,
  harness,
  openStore,
  runnable,
  startHarness,
  until,
  STORES,
  withMethods,
} from './harness.ts';
import { DELIVERED, fakePushTransport, hookAt } from './fake-push-transport.ts';

async function lastEvent({ store }: Harness, id: string): Promise<number> {
  return (await store.read(ANN, id))?.record.lastEvent ?? 0;
}

/** The numbers of events from 1 on. */
function upTo(last: number): readonly string[] {
  return Array.from({ length: last }, (_, i) => `hook ${i + 1}`);
}

describe.each(STORES)('$name', (variant) => {
  test('two nodes on one store deliver each event once and in order', async () => {
    const clock = fakeClock();
    const store = openStore(variant, clock);
    const pushTransport = fakePushTransport();
    const agents = [
      runnable(async function* run() {
        yield 'a';
        yield 'b';
      }),
    ];
    const [first, second] = [
      await startHarness({ store, agents, clock, pushTransport }, clock),
      await startHarness({ store, agents, clock, pushTransport }, clock),
    ];
    const tasks = [];
    for (const node of [first, second, first, second])
      tasks.push(await node.task('go', { pushConfig: hookAt('hook') }));
    await pass(clock, 5000, 500);

    for (const { id } of tasks) {
      const delivered = pushTransport.deliveries
        .filter(({ task }) => task.id === id)
        .map(({ event }) => `hook ${event.number}`);
      expect(delivered).toEqual(upTo(await lastEvent(first, id)));
    }
  });

  test('a node that confirms its push lease too late delivers nothing more to that receiver', async () => {
    const clock = fakeClock();
    const store = openStore(variant, clock);
    const [first, heir] = [fakePushTransport(), fakePushTransport()];
    const [delivered, noted] = [deferred<DeliveryResult>(), deferred<void>()];
    first.respond = () => delivered.promise;
    let isAway = false;
    let notes = 0;
    const heartbeat: Store['heartbeat'] = async (...beat) => {
      if (isAway) throw new A2AError('UNAVAILABLE', 'away');
      await store.heartbeat(...beat);
    };
    const notePush: Store['notePush'] = async (report) => {
      if (++notes > 1) await noted.promise;
      return store.notePush(report);
    };
    const agents = [runnable(async () => 'done')];
    const slow = withMethods(store, { heartbeat, notePush });
    const node = await startHarness({ store: slow, agents, clock, pushTransport: first, pollMs: 3_600_000 }, clock);
    const { id } = await node.task('go', { pushConfig: hookAt('hook') });
    isAway = true;
    await pass(clock, 20_000, 2000);
    isAway = false;
    delivered.resolve(DELIVERED);
    await until(() => notes === 2);
    // It has sent a heartbeat and stores its progress: the response takes longer than the lease lasts.
    isAway = true;
    await pass(clock, 20_000, 2000);
    noted.resolve();
    await turns();
    const second = await startHarness({ store, agents, clock, pushTransport: heir }, clock);
    await pass(clock, 20_000, 2000);

    expect(first.attempts()).toEqual(['hook 1']);
    expect(heir.attempts()).toEqual(upTo(await lastEvent(second, id)).slice(1));
  });

  test('another node continues the deliveries of a node that died, from its last event', async () => {
    const pushTransport = fakePushTransport();
    const door = deferred<DeliveryResult>();
    pushTransport.respond = ({ event }) => (event.number < 3 ? DELIVERED : door.promise);
    const node = await harness(
      async function* run() {
        yield 'a';
        yield 'b';
      },
      { variant, pushTransport },
    );
    const { id } = await node.task('go', { pushConfig: hookAt('hook') });
    await until(() => pushTransport.attempts().includes('hook 3'));
    await turns();

    const heir = fakePushTransport();
    const next = await node.crash({ pushTransport: heir });
    const last = await lastEvent(next, id);
    await until(() => heir.attempts().at(-1) === `hook ${last}`);

    expect(heir.attempts()).toEqual(upTo(last).slice(2));
    // The repeated delivery has the same id, and the late result of the dead node changes nothing.
    expect(heir.deliveries[0]?.id).toBe(pushTransport.deliveries[2]?.id);
    door.resolve(DELIVERED);
    await pass(next.clock, 20_000, 1000);
    expect(heir.attempts()).toEqual(upTo(last).slice(2));
    expect(await next.store.nextPush(['agent'])).toBeUndefined();
  });

  test('an engine that closes aborts its deliveries, and the next engine continues at once', async () => {
    const pushTransport = fakePushTransport();
    const signals: AbortSignal[] = [];
    pushTransport.respond = (_, signal) => {
      signals.push(signal);
      return new Promise(() => {});
    };
    const node = await harness(async () => 'done', { variant, pushTransport });
    const { id } = await node.task('go', { pushConfig: hookAt('hook') });
    await until(() => signals.length === 1);

    const heir = fakePushTransport();
    const next = await node.restart({ pushTransport: heir });

    expect(signals[0]?.aborted).toBe(true);
    const last = await lastEvent(next, id);
    await until(() => heir.deliveries.length === last);
    expect(heir.attempts()).toEqual(upTo(last));
    expect(heir.deliveries[0]?.attempt).toBe(1);
  });

  test('an engine that closes with finishMs waits for deliveries under way', async () => {
    const pushTransport = fakePushTransport();
    const door = deferred<DeliveryResult>();
    pushTransport.respond = () => door.promise;
    const node = await harness(async ({ ask }) => ask('Which?'), { variant, pushTransport });
    const { id } = await node.task('go', { pushConfig: hookAt('hook') });
    const last = await lastEvent(node, id);
    await until(() => pushTransport.deliveries.length === 1);

    const closed = node.engine.close({ finishMs: 5000 });
    await turns();
    pushTransport.respond = () => DELIVERED;
    door.resolve(DELIVERED);
    await closed;

    const heir = fakePushTransport();
    await node.restart({ pushTransport: heir });
    await turns();
    expect([...pushTransport.attempts(), ...heir.attempts()]).toEqual(upTo(last));
  });

  test.each(['lost', 'unanswered'] as const)(
    'a store whose calls are %s for a while delays deliveries and loses no event',
    async (how) => {
      const clock = fakeClock();
      const store = openStore(variant, clock);
      let isBroken = false;
      const broken =
        <A extends unknown[], T>(call: (...args: A) => Promise<T>) =>
        async (...args: A): Promise<T> => {
          if (!isBroken) return call(...args);
          if (how === 'unanswered') await call(...args);
          throw new A2AError('UNAVAILABLE', 'The store is away');
        };
      const far = withMethods(store, {
        claimPushes: broken((request) => store.claimPushes(request)),
        notePush: broken((report) => store.notePush(report)),
        nextPush: broken((agents) => store.nextPush(agents)),
      });
      const pushTransport = fakePushTransport();
      pushTransport.respond = ({ config, event }) => {
        if (config.id === 'hook' && event.number === 2) isBroken = true;
        return DELIVERED;
      };
      const agents = [runnable(async () => 'done')];
      const node = await startHarness({ store: far, agents, clock, pushTransport }, clock);
      const { id } = await node.task('go', { pushConfig: hookAt('hook') });
      await until(() => isBroken);
      await node.task('go', { pushConfig: hookAt('other') });
      await pass(clock, 5000, 500);
      isBroken = false;

      const last = await lastEvent(node, id);
      await pass(clock, 5000, 500);
      await until(() => pushTransport.attempts().includes(`other ${last}`));
      expect(pushTransport.attempts().filter((name) => name.startsWith('hook'))).toEqual(upTo(last));
    },
  );

  test('a node that loses its lease before the first delivery delivers nothing', async () => {
    const clock = fakeClock();
    const store = openStore(variant, clock);
    const agents = [runnable(async () => 'done')];
    const late = fakePushTransport();
    const door = deferred<void>();
    let isAway = false;
    let isHeld = false;
    const away = withMethods(store, {
      heartbeat: async (node, ttlMs) => {
        if (isAway) throw new A2AError('UNAVAILABLE', 'The store is away');
        return store.heartbeat(node, ttlMs);
      },
      claimPushes: async (request) => {
        const claimed = await store.claimPushes(request);
        isAway ||= claimed.length > 0;
        return claimed;
      },
      events: async (taskId, after, limit) => {
        const events = await store.events(taskId, after, limit);
        if (isAway && !isHeld) {
          isHeld = true;
          await door.promise;
        }
        return events;
      },
    });
    const first = await startHarness({ store: away, agents, clock, pushTransport: late }, clock);
    const { id } = await first.task('go', { pushConfig: hookAt('hook') });
    await until(() => isHeld);
    await pass(clock, 20_000, 5000);
    const quick = fakePushTransport();
    const second = await startHarness({ store, agents, clock, pushTransport: quick }, clock);
    const last = await lastEvent(second, id);
    await until(() => quick.deliveries.length === last);

    // Its heartbeat works again before it continues.
    isAway = false;
    await pass(clock, 6000, 1000);
    door.resolve();
    await pass(clock, 5000, 1000);

    expect(late.attempts()).toEqual([]);
    expect(quick.attempts()).toEqual(upTo(last));
  });

  test('a node that has lost its lease does not move the delivery cursor back', async () => {
    const clock = fakeClock();
    const store = openStore(variant, clock);
    const agents = [runnable(async () => 'done')];
    const slow = fakePushTransport();
    const door = deferred<DeliveryResult>();
    slow.respond = () => door.promise;
    let isAway = false;
    const away = withMethods(store, {
      heartbeat: async (node, ttlMs) => (isAway ? undefined : store.heartbeat(node, ttlMs)),
    });
    const first = await startHarness({ store: away, agents, clock, pushTransport: slow }, clock);
    const { id } = await first.task('go', { pushConfig: hookAt('hook') });
    await until(() => slow.deliveries.length === 1);
    isAway = true;
    await pass(clock, 20_000, 5000);
    const quick = fakePushTransport();
    const second = await startHarness({ store, agents, clock, pushTransport: quick }, clock);
    onTestFinished(() => second.engine.close());
    const last = await lastEvent(second, id);
    await until(() => quick.deliveries.length === last);
    await turns();

    door.resolve(DELIVERED);
    await pass(clock, 5000, 1000);

    expect(slow.attempts()).toEqual(['hook 1']);
    expect(quick.attempts()).toEqual(upTo(last));
    expect(await store.nextPush(['agent'])).toBeUndefined();
  });
});
