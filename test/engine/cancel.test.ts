import { describe, expect, test } from 'vitest';
import { deferred } from '../../src/support/deferred.ts';
import { pass, untilAborted, turns } from './cluster.ts';
import { ANN, artifactText, BOB, bodies, collect, harness, until, VARIANTS } from './harness.ts';

const IMMEDIATELY = { returnImmediately: true };

describe.each(VARIANTS)('$name', (variant) => {
  test.each(['ask', 'authorize', 'turn', 'sleep'])(
    'a paused or sleeping task is canceled at once (%s)',
    async (text) => {
      let reason: unknown;
      const { task, engine, clock } = await harness(
        async function* run(ctx) {
          ctx.signal.addEventListener('abort', () => (reason = ctx.signal.reason));
          yield 'kept';
          if (text === 'ask') await ctx.ask('Which?');
          if (text === 'authorize') await ctx.authorize('May I?');
          if (text === 'sleep') await ctx.sleep(100_000);
          if (text === 'turn') yield { status: 'input-required', text: 'Which?' };
          yield ' and more';
        },
        { variant },
      );
      const early = await task(text, IMMEDIATELY);
      await until(async () => artifactText(await engine.get(ANN, early.id)) === 'kept');
      await turns(10);
      const canceled = await engine.cancel(ANN, early.id);
      expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
      expect(artifactText(canceled)).toBe('kept');
      await pass(clock, 200_000, 50_000);
      expect(await engine.get(ANN, early.id)).toEqual(canceled);
      if (text !== 'turn') expect(reason).toMatchObject({ name: 'AbortError' });
    },
  );

  test('a handler suspended in memory runs its finally block when its task is canceled', async () => {
    let isCleared = false;
    const { task, engine } = await harness(
      async ({ ask }) => {
        try {
          await ask('Which?');
        } finally {
          isCleared = true;
        }
      },
      { variant },
    );
    const asked = await task('go');
    await engine.cancel(ANN, asked.id);
    await turns(10);
    // Only a run in memory: without one there is nothing to abort.
    expect(isCleared).toBe(variant.maxSuspended > 0);
  });

  test('a queued task is canceled at once and never runs', async () => {
    const begun: string[] = [];
    const door = deferred<void>();
    const { task, engine } = await harness(
      async ({ text }) => {
        begun.push(text);
        await door.promise;
      },
      { variant, limits: { concurrency: 1 } },
    );
    const first = await task('first', IMMEDIATELY);
    const second = await task('second', IMMEDIATELY);
    expect((await engine.cancel(ANN, second.id)).status.state).toBe('TASK_STATE_CANCELED');
    door.resolve();
    await until(async () => (await engine.get(ANN, first.id)).status.state === 'TASK_STATE_COMPLETED');
    await turns(10);
    expect(begun).toEqual(['first']);
  });

  test('a handler that observes its signal ends at once, and the outputs of its cleanup are kept', async () => {
    const { task, engine } = await harness(
      async function* run({ signal, artifact, status }) {
        yield 'work';
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await status('Clearing up');
        await artifact('notes').append('left at page 7');
        yield ' ends';
      },
      { variant },
    );
    const early = await task('go', IMMEDIATELY);
    await until(async () => artifactText(await engine.get(ANN, early.id)) === 'work');
    const canceled = await engine.cancel(ANN, early.id);
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    expect(artifactText(canceled)).toBe('work ends');
    expect(artifactText(canceled, 'notes')).toBe('left at page 7');
  });

  test.each([
    ['completes', { status: 'completed', text: 'Done' }],
    ['fails', { status: 'failed', text: 'Oh' }],
    ['asks', { status: 'input-required', text: 'Which?' }],
  ] as const)('a handler that %s during the grace period of a cancel is canceled all the same', async (_, last) => {
    const { task, engine } = await harness(
      async function* run({ signal }) {
        yield 'work';
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        yield last;
      },
      { variant },
    );
    const early = await task('go', IMMEDIATELY);
    await until(async () => artifactText(await engine.get(ANN, early.id)) === 'work');
    const canceled = await engine.cancel(ANN, early.id);
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    const events = bodies(await collect(engine.subscribe(ANN, early.id, { after: 0 })));
    const states = events.flatMap((event) => ('statusUpdate' in event ? event.statusUpdate.status.state : []));
    expect(states).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_CANCELED']);
  });

  test('a handler that ignores its signal is abandoned after cancelGraceMs, and its later writes have no effect', async () => {
    const door = deferred<void>();
    const { task, engine, clock } = await harness(
      async function* run() {
        yield 'work';
        await door.promise;
        yield ' too late';
      },
      { variant, limits: { cancelGraceMs: 3000 } },
    );
    const early = await task('go', IMMEDIATELY);
    await until(async () => artifactText(await engine.get(ANN, early.id)) === 'work');
    let isCanceled = false;
    const canceling = engine.cancel(ANN, early.id).finally(() => (isCanceled = true));
    await turns(10);
    await pass(clock, 2999, 500);
    expect(isCanceled).toBe(false);
    expect((await engine.get(ANN, early.id)).status.state).toBe('TASK_STATE_WORKING');
    await pass(clock, 1);
    const canceled = await canceling;
    door.resolve();
    await turns(10);
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    expect(await engine.get(ANN, early.id)).toEqual(canceled);
    expect(artifactText(canceled)).toBe('work');
  });

  test('a cancel aborts the signal of a running step, and the error that the step throws then does not fail the task', async () => {
    let isAborted = false;
    const { task, engine } = await harness(
      async function* run({ step }) {
        yield 'work';
        await step('slow', async ({ signal }) => {
          await untilAborted(signal);
          isAborted = true;
          throw new Error('stopped');
        });
      },
      { variant },
    );
    const early = await task('go', IMMEDIATELY);
    await until(async () => artifactText(await engine.get(ANN, early.id)) === 'work');
    const canceled = await engine.cancel(ANN, early.id);
    expect(canceled.status).toEqual({ state: 'TASK_STATE_CANCELED', timestamp: expect.any(String) as string });
    expect(isAborted).toBe(true);
  });

  test('ask and sleep throw while a canceled handler cleans up, and steps still run', async () => {
    const errors: string[] = [];
    const { task, engine } = await harness(
      async function* run({ signal, ask, sleep, step }) {
        yield 'work';
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await ask('Sure?').catch((error: Error) => errors.push(error.message));
        await sleep(1000).catch((error: Error) => errors.push(error.message));
        // Cleanup may take steps.
        yield await step('undo', () => ' undone');
      },
      { variant },
    );
    const early = await task('go', IMMEDIATELY);
    await until(async () => artifactText(await engine.get(ANN, early.id)) === 'work');
    const canceled = await engine.cancel(ANN, early.id);
    expect(artifactText(canceled)).toBe('work undone');
    expect(errors).toEqual(['The task was canceled', 'The task was canceled']);
  });

  test('cancel of a completed, failed or rejected task throws TASK_NOT_CANCELABLE', async () => {
    const { task, engine } = await harness(
      async ({ text, reject }) => {
        if (text === 'throw') throw new Error('no');
        if (text === 'reject') reject('no');
      },
      { variant },
    );
    for (const text of ['go', 'throw', 'reject']) {
      const ended = await task(text);
      await expect(engine.cancel(ANN, ended.id)).rejects.toMatchObject({
        code: 'TASK_NOT_CANCELABLE',
        details: { taskId: ended.id, state: ended.status.state },
      });
      expect(await engine.get(ANN, ended.id)).toEqual(ended);
    }
  });

  test('repeated cancels return the same task and publish one event', async () => {
    const { task, engine } = await harness(
      async function* run({ signal }) {
        yield 'work';
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
      { variant },
    );
    const early = await task('go', IMMEDIATELY);
    await until(async () => artifactText(await engine.get(ANN, early.id)) === 'work');
    const all = await Promise.all([1, 2, 3].map(() => engine.cancel(ANN, early.id)));
    const again = await engine.cancel(ANN, early.id);
    for (const canceled of all) expect(canceled).toEqual(again);
    const events = bodies(await collect(engine.subscribe(ANN, early.id, { after: 0 })));
    expect(events.filter((event) => JSON.stringify(event).includes('CANCELED'))).toHaveLength(1);
  });

  test('cancel of the task of another caller throws the same TASK_NOT_FOUND as an unknown id', async () => {
    const { task, engine } = await harness(async ({ ask }) => ask('Which?'), { variant });
    const asked = await task('go');
    for (const [scope, id] of [
      [BOB, asked.id],
      [{ ...ANN, tenant: 'other' }, asked.id],
      [ANN, 'nobody'],
    ] as const) {
      await expect(engine.cancel(scope, id)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND', details: { taskId: id } });
    }
    expect((await engine.get(ANN, asked.id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  test('a send that waits for a task returns it as canceled', async () => {
    const { task, engine } = await harness(
      async function* run({ signal }) {
        yield 'work';
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
      { variant },
    );
    const waiting = task('go');
    await until(async () => (await engine.list(ANN, { limit: 1 })).total === 1);
    const [found] = (await engine.list(ANN, { limit: 1 })).tasks;
    await engine.cancel(ANN, found?.id ?? '');
    expect((await waiting).status.state).toBe('TASK_STATE_CANCELED');
  });
});
