import { describe, expect, test } from 'vitest';
import type { DeliveryResult } from '../../src/engine/outbox/delivery.ts';
import type { StreamResponse } from '../../src/model/event.ts';
import { deferred } from '../../src/support/deferred.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { verifies } from '../helpers/verifies.ts';
import { pass, turns } from './cluster.ts';
import { ANN, collect, harness, openStore, runnable, startHarness, until, VARIANTS } from './harness.ts';
import { DELIVERED, FAILED, fakePushTransport, hookAt, nameOf } from './fake-push-transport.ts';

const NOW = { returnImmediately: true } as const;

describe.each(VARIANTS)('$name', (variant) => {
  test(verifies('P-08', 'a receiver gets every event once and in order, each under its own id'), async () => {
    const pushTransport = fakePushTransport();
    const node = await harness(
      async function* run() {
        yield 'a';
        yield { status: 'working', text: 'half' };
        yield 'b';
      },
      { variant, pushTransport },
    );

    const task = await node.task('go', { pushConfig: hookAt('hook') });
    const events = (await collect(node.engine.subscribe(ANN, task.id, { after: 0 }))).filter(
      (e) => e.kind !== 'message',
    );
    await until(() => pushTransport.deliveries.length === events.length);
    await turns();

    expect(pushTransport.attempts()).toEqual(events.map(({ number }) => `hook ${number}`));
    expect(pushTransport.deliveries.map(({ event }) => event)).toEqual(events);
    expect(pushTransport.deliveries.every(({ attempt, task: { id } }) => attempt === 1 && id === task.id)).toBe(true);
    const ids = pushTransport.deliveries.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => id.length <= 64 && /^[\w-]+$/.test(id))).toBe(true);
    expect(await pushTransport.deliveries.at(-1)?.taskView()).toEqual(await node.engine.get(ANN, task.id));
  });

  test('the first event is delivered at once, while the task is working', async () => {
    const door = deferred<void>();
    const pushTransport = fakePushTransport();
    const node = await harness(async () => door.promise, { variant, pushTransport });

    await node.task('go', { ...NOW, pushConfig: hookAt('hook') });
    await until(() => pushTransport.deliveries.length > 0);

    const body = JSON.parse(pushTransport.deliveries[0]?.event.body ?? '') as StreamResponse;
    expect(body).toMatchObject({ task: { status: { state: 'TASK_STATE_SUBMITTED' } } });
    door.resolve();
  });

  test('a push configuration that is added later gets the events after that', async () => {
    const pushTransport = fakePushTransport();
    const node = await harness(async ({ ask }) => ask('Which?'), { variant, pushTransport });
    const asked = await node.task('go');
    const before = (await node.store.read(ANN, asked.id))?.record.lastEvent ?? 0;
    await node.engine.setPushConfig(ANN, asked.id, hookAt('late'));
    await turns();
    expect(pushTransport.deliveries).toEqual([]);

    await node.reply(asked, 'this');

    await until(() => pushTransport.deliveries.length > 1);
    expect(pushTransport.attempts()[0]).toBe(`late ${before + 1}`);
    const last = (await node.store.read(ANN, asked.id))?.record.lastEvent ?? 0;
    await until(() => pushTransport.attempts().at(-1) === `late ${last}`);
  });

  test('a push configuration that comes with a follow-up gets the events of that message, and a replaced one gets no event twice', async () => {
    const pushTransport = fakePushTransport();
    const node = await harness(async ({ ask }) => `${await ask('One?')} ${await ask('Two?')}`, {
      variant,
      pushTransport,
    });
    const asked = await node.task('go', { pushConfig: hookAt('hook') });
    const again = await node.reply(asked, 'a', { pushConfig: hookAt('hook') });
    const done = await node.reply(again, 'b', { pushConfig: hookAt('other') });
    const last = (await node.store.read(ANN, done.id))?.record.lastEvent ?? 0;

    await until(
      () => pushTransport.attempts().includes(`hook ${last}`) && pushTransport.attempts().includes(`other ${last}`),
    );
    const numbers = pushTransport.deliveries
      .filter(({ config }) => config.id === 'hook')
      .map(({ event }) => event.number);
    expect([...new Set(numbers)]).toEqual(Array.from({ length: last }, (_, i) => i + 1));
  });

  test('events that the dialect of a receiver does not have are skipped', async () => {
    const pushTransport = fakePushTransport(({ kind }) => kind === 'status');
    const node = await harness(
      async function* run() {
        yield 'a';
        yield 'b';
      },
      { variant, pushTransport },
    );
    await node.task('go', { pushConfig: hookAt('hook') });
    await until(() => pushTransport.deliveries.at(-1)?.event.body.includes('COMPLETED') === true);
    await turns();
    expect(new Set(pushTransport.deliveries.map(({ event }) => event.kind))).toEqual(new Set(['status']));
    expect(await node.store.nextPush(['agent'])).toBeUndefined();
  });

  test(verifies('P-09', 'a receiver that is down for an hour gets all events afterwards, in order'), async () => {
    const pushTransport = fakePushTransport();
    const node = await harness(
      async function* run() {
        yield 'a';
        yield 'b';
      },
      { variant, pushTransport, push: { random: () => 0.5 } },
    );
    const { clock } = node;
    const back = clock.now() + 3_600_000;
    pushTransport.respond = () => (clock.now() < back ? FAILED : DELIVERED);
    const task = await node.task('go', { pushConfig: hookAt('hook') });
    const last = (await node.store.read(ANN, task.id))?.record.lastEvent ?? 0;

    await until(() => pushTransport.deliveries.length > 0);
    await pass(clock, 3 * 3_600_000, 60_000);
    await until(() => pushTransport.attempts().at(-1) === `hook ${last}`);

    const attempts = pushTransport.deliveries.filter(({ event }) => event.number === 1).map(({ attempt }) => attempt);
    // At once, and after 2 s, 10 s, 1 m, 5 m, 30 m, 2 h.
    expect(attempts).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(new Set(pushTransport.deliveries.filter(({ event }) => event.number === 1).map(({ id }) => id)).size).toBe(
      1,
    );
    expect(pushTransport.attempts().slice(attempts.length)).toEqual(
      Array.from({ length: last - 1 }, (_, i) => `hook ${i + 2}`),
    );
    expect(await node.engine.deadLetters()).toEqual([]);
  });

  test('a receiver that fails two of three attempts gets each event, in order', async () => {
    const pushTransport = fakePushTransport();
    let calls = 0;
    pushTransport.respond = () => (++calls % 3 === 0 ? DELIVERED : FAILED);
    const node = await harness(
      async function* run() {
        yield 'a';
        yield 'b';
      },
      { variant, pushTransport },
    );
    const { id } = await node.task('go', { pushConfig: hookAt('hook') });
    const last = (await node.store.read(ANN, id))?.record.lastEvent ?? 0;

    await until(async () => {
      await pass(node.clock, 5000, 2500);
      return pushTransport.deliveries.length === 3 * last;
    });

    expect(pushTransport.attempts()).toEqual(
      Array.from({ length: 3 * last }, (_, i) => `hook ${Math.floor(i / 3) + 1}`),
    );
    expect(pushTransport.deliveries.map(({ attempt }) => attempt)).toEqual(
      Array.from({ length: 3 * last }, (_, i) => (i % 3) + 1),
    );
  });

  test('a delivery is retried after the retryAfterMs of the receiver', async () => {
    const pushTransport = fakePushTransport();
    pushTransport.respond = ({ attempt }): DeliveryResult =>
      attempt === 1 ? { kind: 'failed', reason: 'It answered 429', retryAfterMs: 90_000 } : DELIVERED;
    const node = await harness(async () => {}, { variant, pushTransport });
    await node.task('go', { pushConfig: hookAt('hook') });
    await until(() => pushTransport.deliveries.length === 1);
    await turns();
    await pass(node.clock, 89_000, 10_000);
    expect(pushTransport.deliveries).toHaveLength(1);
    await pass(node.clock, 2000, 1000);
    await until(() => pushTransport.deliveries.length > 1);
  });

  test('a slow receiver delays neither its task nor other receivers, and gets one delivery at a time', async () => {
    const pushTransport = fakePushTransport();
    const door = deferred<DeliveryResult>();
    pushTransport.respond = ({ config }) => (config.id === 'slow' ? door.promise : DELIVERED);
    const node = await harness(async ({ ask }) => ask('Which?'), { variant, pushTransport });

    const asked = await node.task('go', { pushConfig: hookAt('slow') });
    await node.engine.setPushConfig(ANN, asked.id, hookAt('quick'));
    const done = await node.reply(asked, 'x');

    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    const last = (await node.store.read(ANN, done.id))?.record.lastEvent ?? 0;
    await until(() => pushTransport.attempts().includes(`quick ${last}`));
    expect(pushTransport.underWay.get('slow')).toBe(1);
    door.resolve(DELIVERED);
    await until(() => pushTransport.attempts().includes(`slow ${last}`));
  });

  test('concurrency and perReceiver limit the deliveries under way', async () => {
    const pushTransport = fakePushTransport();
    const doors = new Map<string, () => void>();
    pushTransport.respond = (delivery) => new Promise((resolve) => doors.set(delivery.id, () => resolve(DELIVERED)));
    const push = { concurrency: 5, perReceiver: 2 };
    const node = await harness(async ({ ask }) => ask('Which?'), { variant, pushTransport, push });
    for (let i = 0; i < 6; i++) await node.task('go', { pushConfig: hookAt(`dead-${i}`, 'dead.example') });
    for (let i = 0; i < 6; i++) await node.task('go', { pushConfig: hookAt(`live-${i}`, `live-${i}.example`) });
    await turns(60);

    const hosts = pushTransport.deliveries.map(({ config }) => new URL(config.config.url).host);
    expect(hosts.filter((host) => host === 'dead.example')).toHaveLength(2);
    expect(hosts).toHaveLength(5);
    await until(async () => {
      for (const [id, open] of doors) {
        doors.delete(id);
        open();
      }
      await turns(5);
      return new Set(pushTransport.attempts()).size >= 24;
    });
  });

  test('a replaced push configuration gets the undelivered events at its new URL', async () => {
    const pushTransport = fakePushTransport();
    pushTransport.respond = ({ config }) => (config.config.url.includes('old') ? FAILED : DELIVERED);
    const node = await harness(async () => 'done', { variant, pushTransport });
    const { id } = await node.task('go', { pushConfig: hookAt('hook', 'old.example') });
    await until(() => pushTransport.deliveries.length === 1);
    const last = (await node.store.read(ANN, id))?.record.lastEvent ?? 0;

    await node.engine.setPushConfig(ANN, id, hookAt('hook', 'new.example'));

    await until(() => pushTransport.deliveries.length === last + 1);
    expect(pushTransport.deliveries.slice(1).map(nameOf)).toEqual(
      Array.from({ length: last }, (_, i) => `hook ${i + 1}`),
    );
    expect(pushTransport.deliveries[1]?.id).toBe(pushTransport.deliveries[0]?.id);
    expect(pushTransport.deliveries[1]?.attempt).toBe(1);
  });

  test(verifies('P-05', 'deleting a push configuration aborts its delivery and stops further ones'), async () => {
    const pushTransport = fakePushTransport();
    const signals: AbortSignal[] = [];
    pushTransport.respond = (_, signal) => {
      signals.push(signal);
      return new Promise(() => {});
    };
    const node = await harness(async ({ ask }) => ask('Which?'), { variant, pushTransport });
    const asked = await node.task('go', { pushConfig: hookAt('hook') });
    await until(() => signals.length === 1);

    await node.engine.deletePushConfig(ANN, asked.id, 'hook');

    expect(signals[0]?.aborted).toBe(true);
    await node.reply(asked, 'x');
    await pass(node.clock, 10_000, 1000);
    expect(pushTransport.deliveries).toHaveLength(1);
  });

  test('without a push transport nothing is delivered, and a later engine with one delivers all events', async () => {
    const clock = fakeClock();
    const store = openStore(variant, clock);
    const agents = [runnable(async () => 'done')];
    const withoutPush = await startHarness({ store, agents, clock }, clock);
    await withoutPush.task('go', { pushConfig: hookAt('hook') });
    await expect(withoutPush.engine.redeliver('x')).rejects.toMatchObject({ code: 'PUSH_NOTIFICATION_NOT_SUPPORTED' });

    const pushTransport = fakePushTransport();
    await withoutPush.restart({ pushTransport });

    await until(() => pushTransport.deliveries.at(-1)?.event.body.includes('COMPLETED') === true);
    expect(pushTransport.attempts()[0]).toBe('hook 1');
  });
});
