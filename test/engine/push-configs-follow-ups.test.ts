import { describe, expect, test } from 'vitest';
import type { DeliveryResult } from '../../src/engine/outbox/delivery.ts';
import type { NewPushConfig } from '../../src/engine/outbox/push-configs.ts';
import type { Store } from '../../src/store/store.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { turns } from './cluster.ts';
import {
  ANN,
  harness,
  openStore,
  runnable,
  startHarness,
  until,
  userMessage,
  VARIANTS,
  withMethods,
} from './harness.ts';
import { DELIVERED, fakePushTransport } from './fake-push-transport.ts';

const HOOK: NewPushConfig = { config: { id: 'hook', url: 'https://example.com/' }, dialect: '1.0' };
const GONE: DeliveryResult = { kind: 'failed', reason: 'It answered 410', gone: true };
const NAMELESS: NewPushConfig = { config: { url: 'https://example.com/' }, dialect: '1.0' };

describe.each(VARIANTS)('$name', (variant) => {
  test('a push configuration that comes with a follow-up is stored in the same write as the message', async () => {
    const clock = fakeClock();
    const target = openStore(variant, clock);
    const stored: unknown[] = [];
    const append: Store['append'] = (write) => {
      if (write.journal?.some(({ kind }) => kind === 'answer') === true) stored.push(write.pushConfig?.record.id);
      return target.append(write);
    };
    const store = withMethods(target, { append });
    const agents = [runnable(async ({ ask }) => ask('Which?'))];
    const node = await startHarness({ store, agents, clock, maxSuspended: variant.maxSuspended }, clock);
    const asked = await node.task('go');

    await node.reply(asked, 'this', { pushConfig: HOOK });

    expect(stored).toEqual(['hook']);
    expect(await node.engine.getPushConfig(ANN, asked.id, 'hook')).toMatchObject({ config: { taskId: asked.id } });
  });

  test('a repeated follow-up adds no push configuration, not even after the end of the task', async () => {
    const { task, engine } = await harness(
      async ({ ask }) => {
        await ask('Which?');
        await ask('And which?');
      },
      { variant },
    );
    const asked = await task('go');
    const answer = { message: userMessage('this', { taskId: asked.id }), pushConfig: NAMELESS };
    await task('this', answer);
    await task('this', answer);
    expect(await engine.listPushConfigs(ANN, asked.id)).toHaveLength(1);
    await engine.cancel(ANN, asked.id);
    await task('this', answer);
    expect(await engine.listPushConfigs(ANN, asked.id)).toHaveLength(1);
  });

  test.each<[string, object, object]>([
    ['is of another context', { contextId: 'another' }, { code: 'INVALID_PARAMS' }],
    ['has the key of another message', { parts: [{ text: 'that' }] }, { code: 'INVALID_PARAMS' }],
  ])('a follow-up that %s leaves no push configuration behind', async (_, changes, refusal) => {
    const { task, engine } = await harness(
      async ({ ask }) => {
        await ask('Which?');
        await ask('And which?');
      },
      { variant },
    );
    const asked = await task('go');
    const message = userMessage('this', { taskId: asked.id });
    await task('this', { message, idempotencyKey: 'k' });

    const refused = task('this', { message: { ...message, ...changes }, idempotencyKey: 'k', pushConfig: HOOK });

    await expect(refused).rejects.toMatchObject(refusal);
    expect(await engine.listPushConfigs(ANN, asked.id)).toEqual([]);
  });

  test.each<[string, readonly NewPushConfig[]]>([
    ['none', []],
    ['another of the same id', [{ ...HOOK, config: { ...HOOK.config, url: 'https://example.org/' } }]],
  ])(
    'a follow-up to a task that ends before the message is stored does not change its push configurations: %s',
    async (_, before) => {
      const clock = fakeClock();
      const target = openStore(variant, clock);
      let cancel = async (): Promise<unknown> => undefined;
      const append: Store['append'] = async (write) => {
        if (write.journal?.some(({ kind }) => kind === 'answer') === true) await cancel();
        return target.append(write);
      };
      const agents = [runnable(async ({ ask }) => ask('Which?'))];
      const store = withMethods(target, { append });
      const { engine, task, reply } = await startHarness({ store, agents, clock }, clock);
      const asked = await task('go');
      for (const config of before) await engine.setPushConfig(ANN, asked.id, config);
      const stored = await engine.listPushConfigs(ANN, asked.id);
      cancel = () => engine.cancel(ANN, asked.id);

      await expect(reply(asked, 'this', { pushConfig: HOOK })).rejects.toMatchObject({ code: 'UNSUPPORTED_OPERATION' });

      expect(await engine.listPushConfigs(ANN, asked.id)).toEqual(stored);
    },
  );

  test('a follow-up that the store rejects does not enable a disabled push configuration again', async () => {
    const clock = fakeClock();
    const target = openStore(variant, clock);
    let cancel = async (): Promise<unknown> => undefined;
    const append: Store['append'] = async (write) => {
      if (write.journal?.some(({ kind }) => kind === 'answer') === true) await cancel();
      return target.append(write);
    };
    const pushTransport = fakePushTransport();
    pushTransport.respond = ({ config }) => (config.config.url.endsWith('/old') ? GONE : DELIVERED);
    const agents = [runnable(async ({ ask }) => ask('Which?'))];
    const store = withMethods(target, { append });
    const { engine, task, reply } = await startHarness({ store, agents, clock, pushTransport }, clock);
    const at = (path: string): NewPushConfig => ({
      ...HOOK,
      config: { id: 'hook', url: `https://example.com/${path}` },
    });
    const asked = await task('go', { pushConfig: at('old') });
    await until(async () => (await engine.deadLetters())[0]?.disabled !== undefined);
    const before = pushTransport.attempts();
    cancel = () => engine.cancel(ANN, asked.id);

    await expect(reply(asked, 'this', { pushConfig: at('new') })).rejects.toMatchObject({
      code: 'UNSUPPORTED_OPERATION',
    });
    await turns();

    expect(pushTransport.attempts()).toEqual(before);
    expect((await engine.deadLetters())[0]).toMatchObject({ disabled: expect.any(String) });
  });

  test('a follow-up that gives up after too many conflicts leaves no push configuration behind', async () => {
    const clock = fakeClock();
    const target = openStore(variant, clock);
    const append: Store['append'] = async (write) =>
      write.journal?.some(({ kind }) => kind === 'answer') === true ? { kind: 'rejected' } : target.append(write);
    const agents = [runnable(async ({ ask }) => ask('Which?'))];
    const store = withMethods(target, { append });
    const { engine, task, reply } = await startHarness({ store, agents, clock }, clock);
    const asked = await task('go');

    await expect(reply(asked, 'this', { pushConfig: NAMELESS })).rejects.toMatchObject({ code: 'UNAVAILABLE' });

    expect(await engine.listPushConfigs(ANN, asked.id)).toEqual([]);
  });

  test('a follow-up with a push configuration above maxPushConfigs is rejected and not stored', async () => {
    const { task, reply, engine } = await harness(async ({ ask }) => ask('Which?'), { variant, maxPushConfigs: 1 });
    const asked = await task('go', { pushConfig: NAMELESS });

    await expect(reply(asked, 'this', { pushConfig: HOOK })).rejects.toMatchObject({ code: 'UNSUPPORTED_OPERATION' });

    expect(await engine.get(ANN, asked.id)).toEqual(asked);
  });

  test('a push configuration that is not JSON is rejected before anything is stored', async () => {
    const { task, reply, engine } = await harness(async ({ ask }) => ask('Which?'), { variant });
    const config = { id: 'hook', url: 'https://example.com/', token: 1n as unknown as string };
    const refusal = { code: 'INVALID_PARAMS', message: /push configuration must be plain JSON/ };
    const pushConfig = { config, dialect: '1.0' };
    const asked = await task('go');

    await expect(task('go', { pushConfig })).rejects.toMatchObject({ code: refusal.code });
    await expect(reply(asked, 'this', { pushConfig })).rejects.toThrow(refusal.message);
    await expect(engine.setPushConfig(ANN, asked.id, pushConfig)).rejects.toThrow(refusal.message);

    expect((await engine.list(ANN, { limit: 10 })).total).toBe(1);
    expect(await engine.get(ANN, asked.id)).toEqual(asked);
    expect(await engine.listPushConfigs(ANN, asked.id)).toEqual([]);
  });
});
