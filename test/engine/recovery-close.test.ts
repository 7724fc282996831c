import { describe, expect, test } from 'vitest';
import { deferred } from '../../src/support/deferred.ts';
import { cluster, pass, untilAborted, turns } from './cluster.ts';
import { ANN, artifactText, collect, harness, until, VARIANTS } from './harness.ts';

const IMMEDIATELY = { returnImmediately: true };

describe.each(VARIANTS)('$name', (variant) => {
  test('a shutdown aborts the handler, releases its task at once and uses no attempt', async () => {
    const reasons: unknown[] = [];
    let attempts = 0;
    const { node, store } = cluster(
      async function* run({ signal }) {
        attempts++;
        yield 'begun';
        if (attempts < 8) {
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          reasons.push(signal.reason);
          return;
        }
        yield ' done';
      },
      { variant, limits: { maxAttempts: 2 } },
    );
    let last = await node();
    const early = await last.task('go', IMMEDIATELY);
    for (let i = 1; i < 8; i++) {
      await until(() => attempts === i);
      await until(async () => artifactText(await last.engine.get(ANN, early.id)) === 'begun');
      await last.engine.close();
      expect((await store.read(ANN, early.id))?.record).toMatchObject({
        attempts: 0,
        status: { state: 'TASK_STATE_WORKING' },
      });
      last = await node();
    }
    await until(async () => (await last.engine.get(ANN, early.id)).status.state === 'TASK_STATE_COMPLETED');
    expect(artifactText(await last.engine.get(ANN, early.id))).toBe('begun done');
    expect(reasons).toHaveLength(7);
    for (const reason of reasons) expect(reason).toMatchObject({ message: 'The node is shutting down' });
  });

  test('close with finishMs waits for runs that end in time, and aborts the others', async () => {
    const door = deferred<void>();
    const { engine, task, clock } = await harness(
      async ({ text }) => {
        if (text === 'slow') await new Promise(() => {});
        await door.promise;
        return 'done';
      },
      { variant },
    );
    const quick = task('quick');
    const slow = task('slow').catch((error: unknown) => error);
    await turns(5);
    const closing = engine.close({ finishMs: 5000 });
    await expect(task('late')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    door.resolve();
    expect(artifactText(await quick)).toBe('done');
    clock.advance(5000);
    expect(await slow).toMatchObject({ code: 'UNAVAILABLE', retryAfterMs: expect.any(Number) as number });
    await closing;
    await engine.close();
  });

  test('a shutdown ends waiting sends and subscriptions, and the task continues on the next engine', async () => {
    const door = deferred<void>();
    const node = await harness(
      async function* run() {
        yield 'begun';
        await door.promise;
        yield ' done';
      },
      { variant },
    );
    const waiting = node.task('go', { idempotencyKey: 'key' }).catch((error: unknown) => error);
    await until(async () => (await node.engine.list(ANN, { limit: 1 })).total === 1);
    const [found] = (await node.engine.list(ANN, { limit: 1 })).tasks;
    const reading = collect(node.engine.subscribe(ANN, found?.id ?? '', { after: 0 }));
    await turns(5);
    const next = await node.restart();
    expect(await waiting).toMatchObject({ code: 'UNAVAILABLE' });
    const seen = await reading;
    const rest = collect(next.engine.subscribe(ANN, found?.id ?? '', { after: seen.length }));
    door.resolve();
    const numbers = [...seen, ...(await rest)].map((event) => 'number' in event && event.number);
    expect(numbers).toEqual(numbers.map((_, i) => i + 1));
    expect(artifactText(await next.engine.get(ANN, found?.id ?? ''))).toBe('begun done');
  });

  test('a request whose creation is under way at a shutdown runs on the next engine, and not on the closed one', async () => {
    const runs: string[] = [];
    const { node, store } = cluster(
      async ({ text }) => {
        runs.push(text);
        return text;
      },
      { variant },
    );
    const first = await node();
    first.connection.set('held', 'create');
    const sending = first.send('go', { idempotencyKey: 'key' }).catch((error: unknown) => error);
    await turns(5);
    const closing = first.engine.close();
    await closing;
    first.connection.set('open');
    expect(await sending).toMatchObject({ code: 'UNAVAILABLE' });
    await turns(10);
    expect(runs).toEqual([]);
    const second = await node();
    await until(async () => runs.length === 1);
    await turns(10);
    expect((await second.engine.list(ANN, { limit: 5 })).total).toBe(1);
    expect((await store.list(ANN, { limit: 5 })).tasks[0]?.record.status.state).toBe('TASK_STATE_COMPLETED');
  });

  test('a task with recovery "fail" fails after a shutdown and does not run again', async () => {
    let runs = 0;
    const { node } = cluster(
      async function* run({ signal }) {
        runs++;
        yield 'begun';
        await untilAborted(signal);
      },
      { variant, limits: { recovery: 'fail' } },
    );
    const first = await node();
    const early = await first.task('go', IMMEDIATELY);
    await until(async () => artifactText(await first.engine.get(ANN, early.id)) === 'begun');
    await first.engine.close();
    const second = await node();
    await until(async () => (await second.engine.get(ANN, early.id)).status.state === 'TASK_STATE_FAILED');
    expect(artifactText(await second.engine.get(ANN, early.id))).toBe('begun');
    expect(runs).toBe(1);
  });

  test('a closed engine rejects calls and leaves no timer behind', async () => {
    const { engine, task, clock } = await harness(async ({ ask }) => ask('Which?'), { variant });
    const asked = await task('go');
    await engine.close();
    await engine.close();
    expect(clock.pending).toBe(0);
    await expect(task('more')).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterMs: 1000 });
    await expect(engine.cancel(ANN, asked.id)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await pass(clock, 10_000);
  });
});
