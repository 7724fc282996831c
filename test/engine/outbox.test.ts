import { describe, expect, test } from 'vitest';
import type { DeliveryResult } from '../../src/engine/delivery.ts';
import type { StreamResponse } from '../../src/model/event.ts';
import { deferred } from '../../src/support/deferred.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { verifies } from '../helpers/verifies.ts';
import { pass, turns } from './faults.ts';
import { ANN, collect, harness, openStore, runnable, startHarness, until, VARIANTS } from './harness.ts';
import { DELIVERED, FAILED, fakeCourier, hookAt, nameOf } from './outbox-harness.ts';

const NOW = { returnImmediately: true } as const;

describe.each(VARIANTS)('$name', (variant) => {
  test(verifies('P-08', 'a receiver is told of every event, once and in order, each under its own id'), async () => {
    const courier = fakeCourier();
    const node = await harness(
      async function* run() {
        yield 'a';
        yield { status: 'working', text: 'half' };
        yield 'b';
      },
      { variant, courier },
    );

    const task = await node.task('go', { pushConfig: hookAt('hook') });
    const events = (await collect(node.engine.subscribe(ANN, task.id, { after: 0 }))).filter(
      (e) => e.kind !== 'message',
    );
    await until(() => courier.deliveries.length === events.length);
    await turns();

    expect(courier.told()).toEqual(events.map(({ number }) => `hook ${number}`));
    expect(courier.deliveries.map(({ event }) => event)).toEqual(events);
    expect(courier.deliveries.every(({ attempt, task: { id } }) => attempt === 1 && id === task.id)).toBe(true);
    const ids = courier.deliveries.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => id.length <= 64 && /^[\w-]+$/.test(id))).toBe(true);
    expect(await courier.deliveries.at(-1)?.taskView()).toEqual(await node.engine.get(ANN, task.id));
  });

  test('the first event is told at once, while the task is at work', async () => {
    const door = deferred<void>();
    const courier = fakeCourier();
    const node = await harness(async () => door.promise, { variant, courier });

    await node.task('go', { ...NOW, pushConfig: hookAt('hook') });
    await until(() => courier.deliveries.length > 0);

    const body = JSON.parse(courier.deliveries[0]?.event.body ?? '') as StreamResponse;
    expect(body).toMatchObject({ task: { status: { state: 'TASK_STATE_SUBMITTED' } } });
    door.resolve();
  });

  test('one that comes later is told of what comes after it', async () => {
    const courier = fakeCourier();
    const node = await harness(async ({ ask }) => ask('Which?'), { variant, courier });
    const asked = await node.task('go');
    const before = (await node.store.read(ANN, asked.id))?.record.lastEvent ?? 0;
    await node.engine.setPushConfig(ANN, asked.id, hookAt('late'));
    await turns();
    expect(courier.deliveries).toEqual([]);

    await node.reply(asked, 'this');

    await until(() => courier.deliveries.length > 1);
    expect(courier.told()[0]).toBe(`late ${before + 1}`);
    const last = (await node.store.read(ANN, asked.id))?.record.lastEvent ?? 0;
    await until(() => courier.told().at(-1) === `late ${last}`);
  });

  test('one that comes with a follow-up hears of what the message does, and of no event twice', async () => {
    const courier = fakeCourier();
    const node = await harness(async ({ ask }) => `${await ask('One?')} ${await ask('Two?')}`, { variant, courier });
    const asked = await node.task('go', { pushConfig: hookAt('hook') });
    const again = await node.reply(asked, 'a', { pushConfig: hookAt('hook') });
    const done = await node.reply(again, 'b', { pushConfig: hookAt('other') });
    const last = (await node.store.read(ANN, done.id))?.record.lastEvent ?? 0;

    await until(() => courier.told().includes(`hook ${last}`) && courier.told().includes(`other ${last}`));
    const numbers = courier.deliveries.filter(({ config }) => config.id === 'hook').map(({ event }) => event.number);
    expect([...new Set(numbers)]).toEqual(Array.from({ length: last }, (_, i) => i + 1));
  });

  test('events that a dialect does not know are passed over', async () => {
    const courier = fakeCourier(({ kind }) => kind === 'status');
    const node = await harness(
      async function* run() {
        yield 'a';
        yield 'b';
      },
      { variant, courier },
    );
    await node.task('go', { pushConfig: hookAt('hook') });
    await until(() => courier.deliveries.at(-1)?.event.body.includes('COMPLETED') === true);
    await turns();
    expect(new Set(courier.deliveries.map(({ event }) => event.kind))).toEqual(new Set(['status']));
    expect(await node.store.nextPush(['agent'])).toBeUndefined();
  });

  test(verifies('P-09', 'a receiver that is down for an hour gets everything when it is back, in order'), async () => {
    const courier = fakeCourier();
    const node = await harness(
      async function* run() {
        yield 'a';
        yield 'b';
      },
      { variant, courier, push: { random: () => 0.5 } },
    );
    const { clock } = node;
    const back = clock.now() + 3_600_000;
    courier.answer = () => (clock.now() < back ? FAILED : DELIVERED);
    const task = await node.task('go', { pushConfig: hookAt('hook') });
    const last = (await node.store.read(ANN, task.id))?.record.lastEvent ?? 0;

    await until(() => courier.deliveries.length > 0);
    await pass(clock, 3 * 3_600_000, 60_000);
    await until(() => courier.told().at(-1) === `hook ${last}`);

    const attempts = courier.deliveries.filter(({ event }) => event.number === 1).map(({ attempt }) => attempt);
    // At once, and after 2 s, 10 s, 1 m, 5 m, 30 m, 2 h.
    expect(attempts).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(new Set(courier.deliveries.filter(({ event }) => event.number === 1).map(({ id }) => id)).size).toBe(1);
    expect(courier.told().slice(attempts.length)).toEqual(Array.from({ length: last - 1 }, (_, i) => `hook ${i + 2}`));
    expect(await node.engine.deadLetters()).toEqual([]);
  });

  test('one that flaps gets each event, in order, with as many attempts as it takes', async () => {
    const courier = fakeCourier();
    let calls = 0;
    courier.answer = () => (++calls % 3 === 0 ? DELIVERED : FAILED);
    const node = await harness(
      async function* run() {
        yield 'a';
        yield 'b';
      },
      { variant, courier },
    );
    const { id } = await node.task('go', { pushConfig: hookAt('hook') });
    const last = (await node.store.read(ANN, id))?.record.lastEvent ?? 0;

    await until(async () => {
      await pass(node.clock, 5000, 2500);
      return courier.deliveries.length === 3 * last;
    });

    expect(courier.told()).toEqual(Array.from({ length: 3 * last }, (_, i) => `hook ${Math.floor(i / 3) + 1}`));
    expect(courier.deliveries.map(({ attempt }) => attempt)).toEqual(
      Array.from({ length: 3 * last }, (_, i) => (i % 3) + 1),
    );
  });

  test('a receiver that asks for time is given it', async () => {
    const courier = fakeCourier();
    courier.answer = ({ attempt }): DeliveryResult =>
      attempt === 1 ? { kind: 'failed', reason: 'It answered 429', retryAfterMs: 90_000 } : DELIVERED;
    const node = await harness(async () => {}, { variant, courier });
    await node.task('go', { pushConfig: hookAt('hook') });
    await until(() => courier.deliveries.length === 1);
    await turns();
    await pass(node.clock, 89_000, 10_000);
    expect(courier.deliveries).toHaveLength(1);
    await pass(node.clock, 2000, 1000);
    await until(() => courier.deliveries.length > 1);
  });

  test('a slow receiver holds up neither its task nor another receiver, and has one call at a time', async () => {
    const courier = fakeCourier();
    const door = deferred<DeliveryResult>();
    courier.answer = ({ config }) => (config.id === 'slow' ? door.promise : DELIVERED);
    const node = await harness(async ({ ask }) => ask('Which?'), { variant, courier });

    const asked = await node.task('go', { pushConfig: hookAt('slow') });
    await node.engine.setPushConfig(ANN, asked.id, hookAt('quick'));
    const done = await node.reply(asked, 'x');

    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    const last = (await node.store.read(ANN, done.id))?.record.lastEvent ?? 0;
    await until(() => courier.told().includes(`quick ${last}`));
    expect(courier.underWay.get('slow')).toBe(1);
    door.resolve(DELIVERED);
    await until(() => courier.told().includes(`slow ${last}`));
  });

  test('no more are under way than may be, to one host and in all', async () => {
    const courier = fakeCourier();
    const doors = new Map<string, () => void>();
    courier.answer = (delivery) => new Promise((resolve) => doors.set(delivery.id, () => resolve(DELIVERED)));
    const push = { concurrency: 5, perReceiver: 2 };
    const node = await harness(async ({ ask }) => ask('Which?'), { variant, courier, push });
    for (let i = 0; i < 6; i++) await node.task('go', { pushConfig: hookAt(`dead-${i}`, 'dead.example') });
    for (let i = 0; i < 6; i++) await node.task('go', { pushConfig: hookAt(`live-${i}`, `live-${i}.example`) });
    await turns(60);

    const hosts = courier.deliveries.map(({ config }) => new URL(config.config.url).host);
    expect(hosts.filter((host) => host === 'dead.example')).toHaveLength(2);
    expect(hosts).toHaveLength(5);
    await until(async () => {
      for (const [id, open] of doors) {
        doors.delete(id);
        open();
      }
      await turns(5);
      return new Set(courier.told()).size >= 24;
    });
  });

  test('one that is replaced goes on at its new address with what it was not told', async () => {
    const courier = fakeCourier();
    courier.answer = ({ config }) => (config.config.url.includes('old') ? FAILED : DELIVERED);
    const node = await harness(async () => 'done', { variant, courier });
    const { id } = await node.task('go', { pushConfig: hookAt('hook', 'old.example') });
    await until(() => courier.deliveries.length === 1);
    const last = (await node.store.read(ANN, id))?.record.lastEvent ?? 0;

    await node.engine.setPushConfig(ANN, id, hookAt('hook', 'new.example'));

    await until(() => courier.deliveries.length === last + 1);
    expect(courier.deliveries.slice(1).map(nameOf)).toEqual(Array.from({ length: last }, (_, i) => `hook ${i + 1}`));
    expect(courier.deliveries[1]?.id).toBe(courier.deliveries[0]?.id);
    expect(courier.deliveries[1]?.attempt).toBe(1);
  });

  test(verifies('P-05', 'after a delete nothing is sent, and what was under way is cut off'), async () => {
    const courier = fakeCourier();
    const signals: AbortSignal[] = [];
    courier.answer = (_, signal) => {
      signals.push(signal);
      return new Promise(() => {});
    };
    const node = await harness(async ({ ask }) => ask('Which?'), { variant, courier });
    const asked = await node.task('go', { pushConfig: hookAt('hook') });
    await until(() => signals.length === 1);

    await node.engine.deletePushConfig(ANN, asked.id, 'hook');

    expect(signals[0]?.aborted).toBe(true);
    await node.reply(asked, 'x');
    await pass(node.clock, 10_000, 1000);
    expect(courier.deliveries).toHaveLength(1);
  });

  test('without a courier nothing is due, and nothing is lost for one that comes', async () => {
    const clock = fakeClock();
    const store = openStore(variant, clock);
    const agents = [runnable(async () => 'done')];
    const deaf = await startHarness({ store, agents, clock }, clock);
    await deaf.task('go', { pushConfig: hookAt('hook') });
    await expect(deaf.engine.redeliver('x')).rejects.toMatchObject({ code: 'PUSH_NOTIFICATION_NOT_SUPPORTED' });

    const courier = fakeCourier();
    await deaf.restart({ courier });

    await until(() => courier.deliveries.at(-1)?.event.body.includes('COMPLETED') === true);
    expect(courier.told()[0]).toBe('hook 1');
  });
});
