import { describe, expect, test } from 'vitest';
import { deferred } from '../../src/support/deferred.ts';
import { cluster, pass, untilAborted, turns } from './cluster.ts';
import { ANN, artifactText, statusText, until, VARIANTS } from './harness.ts';

const IMMEDIATELY = { returnImmediately: true };

describe.each(VARIANTS)('$name', (variant) => {
  test('a cancel on another node aborts the run', async () => {
    const { node } = cluster(
      async function* run({ signal }) {
        yield 'work';
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        yield ' ends';
      },
      { variant },
    );
    const [runner, other] = [await node(), await node()];
    const early = await runner.task('go', IMMEDIATELY);
    await until(async () => artifactText(await other.engine.get(ANN, early.id)) === 'work');
    const canceled = await other.engine.cancel(ANN, early.id);
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    expect(artifactText(canceled)).toBe('work ends');
    expect(await runner.engine.get(ANN, early.id)).toEqual(canceled);
  });

  test.each([
    ['held', 'read'],
    ['held', 'journal'],
    ['held', 'events'],
    ['late', 'read'],
    ['late', 'journal'],
    ['late', 'events'],
  ] as const)(
    'a cancel that comes while a node claims and loads the task cancels it (%s %s)',
    async (connection, call) => {
      const { node } = cluster(
        async ({ ask, signal }) => {
          await ask('Which?');
          await untilAborted(signal);
        },
        { variant },
      );
      const [first, other] = [await node(), await node({ agents: [] })];
      const asked = await first.task('go');
      await turns(10);
      first.connection.set(connection, call);
      await other.reply(asked, 'this', IMMEDIATELY);
      await turns(20);
      const canceling = other.engine.cancel(ANN, asked.id);
      await turns(10);
      first.connection.set('open');
      expect((await canceling).status.state).toBe('TASK_STATE_CANCELED');
    },
  );

  test('a run that receives no hint of a cancel is aborted by its next write', async () => {
    let isAborted = false;
    const next = deferred<void>();
    const { node } = cluster(
      async function* run({ signal }) {
        signal.addEventListener('abort', () => (isAborted = true));
        yield 'work';
        await next.promise;
        yield ' goes on';
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
      { variant },
    );
    const [runner, other] = [await node(), await node()];
    const early = await runner.task('go', IMMEDIATELY);
    await until(async () => artifactText(await other.engine.get(ANN, early.id)) === 'work');
    // The reads that the hint causes never return.
    runner.connection.set('dead', 'read', 'journal');
    const canceling = other.engine.cancel(ANN, early.id);
    await turns(20);
    expect(isAborted).toBe(false);
    next.resolve();
    await until(() => isAborted);
    expect((await canceling).status.state).toBe('TASK_STATE_CANCELED');
  });

  test.each(['kept', 'held'] as const)(
    'a cancel takes the task from a node that hangs (its store calls are %s)',
    async (connection) => {
      const door = deferred<void>();
      let signal: AbortSignal | undefined;
      const { node, clock } = cluster(
        async function* run(ctx) {
          ({ signal } = ctx);
          yield 'work';
          await door.promise;
          yield ' too late';
          yield { status: 'completed', text: 'Done' };
        },
        { variant, limits: { cancelGraceMs: 2000 } },
      );
      const [runner, other] = [await node(), await node()];
      const early = await runner.task('go', IMMEDIATELY);
      await until(async () => artifactText(await other.engine.get(ANN, early.id)) === 'work');
      // The process hangs: it receives nothing, and nothing that it does arrives.
      if (connection === 'held') runner.connection.set('held');
      else runner.connection.set('dead', 'read', 'journal', 'claim');
      const canceling = other.engine.cancel(ANN, early.id);
      await turns(10);
      await pass(clock, 3500, 500);
      const canceled = await canceling;
      expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
      door.resolve();
      runner.connection.set('open');
      await pass(clock, 20_000, 2000);
      expect(await other.engine.get(ANN, early.id)).toEqual(canceled);
      expect(artifactText(canceled)).toBe('work');
      expect(signal?.aborted).toBe(true);
    },
  );

  test('cancel returns when the task has ended, also if another node ended it', async () => {
    const { node, clock } = cluster(
      async function* run() {
        yield 'work';
        await new Promise(() => {});
      },
      { variant, limits: { cancelGraceMs: 2000 } },
    );
    const [runner, other, third] = [await node(), await node(), await node()];
    const early = await runner.task('go', IMMEDIATELY);
    await until(async () => artifactText(await other.engine.get(ANN, early.id)) === 'work');
    runner.connection.set('held');
    const canceling = Promise.all([other.engine.cancel(ANN, early.id), third.engine.cancel(ANN, early.id)]);
    await turns(10);
    await pass(clock, 4000, 500);
    for (const { status } of await canceling) expect(status.state).toBe('TASK_STATE_CANCELED');
    runner.connection.set('open');
  });

  test('cancel waits for a task that a third node has claimed meanwhile', async () => {
    const { node, clock, store } = cluster(
      async function* run() {
        yield 'work';
        await new Promise(() => {});
      },
      { variant, limits: { cancelGraceMs: 2000 } },
    );
    const [runner, other] = [await node(), await node({ agents: [] })];
    const early = await runner.task('go', IMMEDIATELY);
    await until(async () => artifactText(await other.engine.get(ANN, early.id)) === 'work');
    runner.connection.set('held');
    let answer: unknown;
    void other.engine.cancel(ANN, early.id).then((task) => (answer = task));
    await turns(10);
    // It revokes the lease of the node that hangs, and is then slow to read the task.
    other.connection.set('held', 'read');
    const third = await node();
    third.connection.set('held', 'append');
    await pass(clock, 4000, 500);
    await until(async () => ((await store.read(ANN, early.id))?.record.fence ?? 0) > 2);
    other.connection.set('open');
    await turns(20);
    expect(answer).toBeUndefined();
    third.connection.set('open');
    await pass(clock, 6000, 500);
    await until(() => answer !== undefined);
    expect(answer).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' } });
    runner.connection.set('open');
  });

  test('the task of a node that died is canceled at once', async () => {
    const { node, clock } = cluster(
      async function* run() {
        yield 'work';
        await new Promise(() => {});
      },
      { variant, limits: { concurrency: 1 } },
    );
    const runner = await node();
    const early = await runner.task('go', IMMEDIATELY);
    await until(async () => artifactText(await runner.engine.get(ANN, early.id)) === 'work');
    runner.kill();
    clock.advance(20_000);
    const other = await node({ agents: [] });
    const canceled = await other.engine.cancel(ANN, early.id);
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    expect(artifactText(canceled)).toBe('work');
  });

  test('a cancel whose node dies after it stored the intent is completed by another node', async () => {
    const { node, clock, store } = cluster(async ({ ask }) => ask('Which?'), { variant });
    const first = await node({
      faultPoint: (name) => {
        if (name === 'after-cancel-intent') first.kill();
      },
    });
    const asked = await first.task('go');
    first.engine.cancel(ANN, asked.id).catch(() => {});
    await until(async () => (await store.read(ANN, asked.id))?.record.canceling === true);
    const second = await node();
    await until(async () => {
      clock.advance(500);
      return (await second.engine.get(ANN, asked.id)).status.state === 'TASK_STATE_CANCELED';
    });
    expect(statusText(await second.engine.get(ANN, asked.id))).toBeUndefined();
  });
});
