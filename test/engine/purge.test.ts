import { describe, expect, test } from 'vitest';
import { ANN, bodies, BOB, collect, harness, until, VARIANTS } from './harness.ts';

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
    const reader = collect(engine.subscribe(ANN, working.id));

    expect(await engine.purge(ANN)).toBe(3);

    expect(signals[0]?.aborted).toBe(true);
    expect(bodies(await reader).at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_CANCELED' } } });
    for (const { id } of [done, asked, working])
      await expect(engine.get(ANN, id)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    expect((await engine.list(ANN, { limit: 10 })).total).toBe(0);
    expect(await Promise.all(others.map(({ id }) => engine.get(BOB, id)))).toEqual(others);
    expect(await engine.purge(ANN)).toBe(0);
  });

  test('a purge deletes more tasks than one batch has', async () => {
    const { task, engine } = await harness(async () => 'done', { variant });
    for (let i = 0; i < 6; i++) await Promise.all(Array.from({ length: 100 }, () => task('go')));
    expect(await engine.purge(ANN)).toBe(600);
  });

  test('a purge that a new task of the owner outruns says so, and deletes the others', async () => {
    const node = await harness(async () => 'done', { variant });
    await node.store.heartbeat('elsewhere', 60_000);
    // A task that another node has just created, and of which nobody has heard yet.
    const { record } = (await node.store.read(ANN, (await node.task('go')).id)) ?? {};
    if (record === undefined) expect.fail('There is no task');
    const { agent, contextId, status, origin, createdAt } = record;
    const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'x' }] };
    const created = { ...ANN, id: 'hidden', agent, contextId, status, origin, createdAt, message };
    await node.store.create({ ...created, wakeAt: createdAt, node: 'elsewhere' });

    await expect(node.engine.purge(ANN)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: /1 task .* purge again/u,
    });

    expect((await node.engine.list(ANN, { limit: 10 })).total).toBe(0);
    await node.store.retire('elsewhere');
    expect(await node.engine.purge(ANN)).toBe(1);
  });
});
