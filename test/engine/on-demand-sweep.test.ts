/** Nodes on demand: their slots, and the tasks that a sweep claims. */
import { describe, expect, test } from 'vitest';
import { deferred } from '../../src/support/deferred.ts';
import { pass, turns } from './cluster.ts';
import { ANN, artifactText, BOB, until, VARIANTS } from './harness.ts';
import { onDemandCluster, SECOND, stateOf, STORED } from './on-demand-cluster.ts';

describe.each(VARIANTS)('$name', (variant) => {
  test('a task that finds no slot on one node on demand can run on another', async () => {
    const door = deferred<void>();
    const { node } = onDemandCluster(
      async ({ text }) => {
        if (text === 'stay') await door.promise;
        return text;
      },
      { variant, limits: { concurrency: 1 } },
    );
    const [full, free] = [await node(), await node()];
    const staying = full.task('stay');
    await turns(20);
    const leave = async (id: string): Promise<void> => {
      const worked = await full.engine.onDemand.work(id, { forMs: SECOND, lingers: true });
      if (worked === 'full') await free.engine.onDemand.work(id, { forMs: SECOND });
    };
    const waiting = full.task('go', { onStored: (id) => void leave(id) });
    expect(artifactText(await waiting)).toBe('go');
    door.resolve();
    expect(artifactText(await staying)).toBe('stay');
    expect(artifactText(await full.task('again'))).toBe('again');
  });

  test.each([
    ['is resumed when a slot becomes free before its deadline', 5 * SECOND, 'resting'],
    ['reports "full" when no slot becomes free before its deadline', 10 * SECOND, 'full'],
  ] as const)('work on a task without a free slot %s', async (_, leftAfter, expected) => {
    const door = deferred<void>();
    const { node, clock } = onDemandCluster(
      async ({ text }) => {
        if (text === 'stay') await door.promise;
        return text;
      },
      { variant, limits: { concurrency: 1 } },
    );
    const only = await node();
    const staying = only.task('stay');
    await turns(20);
    const { id } = await only.task('go', STORED);
    const work = only.engine.onDemand.work(id, { forMs: 10 * SECOND });
    await pass(clock, leftAfter, 500);
    door.resolve();
    await staying;
    await pass(clock, SECOND, 250);
    expect(await work).toBe(expected);
    expect(await stateOf(only, id)).toBe(expected === 'full' ? 'submitted' : 'completed');
  });

  test('concurrent work calls run no more tasks at a time than there are slots', async () => {
    let running = 0;
    let most = 0;
    const { node, clock } = onDemandCluster(
      async ({ sleep, text }) => {
        most = Math.max(most, ++running);
        await Promise.resolve();
        running--;
        await sleep(1);
        return text;
      },
      { variant, limits: { concurrency: 1 } },
    );
    const only = await node();
    const ids: string[] = [];
    for (const text of ['a', 'b', 'c']) ids.push((await only.task(text, STORED)).id);
    only.connection.set('late', 'claim');
    const works = ids.map((id) => only.engine.onDemand.work(id, { forMs: 60 * SECOND }));
    await turns(20);
    expect(only.connection.calls.filter((name) => name === 'claim')).toHaveLength(1);
    only.connection.set('open');
    await pass(clock, 10 * SECOND, 250);
    expect(await Promise.all(works)).toEqual(['resting', 'resting', 'resting']);
    expect(await Promise.all(ids.map((id) => stateOf(only, id)))).toEqual(['completed', 'completed', 'completed']);
    expect(most).toBe(1);
  });

  test('a sweep that has too few slots for one caller reports that more tasks are due', async () => {
    const { node } = onDemandCluster(async ({ text }) => text, { variant, limits: { concurrency: 3 } });
    const only = await node();
    for (const text of ['a', 'b', 'c']) await only.task(text, STORED);
    const options = { forMs: SECOND, limit: 10 };
    expect(await only.engine.onDemand.sweep(options)).toEqual({ taken: 2, unfinished: [], hasMore: true });
    expect(await only.engine.onDemand.sweep(options)).toEqual({ taken: 1, unfinished: [], hasMore: false });
  });

  test('sweeps at the same time claim no more tasks than there are slots', async () => {
    const { node } = onDemandCluster(async ({ text }) => text, { variant, limits: { concurrency: 3 } });
    const only = await node();
    for (const text of ['a', 'b', 'c']) await only.task(text, STORED);
    only.connection.set('late', 'claim');
    const sweeps = [1, 2].map(() => only.engine.onDemand.sweep({ forMs: SECOND, limit: 10 }));
    await turns(20);
    expect(only.connection.calls.filter((name) => name === 'claim')).toHaveLength(1);
    only.connection.set('open');
    expect((await Promise.all(sweeps)).map(({ taken }) => taken)).toEqual([2, 0]);
  });

  test('a task without a slot for its caller can run on another node, and a task of another caller starts at once', async () => {
    const door = deferred<void>();
    const { node } = onDemandCluster(
      async ({ text }) => {
        if (text === 'stay') await door.promise;
        return text;
      },
      // There is no queue on demand.
      { variant, limits: { concurrency: 2, queue: 0 } },
    );
    const [full, free] = [await node(), await node()];
    const staying = full.task('stay');
    await turns(20);
    const { id } = await full.task('go', { returnImmediately: true });

    expect(await full.engine.onDemand.work(id, { forMs: SECOND, lingers: true })).toBe('full');
    expect(await stateOf(full, id)).toBe('submitted');
    expect(artifactText(await full.task('hi', BOB))).toBe('hi');
    expect(await free.engine.onDemand.work(id, { forMs: SECOND })).toBe('resting');
    expect(await stateOf(full, id)).toBe('completed');
    door.resolve();
    expect(artifactText(await staying)).toBe('stay');
  });

  test('work on a task without a slot for its caller retries at most six times a second, and runs when a slot is free', async () => {
    const door = deferred<void>();
    const { node, clock } = onDemandCluster(
      async ({ text }) => {
        if (text === 'stay') await door.promise;
        return text;
      },
      { variant, limits: { concurrency: 2 } },
    );
    const only = await node();
    const staying = only.task('stay');
    await turns(20);
    const { id } = await only.task('go', STORED);
    const claims = (): number => only.connection.calls.filter((name) => name === 'claim').length;
    const before = claims();
    const work = only.engine.onDemand.work(id, { forMs: 60 * SECOND });
    await pass(clock, 5 * SECOND, 50);
    expect(claims() - before).toBeLessThan(30);
    door.resolve();
    await staying;
    await pass(clock, SECOND, 250);
    expect(await work).toBe('resting');
    expect(await stateOf(only, id)).toBe('completed');
  });

  test.each(['prune', 'nextWake'] as const)('a sweep reports unfinished tasks before it calls %s', async (name) => {
    let runs = 0;
    const { node, clock } = onDemandCluster(({ signal }) => (runs++, ended(signal)), {
      variant,
      limits: { concurrency: 1 },
    });
    const only = await node();
    const { id } = await only.task('go', STORED);
    const handedOver: string[] = [];
    const onUnfinished = async (taskId: string): Promise<void> => void handedOver.push(taskId);
    only.connection.set('held', name);
    const sweep = only.engine.onDemand.sweep({ forMs: SECOND, limit: 1, onUnfinished });
    await until(() => runs === 1);
    await pass(clock, SECOND);
    await until(() => handedOver.length > 0);
    expect(handedOver).toEqual([id]);
    only.connection.set('failing', name);
    expect(await sweep).toMatchObject({ taken: 1, unfinished: [id] });
  });

  test('a sweep logs a task that it cannot resume, and reports it as unfinished', async () => {
    let isAsleep = false;
    const { node, clock } = onDemandCluster(
      async ({ sleep }) => {
        isAsleep = true;
        await sleep(SECOND);
      },
      { variant },
    );
    const only = await node();
    const { id } = await only.task('go', STORED);
    const sweep = only.engine.onDemand.sweep({ forMs: 10 * SECOND, limit: 1 });
    await until(() => isAsleep);
    only.connection.set('failing', 'claim');
    await pass(clock, 2 * SECOND, 250);

    expect(await sweep).toMatchObject({ taken: 1, unfinished: [id] });
    expect(only.log).toContainEqual({
      message: 'Could not resume abandoned task',
      fields: expect.objectContaining({ taskId: id, error: expect.any(Error) }) as unknown,
    });
  });

  test('a sweep removes tasks older than maxAgeMs', async () => {
    const { node, clock } = onDemandCluster(async ({ text }) => text, {
      variant,
      retention: { maxAgeMs: 60 * SECOND },
    });
    const only = await node();
    const { id } = await only.task('go');
    await pass(clock, 120 * SECOND, 20 * SECOND);
    expect(await stateOf(only, id)).toBe('completed');
    await only.engine.onDemand.sweep({ forMs: 0, limit: 10 });
    await expect(only.engine.get(ANN, id)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
  });

  test('a sweep claims due tasks, the longest waiting first, up to its limit', async () => {
    const { node, clock } = onDemandCluster(async ({ text }) => text, { variant });
    const [first, second] = [await node(), await node()];
    const ids: string[] = [];
    for (const text of ['a', 'b', 'c']) {
      ids.push((await first.task(text, STORED)).id);
      clock.advance(1);
    }
    const options = { forMs: SECOND, limit: 2 };
    expect(await second.engine.onDemand.sweep(options)).toEqual({ taken: 2, unfinished: [], hasMore: true });
    expect(await Promise.all(ids.map((id) => stateOf(first, id)))).toEqual(['completed', 'completed', 'submitted']);
    expect(await second.engine.onDemand.sweep(options)).toEqual({ taken: 1, unfinished: [], hasMore: false });
    expect(await second.engine.onDemand.sweep(options)).toEqual({ taken: 0, unfinished: [], hasMore: false });
  });
});

function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}
