import { describe, expect, test } from 'vitest';
import type { DeliveryResult } from '../../src/engine/outbox/delivery.ts';
import { deferred } from '../../src/support/deferred.ts';
import { verifies } from '../helpers/verifies.ts';
import { pass, turns } from './cluster.ts';
import { type Harness, ANN, harness, until, STORES } from './harness.ts';
import { DELIVERED, FAILED, fakePushTransport, hookAt } from './fake-push-transport.ts';

const HOUR = 3_600_000;
const GONE: DeliveryResult = { kind: 'failed', reason: 'It answered 410', gone: true };

async function lastEvent({ store }: Harness, id: string): Promise<number> {
  return (await store.read(ANN, id))?.record.lastEvent ?? 0;
}

describe.each(STORES)('$name', (variant) => {
  test(
    verifies('P-08', 'an event that cannot be delivered for a day becomes a dead letter, and the next one is tried'),
    async () => {
      const pushTransport = fakePushTransport();
      pushTransport.respond = ({ event }) => (event.number === 2 ? FAILED : DELIVERED);
      const node = await harness(async () => 'done', { variant, pushTransport });
      const { clock } = node;
      const start = clock.now();
      const { id: taskId } = await node.task('go', { pushConfig: hookAt('hook') });
      const last = await lastEvent(node, taskId);
      await until(() => pushTransport.attempts().includes('hook 2'));
      await turns();

      await pass(clock, 23 * HOUR, HOUR / 2);
      expect(pushTransport.attempts()).not.toContain('hook 3');
      await pass(clock, 2 * HOUR, HOUR / 2);
      await until(() => pushTransport.attempts().at(-1) === `hook ${last}`);

      const tries = pushTransport.deliveries.filter(({ event }) => event.number === 2);
      expect(tries.length).toBeGreaterThan(8);
      const [letter, ...others] = await node.engine.deadLetters();
      expect(others).toEqual([]);
      expect(letter).toEqual({
        ...ANN,
        id: tries[0]?.id,
        taskId,
        configId: 'hook',
        receiver: 'example.com',
        event: tries[0]?.event,
        reason: 'It answered 503',
        attempts: tries.length,
        time: start + 24 * HOUR,
      });
      expect(JSON.stringify(node.log)).toContain('Gave up on push notification');
    },
  );

  test(verifies(['P-08', 'P-11'], 'a receiver that fails for disableAfter events in a row is disabled'), async () => {
    const pushTransport = fakePushTransport();
    pushTransport.respond = () => FAILED;
    const push = { disableAfter: 3, maxAgeMs: HOUR };
    const node = await harness(
      async function* run({ ask }) {
        for (const text of ['a', 'b', 'c']) yield text;
        await ask('Which?');
        yield 'd';
      },
      { variant, pushTransport, push },
    );
    const asked = await node.task('go', { pushConfig: hookAt('hook') });
    await until(() => pushTransport.deliveries.length > 0);
    await pass(node.clock, 4 * HOUR, 10 * 60_000);

    const tries = (number: number): number =>
      pushTransport.deliveries.filter(({ event }) => event.number === number).length;
    expect(tries(1)).toBeGreaterThan(3);
    expect([tries(2), tries(3), tries(4)]).toEqual([1, 1, 0]);
    const letters = await node.engine.deadLetters();
    expect(letters.map(({ event }) => event.number)).toEqual([1, 2, 3]);
    expect(new Set(letters.map(({ disabled }) => disabled))).toEqual(
      new Set(['3 events in a row could not be delivered: It answered 503']),
    );
    const count = pushTransport.deliveries.length;
    await node.reply(asked, 'x');
    await pass(node.clock, 10 * HOUR, HOUR);
    expect(pushTransport.deliveries).toHaveLength(count);
  });

  test('a delivered event resets the count of failed events in a row', async () => {
    const pushTransport = fakePushTransport();
    pushTransport.respond = ({ event }) => (event.number % 2 === 0 ? DELIVERED : FAILED);
    const push = { disableAfter: 2, maxAttempts: 1 };
    const node = await harness(
      async function* run() {
        yield { status: 'working', text: '1' };
        yield { status: 'working', text: '2' };
        yield 'a';
      },
      { variant, pushTransport, push },
    );
    const { id } = await node.task('go', { pushConfig: hookAt('hook') });
    const last = await lastEvent(node, id);
    await until(async () => {
      await pass(node.clock, HOUR, HOUR);
      return pushTransport.attempts().at(-1) === `hook ${last}`;
    });
    await turns();
    expect(pushTransport.attempts()).toEqual(Array.from({ length: last }, (_, i) => `hook ${i + 1}`));
    expect((await node.engine.deadLetters()).every(({ disabled }) => disabled === undefined)).toBe(true);
  });

  test('a receiver that answers 410 is disabled at once', async () => {
    const pushTransport = fakePushTransport();
    pushTransport.respond = () => GONE;
    const node = await harness(async () => 'done', { variant, pushTransport });
    await node.task('go', { pushConfig: hookAt('hook') });
    await until(async () => (await node.engine.deadLetters()).length === 1);
    await pass(node.clock, 48 * HOUR, 12 * HOUR);
    expect(pushTransport.attempts()).toEqual(['hook 1']);
    expect(await node.engine.deadLetters()).toMatchObject([
      { disabled: 'The receiver declined further notifications: It answered 410', attempts: 1 },
    ]);
    const disabled = 'The receiver declined further notifications: It answered 410';
    expect(node.log.find(({ message }) => message === 'Disabled push configuration')?.fields).toMatchObject({
      taskId: expect.any(String),
      configId: 'hook',
      receiver: 'example.com',
      disabled,
    });
  });

  test('redeliver sends one or all dead letters again, and a receiver that works again gets the remaining events', async () => {
    const pushTransport = fakePushTransport();
    pushTransport.respond = () => FAILED;
    const push = { disableAfter: 2, maxAttempts: 1 };
    const node = await harness(async () => 'done', { variant, pushTransport, push });
    const { id: taskId } = await node.task('go', { pushConfig: hookAt('hook') });
    const last = await lastEvent(node, taskId);
    await until(async () => {
      await pass(node.clock, HOUR, HOUR);
      return (await node.engine.deadLetters()).length === 2;
    });
    const [first, second] = await node.engine.deadLetters();
    const count = pushTransport.deliveries.length;

    expect(await node.engine.redeliver(first?.id ?? '')).toEqual({
      delivered: 0,
      failed: { id: first?.id, reason: 'It answered 503' },
    });
    expect(await node.engine.deadLetters({ limit: 1 })).toEqual([first]);
    expect(await node.engine.deadLetters({ after: first?.id ?? '' })).toEqual([second]);

    pushTransport.respond = () => DELIVERED;
    expect(await node.engine.redeliver({ taskId, configId: 'hook' })).toEqual({ delivered: 2 });

    await until(() => pushTransport.attempts().at(-1) === `hook ${last}`);
    const again = pushTransport.deliveries.slice(count + 1);
    expect(again.map(({ event }) => event.number)).toEqual(Array.from({ length: last }, (_, i) => i + 1));
    expect(again[0]).toMatchObject({ id: first?.id, attempt: 2 });
    expect(await node.engine.deadLetters()).toEqual([]);
    await expect(node.engine.redeliver(first?.id ?? '')).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
  });

  test('dead letters of a deleted push configuration are removed, and at most maxDeadLetters of the others are kept', async () => {
    const pushTransport = fakePushTransport();
    pushTransport.respond = () => GONE;
    const node = await harness(async () => 'done', { variant, pushTransport, push: { maxDeadLetters: 2 } });
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) ids.push((await node.task('go', { pushConfig: hookAt(name) })).id);
    await until(async () => (await node.engine.deadLetters()).length === 4);

    await node.engine.deletePushConfig(ANN, ids[3] ?? '', 'd');
    await node.engine.prune();

    expect((await node.engine.deadLetters()).map(({ configId }) => configId)).toEqual(['b', 'c']);
  });

  test('the events of an ended task are kept until a receiver that was down has them', async () => {
    const pushTransport = fakePushTransport();
    const node = await harness(async () => 'done', { variant, pushTransport, retention: { replayWindowMs: 1000 } });
    const back = node.clock.now() + 20 * HOUR;
    pushTransport.respond = () => (node.clock.now() < back ? FAILED : DELIVERED);
    const { id } = await node.task('go', { pushConfig: hookAt('hook') });
    const last = await lastEvent(node, id);
    await until(() => pushTransport.deliveries.length > 0);

    await pass(node.clock, 10 * HOUR, HOUR / 2);
    await node.engine.prune();
    expect(await node.store.events(id, 0, 100)).toHaveLength(last);
    await pass(node.clock, 15 * HOUR, HOUR / 2);
    await until(() => pushTransport.attempts().at(-1) === `hook ${last}`);
    await turns();
    await node.engine.prune();

    expect(await node.store.events(id, 0, 100)).toEqual([]);
    expect(await node.engine.deadLetters()).toEqual([]);
  });

  test('redeliver without dead letters sends nothing, and throws for an unknown push configuration', async () => {
    const pushTransport = fakePushTransport();
    const door = deferred<DeliveryResult>();
    pushTransport.respond = () => door.promise;
    const node = await harness(async () => 'done', { variant, pushTransport });
    const { id: taskId } = await node.task('go', { pushConfig: hookAt('hook') });
    await until(() => pushTransport.deliveries.length === 1);

    expect(await node.engine.redeliver({ taskId, configId: 'hook' })).toEqual({ delivered: 0 });
    door.resolve(DELIVERED);

    await until(() => pushTransport.deliveries.at(-1)?.event.body.includes('COMPLETED') === true);
    await turns();
    expect(pushTransport.attempts()).toEqual([...new Set(pushTransport.attempts())]);
    for (const name of [
      { taskId, configId: 'other' },
      { taskId: 'other', configId: 'hook' },
    ])
      await expect(node.engine.redeliver(name)).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
  });

  test('events that were removed while a receiver was disabled are logged as skipped, and delivery continues', async () => {
    const pushTransport = fakePushTransport();
    pushTransport.respond = () => GONE;
    const node = await harness(async () => 'done', { variant, pushTransport, retention: { replayWindowMs: 1000 } });
    const { id: taskId } = await node.task('go', { pushConfig: hookAt('hook') });
    await until(async () => (await node.engine.deadLetters()).length === 1);
    await pass(node.clock, HOUR, HOUR);
    await node.engine.prune();
    expect(await node.store.events(taskId, 0, 1)).toEqual([]);

    pushTransport.respond = () => DELIVERED;
    expect(await node.engine.redeliver({ taskId, configId: 'hook' })).toEqual({ delivered: 1 });

    await until(() => JSON.stringify(node.log).includes('Skipped events that were removed before their delivery'));
    await until(async () => (await node.store.nextPush(['agent'])) === undefined);
    expect(pushTransport.deliveries.map(({ event }) => event.number)).toEqual([1, 1]);
  });

  test('a push transport whose filter throws is called again later, and the error is logged', async () => {
    let asked = 0;
    const pushTransport = fakePushTransport(() => {
      if (++asked < 3) throw new Error('a defect');
      return true;
    });
    const node = await harness(async () => {}, { variant, pushTransport });
    await node.task('go', { pushConfig: hookAt('hook') });
    await until(() => asked === 1);
    await turns();
    expect(asked).toBe(1);
    await pass(node.clock, 3000, 500);
    await until(() => pushTransport.attempts().includes('hook 1'));
    expect(node.log.filter(({ fields }) => String(fields?.['error']).includes('a defect'))).toHaveLength(2);
  });

  test('a push transport that throws counts as a failed delivery, and the error is logged', async () => {
    const pushTransport = fakePushTransport();
    pushTransport.respond = ({ attempt }) => {
      if (attempt === 1) throw new Error('a defect');
      return DELIVERED;
    };
    const node = await harness(async () => {}, { variant, pushTransport });
    await node.task('go', { pushConfig: hookAt('hook') });
    await until(() => pushTransport.deliveries.length === 1);
    await turns();
    await pass(node.clock, 3000, 500);
    await until(() => pushTransport.deliveries.length > 1);
    expect(pushTransport.deliveries[1]).toMatchObject({ attempt: 2 });
    expect(node.log.some(({ fields }) => String(fields?.['error']).includes('a defect'))).toBe(true);
  });
});
