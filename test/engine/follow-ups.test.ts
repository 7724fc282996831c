import { describe, expect, test } from 'vitest';
import type { Output } from '../../src/engine/output/output.ts';
import { deferred } from '../../src/support/deferred.ts';
import { ANN, artifactText, BOB, harness, until, userMessage, VARIANTS } from './harness.ts';

describe.each(VARIANTS)('$name', (variant) => {
  test.each<[string, string, Output]>([
    ['completed', 'TASK_STATE_COMPLETED', 'done'],
    ['failed', 'TASK_STATE_FAILED', { status: 'failed' }],
    ['rejected', 'TASK_STATE_REJECTED', { status: 'rejected' }],
  ])('a message to a %s task is rejected', async (_, state, output) => {
    const { task, reply, engine } = await harness(async () => output, { variant });
    const done = await task('go');
    await expect(reply(done, 'more')).rejects.toMatchObject({
      code: 'UNSUPPORTED_OPERATION',
      details: { taskId: done.id, state },
    });
    expect(await engine.get(ANN, done.id)).toEqual(done);
  });

  test('a message to a task that is canceled or being canceled is rejected', async () => {
    const gate = deferred<void>();
    const { task, reply, engine, store } = await harness(
      async function* run() {
        yield 'begun';
        await gate.promise;
      },
      { variant },
    );
    const early = await task('go', { returnImmediately: true });
    await until(async () => artifactText(await engine.get(ANN, early.id)) === 'begun');
    const canceled = engine.cancel(ANN, early.id);
    await until(async () => (await store.read(ANN, early.id))?.record.canceling === true);
    const refusal = { code: 'UNSUPPORTED_OPERATION', details: { taskId: early.id, state: 'TASK_STATE_CANCELED' } };
    await expect(reply(early, 'wait')).rejects.toMatchObject(refusal);
    gate.resolve();
    expect((await canceled).status.state).toBe('TASK_STATE_CANCELED');
    await expect(reply(early, 'wait')).rejects.toMatchObject(refusal);
    expect((await engine.get(ANN, early.id)).history).toHaveLength(1);
  });

  test('a message to a queued task is in its inbox when the task starts', async () => {
    const gate = deferred<void>();
    const { task, reply } = await harness(
      async ({ text, inbox, step }) => {
        if (text === 'first') await step('wait', () => gate.promise);
        return (await inbox.take()).map((message) => message.text).join();
      },
      { variant, limits: { concurrency: 1 } },
    );
    const first = await task('first', { returnImmediately: true });
    const second = await task('second', { returnImmediately: true });
    expect(second.status.state).toBe('TASK_STATE_SUBMITTED');
    await reply(second, 'hello', { returnImmediately: true });
    const done = reply(second, 'again');
    gate.resolve();
    expect(artifactText(await done)).toBe('hello,again');
    expect(first.status.state).toBe('TASK_STATE_SUBMITTED');
  });

  test('a message to a running task starts no second run', async () => {
    const gate = deferred<void>();
    let runs = 0;
    const { task, reply, engine } = await harness(
      async ({ step }) => {
        runs++;
        await step('wait', () => gate.promise);
        return 'done';
      },
      { variant },
    );
    const early = await task('go', { returnImmediately: true });
    const seen = await reply(early, 'more', { returnImmediately: true });
    expect(seen.id).toBe(early.id);
    expect(seen.history?.map(({ parts }) => parts)).toEqual([[{ text: 'go' }], [{ text: 'more' }]]);
    const sent = reply(early, 'even more');
    await until(async () => (await engine.get(ANN, early.id)).history?.length === 3);
    gate.resolve();
    expect(artifactText(await sent)).toBe('done');
    expect(runs).toBe(1);
  });

  test('an answer with returnImmediately returns the task as working', async () => {
    const { task, reply, engine } = await harness(
      async ({ ask, sleep }) => {
        const name = await ask('Who?');
        await sleep(60_000);
        return name;
      },
      { variant },
    );
    const asked = await task('go');
    const seen = await reply(asked, 'Ann', { returnImmediately: true });
    expect(seen.status.state).toBe('TASK_STATE_WORKING');
    expect(seen.history?.at(-1)?.parts).toEqual([{ text: 'Ann' }]);
    expect((await engine.get(ANN, asked.id)).status.state).toBe('TASK_STATE_WORKING');
  });

  test('a follow-up is stored in the history of its task, with the ids of task and context', async () => {
    const { task, engine } = await harness(async ({ ask }) => ask('Who?'), { variant });
    const asked = await task('go');
    const { id, contextId = '' } = asked;
    const done = await task('', { message: userMessage('Ann', { taskId: id, contextId, metadata: { a: 1 } }) });
    expect(done.history?.at(-1)).toMatchObject({ taskId: id, contextId, metadata: { a: 1 } });
    expect(done.history?.every((message) => message.taskId === id && message.contextId === contextId)).toBe(true);
    expect((await engine.list(ANN, { limit: 10 })).total).toBe(1);
  });

  test('a message whose contextId differs from that of its task is rejected', async () => {
    const { task, reply, engine } = await harness(async ({ ask }) => ask('Who?'), { variant });
    const asked = await task('go');
    const message = userMessage('Ann', { taskId: asked.id, contextId: 'elsewhere' });
    await expect(task('', { message })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      violations: [{ field: 'message.contextId' }],
    });
    expect(await engine.get(ANN, asked.id)).toEqual(asked);
    expect(artifactText(await reply(asked, 'Ann'))).toBe('Ann');
  });

  test('a message to an unknown task and one to the task of another caller get the same TASK_NOT_FOUND', async () => {
    const { task, reply, engine } = await harness(async ({ ask }) => ask('Who?'), { variant });
    const asked = await task('go');
    const bob = { ...BOB, caller: { id: 'bob', isVerified: true } };
    const foreign: unknown = await reply(asked, 'Bob', bob).catch((error: unknown) => error);
    const unknown: unknown = await reply({ ...asked, id: 'none' }, 'Ann').catch((error: unknown) => error);
    expect(foreign).toMatchObject({ code: 'TASK_NOT_FOUND', message: `Task ${asked.id} does not exist` });
    expect(unknown).toMatchObject({ code: 'TASK_NOT_FOUND', message: 'Task none does not exist' });
    await expect(reply(asked, 'x', { tenant: 'other' })).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    expect(await engine.get(ANN, asked.id)).toEqual(asked);
  });

  test('a message to a task that is not visible yet gets TASK_NOT_FOUND', async () => {
    const gate = deferred<void>();
    const id = deferred<string>();
    const { send, reply } = await harness(
      async (ctx) => {
        id.resolve(ctx.taskId);
        await gate.promise;
        return ctx.reply('hi');
      },
      { variant },
    );
    const sent = send('go');
    const early = { id: await id.promise, status: { state: 'TASK_STATE_SUBMITTED' } } as const;
    await expect(reply(early, 'more')).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    gate.resolve();
    expect(await sent).toMatchObject({ message: { parts: [{ text: 'hi' }] } });
  });

  test('a new message in the context of a finished task starts another task', async () => {
    const { task } = await harness(async ({ history }) => `${(await history()).length}`, { variant });
    const first = await task('one');
    const { contextId = '' } = first;
    const second = await task('', { message: userMessage('two', { contextId }) });
    expect(second.id).not.toBe(first.id);
    expect(second.contextId).toBe(contextId);
    expect(artifactText(second)).toBe('1');
  });
});
