import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { ANN, bodies, BOB, collect, harness, startHarness, until, VARIANTS, withMethods } from './harness.ts';

const AS_BOB = { ...BOB, caller: { id: 'bob', isVerified: true } };

describe.each(VARIANTS)('$name', (variant) => {
  test('a purge cancels unfinished tasks of the owner, deletes all its tasks and leaves those of others', async () => {
    const signals: AbortSignal[] = [];
    const { task, engine } = await harness(
      async ({ text, ask, signal }) => {
        if (text === 'ask') return ask('Which?');
        if (text !== 'work') return 'done';
        signals.push(signal);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return 'stopped';
      },
      { variant },
    );
    const done = await task('go');
    const asked = await task('ask');
    const working = await task('work', { returnImmediately: true });
    const others = [await task('go', AS_BOB), await task('ask', AS_BOB)];
    await until(() => signals.length === 1);
    const subscription = collect(engine.subscribe(ANN, working.id));

    expect(await engine.purge(ANN)).toBe(3);

    expect(signals[0]?.aborted).toBe(true);
    expect(bodies(await subscription).at(-1)).toMatchObject({
      statusUpdate: { status: { state: 'TASK_STATE_CANCELED' } },
    });
    for (const { id } of [done, asked, working])
      await expect(engine.get(ANN, id)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    expect((await engine.list(ANN, { limit: 10 })).total).toBe(0);
    expect(await Promise.all(others.map(({ id }) => engine.get(BOB, id)))).toEqual(others);
    expect(await engine.purge(ANN)).toBe(0);
  });

  test('an engine without the agent deletes a running task 1 s after the signal, whatever cancelGraceMs the agent has', async () => {
    let signal: AbortSignal | undefined;
    let cleared = (): void => {};
    const node = await harness(
      async (context) => {
        signal = context.signal;
        await new Promise<void>((resolve) => (cleared = resolve));
      },
      { variant, limits: { cancelGraceMs: 10_000 } },
    );
    const { id } = await node.task('work', { returnImmediately: true });
    await until(() => signal !== undefined);
    const other = await startHarness({ store: node.store, clock: node.clock, agents: [], onDemand: true }, node.clock);

    const purged = other.engine.purge(ANN);
    await until(() => signal?.aborted === true);
    node.clock.advance(999);
    expect((await node.engine.get(ANN, id)).status.state).not.toBe('TASK_STATE_CANCELED');
    node.clock.advance(1);

    expect(await purged).toBe(1);
    await expect(node.engine.get(ANN, id)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    cleared();
  });

  test('a purge deletes more tasks than one batch has', async () => {
    const { task, engine } = await harness(async () => 'done', { variant });
    for (let i = 0; i < 6; i++) await Promise.all(Array.from({ length: 100 }, () => task('go')));
    expect(await engine.purge(ANN)).toBe(600);
  });

  test('a purge cancels a task that is not visible yet because its sender waits for the first output', async () => {
    const signals: AbortSignal[] = [];
    const { send, engine } = await harness(
      async ({ signal }) => {
        signals.push(signal);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return 'stopped';
      },
      { variant },
    );
    const sent = send('work');
    await until(() => signals.length === 1);
    expect((await engine.list(ANN, { limit: 10 })).total).toBe(0);

    expect(await engine.purge(ANN)).toBe(1);

    expect(signals[0]?.aborted).toBe(true);
    expect(await Promise.allSettled([sent])).toMatchObject([{ status: 'fulfilled' }]);
  });

  test('a purge deletes all tasks while another purge of the same owner removes some of them', async () => {
    const node = await harness(async () => 'done', { variant });
    for (let i = 0; i < 11; i++) await Promise.all(Array.from({ length: 100 }, () => node.task('go')));
    const purge: Store['purge'] = async (scope, limit) => {
      // The other purge is the first to remove one of the tasks that this purge has found.
      const { found, removed } = await node.store.purge(scope, limit);
      return { found, removed: Math.max(0, removed - 1) };
    };
    const other = await node.restart({ store: withMethods(node.store, { purge }) });

    expect(await other.engine.purge(ANN)).toBe(1100 - 3);

    expect((await other.engine.list(ANN, { limit: 10 })).total).toBe(0);
  });

  test('a purge searches all tasks of the owner twice, however many batches it removes', async () => {
    const node = await harness(async () => 'done', { variant });
    for (let i = 0; i < 11; i++) await Promise.all(Array.from({ length: 100 }, () => node.task('go')));
    let searches = 0;
    const unfinished: Store['unfinished'] = (scope, limit) => {
      searches++;
      return node.store.unfinished(scope, limit);
    };
    const other = await node.restart({ store: withMethods(node.store, { unfinished }) });

    expect(await other.engine.purge(ANN)).toBe(1100);

    expect(searches).toBe(2);
  });

  test('a purge reports a task that another node starts during the purge, and deletes the others', async () => {
    const node = await harness(async () => 'done', { variant });
    await node.store.heartbeat('elsewhere', 60_000);
    const { record } = (await node.store.read(ANN, (await node.task('go')).id)) ?? {};
    if (record === undefined) expect.fail('There is no task');
    const { agent, contextId, status, origin, createdAt } = record;
    const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'x' }] };
    const created = { ...ANN, id: 'late', agent, contextId, status, origin, createdAt, message };
    let isCreated = false;
    const purge: Store['purge'] = async (scope, limit) => {
      if (!isCreated) await node.store.create({ ...created, wakeAt: createdAt, node: 'elsewhere' });
      isCreated = true;
      return node.store.purge(scope, limit);
    };
    const other = await node.restart({ store: withMethods(node.store, { purge }) });

    await expect(other.engine.purge(ANN)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: "Could not delete 1 task: it is still running. Revoke the caller's access and purge again",
    });

    expect((await other.engine.list(ANN, { limit: 10 })).total).toBe(0);
    await node.store.retire('elsewhere');
    expect(await other.engine.purge(ANN)).toBe(1);
  });
});
