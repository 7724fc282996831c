import { describe, expect, onTestFinished, test } from 'vitest';
import type { DeliveryResult } from '../../src/engine/outbox/delivery.ts';
import { A2AError } from '../../src/errors.ts';
import type { Store } from '../../src/store/store.ts';
import { deferred } from '../../src/support/deferred.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { pass, turns } from './faults.ts';
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
import { DELIVERED, fakeCourier, hookAt } from './outbox-harness.ts';

async function lastEvent({ store }: Harness, id: string): Promise<number> {
  return (await store.read(ANN, id))?.record.lastEvent ?? 0;
}

/** The numbers of events from 1 on. */
function upTo(last: number): readonly string[] {
  return Array.from({ length: last }, (_, i) => `hook ${i + 1}`);
}

describe.each(STORES)('$name', (variant) => {
  test('of two nodes on one store one tells, each event once and in order', async () => {
    const clock = fakeClock();
    const store = openStore(variant, clock);
    const pushTransport = fakeCourier();
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
      const told = pushTransport.deliveries
        .filter(({ task }) => task.id === id)
        .map(({ event }) => `hook ${event.number}`);
      expect(told).toEqual(upTo(await lastEvent(first, id)));
    }
  });

  test('a node that hears too late that a receiver is still its own tells it nothing more', async () => {
    const clock = fakeClock();
    const store = openStore(variant, clock);
    const [first, heir] = [fakeCourier(), fakeCourier()];
    const [delivered, noted] = [deferred<DeliveryResult>(), deferred<void>()];
    first.answer = () => delivered.promise;
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
    // It has said that it lives, and notes how far it is: the answer takes longer than that holds.
    isAway = true;
    await pass(clock, 20_000, 2000);
    noted.resolve();
    await turns();
    const second = await startHarness({ store, agents, clock, pushTransport: heir }, clock);
    await pass(clock, 20_000, 2000);

    expect(first.told()).toEqual(['hook 1']);
    expect(heir.told()).toEqual(upTo(await lastEvent(second, id)).slice(1));
  });

  test('what a node was telling when it died another tells, from where it was', async () => {
    const pushTransport = fakeCourier();
    const door = deferred<DeliveryResult>();
    pushTransport.answer = ({ event }) => (event.number < 3 ? DELIVERED : door.promise);
    const node = await harness(
      async function* run() {
        yield 'a';
        yield 'b';
      },
      { variant, pushTransport },
    );
    const { id } = await node.task('go', { pushConfig: hookAt('hook') });
    await until(() => pushTransport.told().includes('hook 3'));
    await turns();

    const heir = fakeCourier();
    const next = await node.crash({ pushTransport: heir });
    const last = await lastEvent(next, id);
    await until(() => heir.told().at(-1) === `hook ${last}`);

    expect(heir.told()).toEqual(upTo(last).slice(2));
    // The dead one goes on for a moment: what it did is recognisable, and changes nothing.
    expect(heir.deliveries[0]?.id).toBe(pushTransport.deliveries[2]?.id);
    door.resolve(DELIVERED);
    await pass(next.clock, 20_000, 1000);
    expect(heir.told()).toEqual(upTo(last).slice(2));
    expect(await next.store.nextPush(['agent'])).toBeUndefined();
  });

  test('an engine that closes lets go of what is under way, and the next one goes on at once', async () => {
    const pushTransport = fakeCourier();
    const signals: AbortSignal[] = [];
    pushTransport.answer = (_, signal) => {
      signals.push(signal);
      return new Promise(() => {});
    };
    const node = await harness(async () => 'done', { variant, pushTransport });
    const { id } = await node.task('go', { pushConfig: hookAt('hook') });
    await until(() => signals.length === 1);

    const heir = fakeCourier();
    const next = await node.restart({ pushTransport: heir });

    expect(signals[0]?.aborted).toBe(true);
    const last = await lastEvent(next, id);
    await until(() => heir.deliveries.length === last);
    expect(heir.told()).toEqual(upTo(last));
    expect(heir.deliveries[0]?.attempt).toBe(1);
  });

  test('an engine that closes gives what is under way its time', async () => {
    const pushTransport = fakeCourier();
    const door = deferred<DeliveryResult>();
    pushTransport.answer = () => door.promise;
    const node = await harness(async ({ ask }) => ask('Which?'), { variant, pushTransport });
    const { id } = await node.task('go', { pushConfig: hookAt('hook') });
    const last = await lastEvent(node, id);
    await until(() => pushTransport.deliveries.length === 1);

    const closed = node.engine.close({ finishMs: 5000 });
    await turns();
    pushTransport.answer = () => DELIVERED;
    door.resolve(DELIVERED);
    await closed;

    const heir = fakeCourier();
    await node.restart({ pushTransport: heir });
    await turns();
    expect([...pushTransport.told(), ...heir.told()]).toEqual(upTo(last));
  });

  test.each(['lost', 'unanswered'] as const)(
    'a store whose calls are %s for a while costs time, and no event',
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
      const pushTransport = fakeCourier();
      pushTransport.answer = ({ config, event }) => {
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
      await until(() => pushTransport.told().includes(`other ${last}`));
      expect(pushTransport.told().filter((told) => told.startsWith('hook'))).toEqual(upTo(last));
    },
  );

  test('a node that was away too long before it said anything says nothing', async () => {
    const clock = fakeClock();
    const store = openStore(variant, clock);
    const agents = [runnable(async () => 'done')];
    const late = fakeCourier();
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
    const quick = fakeCourier();
    const second = await startHarness({ store, agents, clock, pushTransport: quick }, clock);
    const last = await lastEvent(second, id);
    await until(() => quick.deliveries.length === last);

    // It lives again before it goes on.
    isAway = false;
    await pass(clock, 6000, 1000);
    door.resolve();
    await pass(clock, 5000, 1000);

    expect(late.told()).toEqual([]);
    expect(quick.told()).toEqual(upTo(last));
  });

  test('a node that was away too long does not move the cursor back', async () => {
    const clock = fakeClock();
    const store = openStore(variant, clock);
    const agents = [runnable(async () => 'done')];
    const slow = fakeCourier();
    const door = deferred<DeliveryResult>();
    slow.answer = () => door.promise;
    let isAway = false;
    const away = withMethods(store, {
      heartbeat: async (node, ttlMs) => (isAway ? undefined : store.heartbeat(node, ttlMs)),
    });
    const first = await startHarness({ store: away, agents, clock, pushTransport: slow }, clock);
    const { id } = await first.task('go', { pushConfig: hookAt('hook') });
    await until(() => slow.deliveries.length === 1);
    isAway = true;
    await pass(clock, 20_000, 5000);
    const quick = fakeCourier();
    const second = await startHarness({ store, agents, clock, pushTransport: quick }, clock);
    onTestFinished(() => second.engine.close());
    const last = await lastEvent(second, id);
    await until(() => quick.deliveries.length === last);
    await turns();

    door.resolve(DELIVERED);
    await pass(clock, 5000, 1000);

    expect(slow.told()).toEqual(['hook 1']);
    expect(quick.told()).toEqual(upTo(last));
    expect(await store.nextPush(['agent'])).toBeUndefined();
  });
});
