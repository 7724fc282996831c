import { turns } from './cluster.ts';
import { describe, expect, test } from 'vitest';
import { ANN, artifactText, collect, harness, statusText, until, VARIANTS } from './harness.ts';

const HOW = ['restart', 'crash'] as const;

describe.each(VARIANTS)('$name', (variant) => {
  test('a sleeping task holds no lease and resumes at its wake time, not before', async () => {
    const { task, engine, clock, store } = await harness(
      async function* run({ sleep }) {
        yield 'good ';
        await sleep(60_000);
        yield 'morning';
      },
      { variant },
    );
    const start = clock.now();
    const { id } = await task('go', { returnImmediately: true });
    await until(async () => (await store.read(ANN, id))?.record.node === undefined);
    expect((await store.read(ANN, id))?.record.wakeAt).toBe(start + 60_000);
    await turns(5);
    clock.advance(59_999);
    await turns(5);
    await until(async () => (await store.read(ANN, id))?.record.node === undefined);
    expect(artifactText(await engine.get(ANN, id))).toBe('good ');
    clock.advance(1);
    await until(async () => (await engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED');
    expect(artifactText(await engine.get(ANN, id))).toBe('good morning');
    expect(clock.now()).toBe(start + 60_000);
  });

  test.each(HOW)('a %s during a sleep does not restart the sleep', async (how) => {
    const first = await harness(
      async function* run({ sleep }) {
        yield 'good ';
        await sleep(60_000);
        yield 'morning';
      },
      { variant },
    );
    const start = first.clock.now();
    const { id } = await first.task('go', { returnImmediately: true });
    await until(async () => (await first.store.read(ANN, id))?.record.node === undefined);
    first.clock.advance(30_000);
    const { engine, clock } = await first[how]();
    await until(async () => {
      clock.advance(clock.now() < start + 60_000 ? 1000 : 0);
      return (await engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED';
    });
    expect(clock.now() - start).toBeLessThan(61_000);
    const events = await collect(engine.subscribe(ANN, id, { after: 0 }));
    expect(events).toHaveLength(5);
  });

  test('a sleep whose time passed while no node ran ends at once on the next node', async () => {
    const first = await harness(async ({ sleep }) => sleep(60_000).then(() => 'awake'), { variant });
    const { id } = await first.task('go', { returnImmediately: true });
    await until(async () => (await first.store.read(ANN, id))?.record.node === undefined);
    await first.engine.close();
    first.clock.advance(3_600_000);
    const { engine } = await first.restart();
    await until(async () => (await engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED');
    expect(artifactText(await engine.get(ANN, id))).toBe('awake');
  });

  test.each([1000, 60_000])(
    'concurrent sleeps end in the order of their times if the clock advances by %s ms',
    async (stepMs) => {
      const { task, engine, clock, store } = await harness(
        async ({ sleep, artifact }) => {
          const nap = async (seconds: number): Promise<void> => {
            await sleep(seconds * 1000);
            await artifact('log').append(`${seconds} `);
          };
          await Promise.all([30, 10, 20].map(nap));
        },
        { variant },
      );
      const { id } = await task('go', { returnImmediately: true });
      await until(async () => (await store.read(ANN, id))?.record.node === undefined);
      await until(async () => {
        // A minute that passes before the store responds would expire the lease of the node, again and again.
        await turns(1);
        clock.advance(stepMs);
        return (await engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED';
      });
      expect(artifactText(await engine.get(ANN, id), 'log')).toBe('10 20 30 ');
    },
  );

  test('sleeps in a row each take their full time', async () => {
    const { task, engine, clock } = await harness(
      async function* run({ sleep }) {
        for (let i = 0; i < 5; i++) {
          await sleep(10_000);
          yield `${i}`;
        }
      },
      { variant },
    );
    const start = clock.now();
    const { id } = await task('go', { returnImmediately: true });
    await until(async () => {
      clock.advance(500);
      return (await engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED';
    });
    expect(artifactText(await engine.get(ANN, id))).toBe('01234');
    expect(clock.now() - start).toBeGreaterThanOrEqual(50_000);
  });

  test('a sleep of 0 ms ends at once', async () => {
    const { task, engine, clock } = await harness(async ({ sleep }) => sleep(0).then(() => 'awake'), { variant });
    const { id } = await task('go', { returnImmediately: true });
    await until(async () => {
      clock.advance(0);
      return (await engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED';
    });
    expect(artifactText(await engine.get(ANN, id))).toBe('awake');
  });

  test.each([-1, Number.NaN, 'soon' as never])('sleep throws a RangeError for %s', async (ms) => {
    const { task } = await harness(
      async ({ sleep }) =>
        sleep(ms).then(
          () => 'awake',
          (error: Error) => error.name,
        ),
      { variant },
    );
    expect(artifactText(await task('go'))).toBe('RangeError');
  });

  test('a blocking send returns the task that ends after a sleep', async () => {
    const { task, clock, store } = await harness(
      async ({ sleep, taskId }) => {
        id = taskId;
        await sleep(60_000);
        return 'awake';
      },
      { variant },
    );
    let id = '';
    const sent = task('go');
    await until(async () => id !== '' && (await store.read(ANN, id))?.record.wakeAt !== undefined);
    await until(async () => (await store.read(ANN, id))?.record.node === undefined);
    clock.advance(60_000);
    const done = await sent;
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(statusText(done)).toBeUndefined();
  });
});
