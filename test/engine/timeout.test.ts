import { describe, expect, test } from 'vitest';
import { QuestionExpiredError } from '../../src/engine/handler.ts';
import { isTerminal } from '../../src/model/state.ts';
import { deferred } from '../../src/support/deferred.ts';
import { cluster, pass, turns } from './cluster.ts';
import { ANN, artifactText, collect, harness, statusText, until, VARIANTS } from './harness.ts';

describe.each(VARIANTS)('$name', (variant) => {
  test('a run that works longer than timeoutMs is aborted, and its task fails', async () => {
    let reason: unknown;
    const { task, clock, engine } = await harness(
      async function* run({ signal }) {
        yield 'begun';
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        reason = signal.reason;
        yield ' and more';
      },
      { variant, limits: { timeoutMs: 1000 } },
    );
    const running = task('go');
    await until(async () => (await engine.list(ANN, { limit: 1 })).total === 1);
    await pass(clock, 999, 333);
    expect((await engine.list(ANN, { limit: 1 })).tasks[0]?.status.state).toBe('TASK_STATE_WORKING');
    clock.advance(1);
    const failed = await running;
    await turns(5);
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(statusText(failed)).toBe('Task timed out');
    expect(artifactText(await engine.get(ANN, failed.id))).toBe('begun');
    expect(reason).toMatchObject({ name: 'AbortError', message: 'The task timed out' });
  });

  test('a task whose step is aborted by the timeout reports the timeout and not the error of the step', async () => {
    const { task, clock } = await harness(
      async ({ step }) => {
        await step('slow', ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', reject)));
      },
      { variant, limits: { timeoutMs: 1000 } },
    );
    const running = task('go');
    await turns(5);
    clock.advance(1000);
    expect(statusText(await running)).toBe('Task timed out');
  });

  test('timeoutMs of a request limits the working time of its task', async () => {
    const { task, clock } = await harness(async () => new Promise(() => {}), { variant, limits: { timeoutMs: 5000 } });
    const running = task('go', { timeoutMs: 1000 });
    await turns(5);
    clock.advance(1000);
    expect(statusText(await running)).toBe('Task timed out');
  });

  test('a task that ended in time stays completed after its timeout', async () => {
    const { task, clock, engine } = await harness(async () => 'done', { variant });
    const { id } = await task('go', { timeoutMs: 1000 });
    await pass(clock, 2000, 500);
    expect((await engine.get(ANN, id)).status.state).toBe('TASK_STATE_COMPLETED');
  });

  test('a clock that jumps does not time a task out, and a timeout is logged with the working time', async () => {
    const mayEnd = deferred<void>();
    let hasBegun = false;
    const { task, clock, engine, log } = await harness(
      async ({ text }) => {
        if (text === 'first') return mayEnd.promise;
        hasBegun = true;
        return new Promise(() => {});
      },
      { variant, limits: { timeoutMs: 5000 } },
    );
    const first = await task('first', { returnImmediately: true });
    clock.jump(3_600_000);
    await turns(20);
    clock.jump(3_600_000);
    await turns(20);
    mayEnd.resolve();
    await until(async () => (await engine.get(ANN, first.id)).status.state === 'TASK_STATE_COMPLETED');
    expect(log.filter(({ message }) => message === 'Task timed out')).toEqual([]);

    const second = await task('second', { returnImmediately: true });
    await until(() => hasBegun);
    clock.jump(60_000);
    await pass(clock, 6000);
    expect(statusText(await engine.get(ANN, second.id))).toBe('Task timed out');
    const { fields } = log.find(({ message }) => message === 'Task timed out') ?? {};
    expect(fields).toMatchObject({ taskId: second.id, timeoutMs: 5000, workedMs: 5000, passedMs: 64_000 });
  });

  test('working time before a crash counts towards timeoutMs as far as steps have recorded it', async () => {
    let runs = 0;
    const { node, clock } = cluster(
      async ({ step }) => {
        runs += 1;
        await step('long', () => pass(clock, 4000, 500));
        return new Promise(() => {});
      },
      { variant, limits: { timeoutMs: 5000 } },
    );
    const first = await node();
    const { id } = await first.task('go', { returnImmediately: true });
    await until(async () => (await first.store.journal(id, 0)).length === 1);
    first.kill();
    await pass(clock, 20_000, 5000);
    const second = await node();
    await until(() => runs === 2);
    await pass(clock, 900, 300);
    expect((await second.engine.get(ANN, id)).status.state).toBe('TASK_STATE_WORKING');
    await pass(clock, 200, 100);
    await until(async () => (await second.engine.get(ANN, id)).status.state === 'TASK_STATE_FAILED');
  });

  test('timeoutMs starts again after each pause', async () => {
    const { task, reply, clock, engine } = await harness(
      async function* run({ ask, step }) {
        await step('one', () => pass(clock, 800, 100));
        await ask('Go on?');
        await step('two', () => pass(clock, 800, 100));
        yield 'done';
      },
      { variant, limits: { timeoutMs: 1000 } },
    );
    const asked = await task('go');
    await pass(clock, 5000);
    const done = await reply(asked, 'yes');
    expect(artifactText(await engine.get(ANN, done.id))).toBe('done');
  });

  test('a send that reaches maxWaitMs returns the task as it is, and the task continues', async () => {
    const { task, clock, engine } = await harness(
      async function* run() {
        await new Promise<void>((resolve) => clock.callAt(clock.now() + 10_000, resolve));
        yield 'done';
      },
      { variant },
    );
    const running = task('go', { maxWaitMs: 500 });
    await turns(5);
    // It has published nothing, so it is not visible.
    expect((await engine.list(ANN, { limit: 1 })).total).toBe(0);
    clock.advance(500);
    const early = await running;
    expect(early.status.state).toBe('TASK_STATE_SUBMITTED');
    expect((await engine.get(ANN, early.id)).id).toBe(early.id);
    expect((await engine.list(ANN, { limit: 1 })).total).toBe(1);
    const events = collect(engine.subscribe(ANN, early.id, { after: 0 }));
    await pass(clock, 12_000);
    expect((await events).map((event) => 'number' in event && event.number)).toEqual([1, 2, 3, 4]);
    expect(artifactText(await engine.get(ANN, early.id))).toBe('done');
  });

  test('maxWaitMs of the agent limits maxWaitMs of a request', async () => {
    const { task, clock } = await harness(async ({ sleep }) => sleep(100_000), { variant, limits: { maxWaitMs: 500 } });
    const running = task('go', { maxWaitMs: 50_000 });
    await turns(10);
    clock.advance(500);
    expect(isTerminal((await running).status.state)).toBe(false);
  });

  test.each([true, false])(
    'a reply at the moment of maxWaitMs returns the reply or the task (verified: %s)',
    async (isVerified) => {
      const { send, clock } = await harness(
        async ({ reply }) => {
          await new Promise<void>((resolve) => clock.callAt(clock.now() + 500, resolve));
          reply('in the last moment');
        },
        { variant },
      );
      const running = send('go', { maxWaitMs: 500, caller: { id: 'ann', isVerified } });
      await turns(5);
      clock.advance(500);
      const result = await running;
      if ('task' in result) expect(result.task.status.state).toBe('TASK_STATE_SUBMITTED');
      else expect(result.message.parts).toEqual([{ text: 'in the last moment' }]);
    },
  );

  test('a question without an answer fails the task at its timeoutMs, not before', async () => {
    const { task, clock, engine } = await harness(async ({ ask }) => ask('Anybody?', { timeoutMs: 5000 }), { variant });
    const asked = await task('go');
    await pass(clock, 4999);
    expect((await engine.get(ANN, asked.id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    await pass(clock, 2000);
    await until(async () => (await engine.get(ANN, asked.id)).status.state === 'TASK_STATE_FAILED');
    expect(statusText(await engine.get(ANN, asked.id))).toBe('The question was not answered in time');
  });

  test('questionTtlMs of the agent limits questions without a timeout of their own', async () => {
    const { task, clock, engine } = await harness(
      async function* run({ text, ask }) {
        if (text === 'turn') yield { status: 'input-required', text: 'Which?' };
        else await ask('Which?');
      },
      { variant, limits: { questionTtlMs: 10_000 } },
    );
    for (const text of ['ask', 'turn']) {
      const asked = await task(text);
      await pass(clock, 9000);
      expect((await engine.get(ANN, asked.id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
      await pass(clock, 3000);
      await until(async () => (await engine.get(ANN, asked.id)).status.state === 'TASK_STATE_FAILED');
      expect(statusText(await engine.get(ANN, asked.id))).toBe('The question was not answered in time');
    }
  });

  test('a handler that catches the expiry of its question completes its task', async () => {
    const { task, clock, engine } = await harness(
      async ({ ask }) => {
        try {
          return await ask('Anybody?', { timeoutMs: 5000 });
        } catch (error) {
          return error instanceof QuestionExpiredError ? 'then without you' : 'odd';
        }
      },
      { variant },
    );
    const asked = await task('go');
    await pass(clock, 7000);
    await until(async () => (await engine.get(ANN, asked.id)).status.state === 'TASK_STATE_COMPLETED');
    const done = await engine.get(ANN, asked.id);
    expect(artifactText(done)).toBe('then without you');
    // The expired question is in the history.
    expect(done.history?.map(({ role }) => role)).toEqual(['ROLE_USER', 'ROLE_AGENT']);
  });
});
