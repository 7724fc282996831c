import { describe, expect, test } from 'vitest';
import { deferred } from '../../src/support/deferred.ts';
import type { Store } from '../../src/store/store.ts';
import { cluster, pass, untilAborted, turns } from './cluster.ts';
import {
  ANN,
  artifactText,
  bodies,
  collect,
  harness,
  runnable,
  startHarness,
  until,
  VARIANTS,
  withMethods,
} from './harness.ts';

const IMMEDIATELY = { returnImmediately: true };

describe.each(VARIANTS)('$name', (variant) => {
  test('a cancel during a replay keeps all published artifacts', async () => {
    const doors = [deferred<void>(), deferred<void>()];
    let attempts = 0;
    const { node, clock } = cluster(
      async function* run({ signal }) {
        const attempt = attempts++;
        yield 'a';
        if (attempt > 0) {
          doors[0]?.resolve();
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          return;
        }
        yield 'b';
        yield { artifact: 'other', text: 'c' };
        await doors[1]?.promise;
      },
      { variant },
    );
    const first = await node();
    const early = await first.task('go', IMMEDIATELY);
    await until(async () => artifactText(await first.engine.get(ANN, early.id), 'other') === 'c');
    first.kill();
    await pass(clock, 20_000, 5000);
    const second = await node();
    await doors[0]?.promise;
    const canceled = await second.engine.cancel(ANN, early.id);
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    expect(artifactText(canceled)).toBe('ab');
    expect(artifactText(canceled, 'other')).toBe('c');
    const events = bodies(await collect(second.engine.subscribe(ANN, early.id, { after: 0 })));
    expect(events.filter((event) => 'artifactUpdate' in event)).toHaveLength(3);
  });

  test('a timeout during a replay keeps all published artifacts', async () => {
    let attempts = 0;
    const { node, clock } = cluster(
      async function* run() {
        const attempt = attempts++;
        yield 'a';
        if (attempt === 0) yield 'b';
        await new Promise(() => {});
      },
      { variant, limits: { timeoutMs: 60_000 } },
    );
    const first = await node();
    const early = await first.task('go', IMMEDIATELY);
    await until(async () => artifactText(await first.engine.get(ANN, early.id)) === 'ab');
    first.kill();
    await pass(clock, 20_000, 5000);
    const second = await node();
    await until(() => attempts === 2);
    await pass(clock, 61_000, 5000);
    await until(async () => (await second.engine.get(ANN, early.id)).status.state === 'TASK_STATE_FAILED');
    expect(artifactText(await second.engine.get(ANN, early.id))).toBe('ab');
  });

  test('a canceled task keeps its artifacts after its events are removed', async () => {
    const { node, clock } = cluster(
      async function* run({ text, signal, ask }) {
        yield 'work';
        if (text === 'ask') await ask('Which?');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        yield ' ends';
      },
      { variant, retention: { replayWindowMs: 1000 } },
    );
    const { task, engine } = await node();
    for (const text of ['ask', 'run']) {
      const early = await task(text, IMMEDIATELY);
      await until(async () => artifactText(await engine.get(ANN, early.id)) === 'work');
      await turns(5);
      const canceled = await engine.cancel(ANN, early.id);
      await pass(clock, 5000);
      await engine.prune();
      expect(artifactText(canceled)).toMatch(/^work/);
      expect(await engine.get(ANN, early.id)).toEqual(canceled);
    }
  });

  test('a completion that comes just after the cancel does not change the state, and its outputs are kept', async () => {
    const door = deferred<void>();
    const { node, clock } = cluster(
      async function* run() {
        yield 'work';
        await door.promise;
        yield ' done';
      },
      { variant, retention: { replayWindowMs: 1000 } },
    );
    const [runner, other] = [await node(), await node()];
    const early = await runner.task('go', IMMEDIATELY);
    await until(async () => artifactText(await runner.engine.get(ANN, early.id)) === 'work');
    // The runner learns of the cancel when the store rejects its own end.
    runner.connection.set('held', 'read');
    const canceling = other.engine.cancel(ANN, early.id);
    await until(async () => (await other.store.read(ANN, early.id))?.record.canceling === true);
    door.resolve();
    const canceled = await canceling;
    runner.connection.set('open');
    await pass(clock, 5000);
    await other.engine.prune();
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    expect(artifactText(canceled)).toBe('work done');
    expect(await other.engine.get(ANN, early.id)).toEqual(canceled);
  });

  test.each(['before the cancel', 'after the cancel'])(
    'when a completion and a cancel come at once, the state and the response to the cancel agree (%s)',
    async (order) => {
      for (let delay = 0; delay < 6; delay++) {
        const door = deferred<void>();
        const { task, engine } = await harness(
          async function* run() {
            yield 'work';
            await door.promise;
            yield ' done';
          },
          { variant },
        );
        const early = await task('go', IMMEDIATELY);
        await until(async () => artifactText(await engine.get(ANN, early.id)) === 'work');
        if (order === 'before the cancel') door.resolve();
        for (let i = 0; i < delay; i++) await Promise.resolve();
        const canceling = engine.cancel(ANN, early.id).catch((error: unknown) => error);
        for (let i = 0; i < delay; i++) await Promise.resolve();
        door.resolve();
        const answer = await canceling;
        await turns(10);
        const { status } = await engine.get(ANN, early.id);
        if (status.state === 'TASK_STATE_CANCELED') expect(answer).toMatchObject({ status });
        else expect(answer).toMatchObject({ code: 'TASK_NOT_CANCELABLE', details: { state: 'TASK_STATE_COMPLETED' } });
        await engine.close();
      }
    },
  );

  test('a canceled task stays canceled after a restart', async () => {
    const door = deferred<void>();
    const node = await harness(
      async function* run() {
        yield 'work';
        await door.promise;
      },
      { variant },
    );
    const early = await node.task('go', IMMEDIATELY);
    await until(async () => artifactText(await node.engine.get(ANN, early.id)) === 'work');
    const canceling = node.engine.cancel(ANN, early.id);
    await turns(5);
    await pass(node.clock, 3000, 500);
    const canceled = await canceling;
    const next = await node.restart();
    door.resolve();
    await pass(node.clock, 60_000, 10_000);
    expect(await next.engine.get(ANN, early.id)).toEqual(canceled);
  });

  test('outputs of a run that another node cancels are in the task, not only in its events', async () => {
    const { node, store } = cluster(
      async function* run({ signal }) {
        yield 'one ';
        await untilAborted(signal);
        yield 'two';
        await new Promise(() => {});
      },
      { variant },
    );
    const runner = await node();
    const task = await runner.task('go', { returnImmediately: true });
    await until(async () => artifactText(await runner.engine.get(ANN, task.id)) === 'one ');
    const append: Store['append'] = async (write) => {
      // After the cancel has read the task and before it ends the task, the runner publishes its last output and releases the task.
      if (write.guard.idle === true && write.endedAt !== undefined) {
        await until(async () => (await store.events(task.id, 0, 100)).length === 4);
        await runner.engine.close();
      }
      return store.append(write);
    };
    const agents = [runnable(async () => {}, { concurrency: 0 })];
    const other = await startHarness(
      { store: withMethods(store, { append }), agents, clock: runner.clock },
      runner.clock,
    );
    const canceled = await other.engine.cancel(ANN, task.id);
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    expect(artifactText(canceled)).toBe('one two');
  });
});
