import { describe, expect, test } from 'vitest';
import type { NewPushConfig } from '../../src/engine/outbox/push-configs.ts';
import type { PushConfigRecord } from '../../src/store/store.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { ANN, BOB, harness, openStore, runnable, startHarness, userMessage, VARIANTS, withMethods } from './harness.ts';

const HOOK: NewPushConfig = {
  config: {
    id: 'hook',
    url: 'https://example.com/',
    token: 't',
    authentication: { scheme: 'Bearer', credentials: 'c' },
  },
  dialect: '0.3',
};

function hook(id: string): NewPushConfig {
  return { config: { id, url: `https://example.com/${id}` }, dialect: '1.0' };
}

function ids(records: readonly PushConfigRecord[]): readonly string[] {
  return records.map(({ id }) => id);
}

describe.each(VARIANTS)('$name', (variant) => {
  test('a push configuration is stored in full, with the ids of its task and of itself', async () => {
    const { task, engine, clock } = await harness(async ({ ask }) => ask('Which?'), { variant });
    const { id: taskId } = await task('go');
    const record = { id: 'hook', dialect: '0.3', createdAt: clock.now(), config: { ...HOOK.config, taskId } };

    expect(await engine.setPushConfig(ANN, taskId, HOOK)).toEqual(record);

    expect(await engine.getPushConfig(ANN, taskId, 'hook')).toEqual(record);
    expect(await engine.listPushConfigs(ANN, taskId)).toEqual([record]);
  });

  test.each([{}, { id: '' }])('a push configuration without an id gets one: %o', async (given) => {
    const { task, engine } = await harness(async () => 'done', { variant });
    const { id: taskId } = await task('go');
    const config = { ...given, url: 'https://example.com/' };

    const first = await engine.setPushConfig(ANN, taskId, { config, dialect: '1.0' });
    const second = await engine.setPushConfig(ANN, taskId, { config, dialect: '1.0' });

    expect(first.id).not.toBe('');
    expect(first.config).toEqual({ ...config, id: first.id, taskId });
    expect(ids(await engine.listPushConfigs(ANN, taskId))).toEqual([first.id, second.id]);
  });

  test('a push configuration can be added to a task that has ended', async () => {
    const { task, engine } = await harness(async () => 'done', { variant });
    const { id, status } = await task('go');
    expect(status.state).toBe('TASK_STATE_COMPLETED');
    await engine.setPushConfig(ANN, id, HOOK);
    expect((await engine.getPushConfig(ANN, id, 'hook')).dialect).toBe('0.3');
  });

  test('push configurations are listed in the order of their creation, page by page', async () => {
    const { task, engine } = await harness(async () => 'done', { variant });
    const { id } = await task('go');
    for (const name of ['c', 'a', 'b']) await engine.setPushConfig(ANN, id, hook(name));
    await engine.setPushConfig(ANN, id, hook('c'));

    expect(ids(await engine.listPushConfigs(ANN, id))).toEqual(['c', 'a', 'b']);
    expect(ids(await engine.listPushConfigs(ANN, id, { limit: 2 }))).toEqual(['c', 'a']);
    expect(ids(await engine.listPushConfigs(ANN, id, { limit: 2, after: 'a' }))).toEqual(['b']);
  });

  test('a deleted push configuration is not found, and deleting it again returns false', async () => {
    const { task, engine } = await harness(async () => 'done', { variant });
    const { id } = await task('go');
    await engine.setPushConfig(ANN, id, HOOK);

    expect(await engine.deletePushConfig(ANN, id, 'hook')).toBe(true);
    expect(await engine.deletePushConfig(ANN, id, 'hook')).toBe(false);
    await expect(engine.getPushConfig(ANN, id, 'hook')).rejects.toMatchObject({
      code: 'TASK_NOT_FOUND',
      message: `Task ${id} has no push configuration hook`,
      details: { taskId: id, configId: 'hook' },
    });
  });

  test('a task takes at most maxPushConfigs push configurations', async () => {
    const { task, engine } = await harness(async () => 'done', { variant, maxPushConfigs: 2 });
    const { id } = await task('go', { pushConfig: hook('a') });
    await engine.setPushConfig(ANN, id, hook('b'));

    await expect(engine.setPushConfig(ANN, id, hook('c'))).rejects.toMatchObject({
      code: 'UNSUPPORTED_OPERATION',
      details: { taskId: id, maxPushConfigs: '2' },
    });
    await engine.setPushConfig(ANN, id, hook('a'));
    expect(ids(await engine.listPushConfigs(ANN, id))).toEqual(['a', 'b']);
  });

  test.each(['foreign', 'unknown', 'provisional'] as const)(
    'push configuration calls for a task that is %s throw TASK_NOT_FOUND',
    async (what) => {
      const { task, engine, store } = await harness(async () => 'done', { variant });
      const { id } = await task('go', { pushConfig: HOOK });
      const before = await engine.listPushConfigs(ANN, id);
      await store.create({
        ...ANN,
        id: 'provisional',
        contextId: 'c',
        // No node serves this agent, so the task stays as it is.
        agent: 'nobody',
        status: { state: 'TASK_STATE_SUBMITTED' },
        origin: {},
        message: userMessage('hello'),
        createdAt: 0,
        wakeAt: 0,
        pushConfig: { id: 'hook', createdAt: 0, ...HOOK },
      });
      const taskId = what === 'foreign' ? id : what;
      const scope = what === 'foreign' ? BOB : ANN;
      const unknown = await engine.get(scope, taskId).catch((error: unknown) => error);

      expect(unknown).toMatchObject({ code: 'TASK_NOT_FOUND', details: { taskId } });
      await expect(engine.setPushConfig(scope, taskId, hook('other'))).rejects.toEqual(unknown);
      await expect(engine.getPushConfig(scope, taskId, 'hook')).rejects.toEqual(unknown);
      await expect(engine.listPushConfigs(scope, taskId)).rejects.toEqual(unknown);
      await expect(engine.deletePushConfig(scope, taskId, 'hook')).rejects.toEqual(unknown);
      expect(await engine.listPushConfigs(ANN, id)).toEqual(before);
    },
  );

  test.each(['send', 'stream'] as const)(
    'a push configuration that comes with a %s is stored before the handler runs its first step',
    async (how) => {
      const seen: unknown[] = [];
      const clock = fakeClock();
      const store = openStore(variant, clock);
      const agent = runnable(async ({ step, task }) => {
        // The first step makes the task visible.
        await step('begin', () => true);
        seen.push(await store.pushConfigs(ANN, task.id, { limit: 10 }));
      });
      const node = await startHarness({ store, agents: [agent], clock, maxSuspended: variant.maxSuspended }, clock);

      await node[how]('go', { pushConfig: HOOK });

      const [{ id: taskId } = { id: '' }] = (await node.engine.list(ANN, { limit: 1 })).tasks;
      const record = { id: 'hook', dialect: '0.3', createdAt: clock.now(), config: { ...HOOK.config, taskId } };
      expect(seen).toEqual([[record]]);
      expect(await node.engine.listPushConfigs(ANN, taskId)).toEqual([record]);
    },
  );

  test('a new task and its push configuration are one write', async () => {
    const clock = fakeClock();
    const target = openStore(variant, clock);
    const cutOff = (): Promise<never> => Promise.reject(new Error('There is a second write'));
    const store = withMethods(target, { putPushConfig: cutOff });
    const node = await startHarness({ store, agents: [runnable(async () => 'done')], clock }, clock);

    const { id } = await node.task('go', { pushConfig: HOOK });

    expect(ids(await node.engine.listPushConfigs(ANN, id))).toEqual(['hook']);
  });

  test('a repeated first message adds no push configuration', async () => {
    const { task, engine } = await harness(async () => 'done', { variant });
    const once = { idempotencyKey: 'k', pushConfig: { config: { url: 'https://example.com/' }, dialect: '1.0' } };
    const { id } = await task('go', once);
    await task('go', once);
    expect(await engine.listPushConfigs(ANN, id)).toHaveLength(1);
  });

  test('a push configuration is removed with the task of a bare reply', async () => {
    let taskId = '';
    const { send, engine } = await harness(
      async (ctx) => {
        taskId = ctx.task.id;
        return ctx.reply('hi');
      },
      { variant },
    );
    expect(await send('go', { pushConfig: HOOK })).toMatchObject({ message: { parts: [{ text: 'hi' }] } });
    await expect(engine.listPushConfigs(ANN, taskId)).rejects.toMatchObject({ details: { taskId } });
  });

  test.each(['restart', 'crash'] as const)('a push configuration survives a %s', async (how) => {
    const node = await harness(async ({ ask }) => ask('Which?'), { variant });
    const { id } = await node.task('go', { pushConfig: HOOK });
    const before = await node.engine.getPushConfig(ANN, id, 'hook');
    const { engine } = await node[how]();
    expect(await engine.getPushConfig(ANN, id, 'hook')).toEqual(before);
  });
});
