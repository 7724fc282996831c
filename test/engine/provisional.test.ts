import { describe, expect, test } from 'vitest';
import type { Handler, TaskContext } from '../../src/engine/handler.ts';
import { deferred } from '../../src/support/deferred.ts';
import { ANN, artifactText, bodies, collect, harness, statusText, until, VARIANTS } from './harness.ts';

const HOW = ['restart', 'crash'] as const;

describe.each(VARIANTS)('$name', (variant) => {
  test('a task without any event is unknown to get, list, subscribe and cancel', async () => {
    const gate = deferred<void>();
    const id = deferred<string>();
    const { task, engine } = await harness(
      async ({ taskId }) => {
        id.resolve(taskId);
        await gate.promise;
        return 'done';
      },
      { variant },
    );
    const sent = task('go');
    const unknown = { code: 'TASK_NOT_FOUND' };
    await expect(engine.get(ANN, await id.promise)).rejects.toMatchObject(unknown);
    await expect(engine.cancel(ANN, await id.promise)).rejects.toMatchObject(unknown);
    const stream = engine.subscribe(ANN, await id.promise)[Symbol.asyncIterator]();
    await expect(stream.next()).rejects.toMatchObject(unknown);
    expect(await engine.list(ANN, { limit: 10 })).toEqual({ tasks: [], total: 0 });
    gate.resolve();
    const done = await sent;
    expect(await engine.get(ANN, done.id)).toEqual(done);
    expect((await engine.list(ANN, { limit: 10 })).total).toBe(1);
  });

  test.each<[string, (ctx: TaskContext) => Promise<unknown>]>([
    ['an output', (ctx) => ctx.artifact('a').append('x')],
    ['a status', (ctx) => ctx.status('busy')],
    ['a step', (ctx) => ctx.step('s', () => 1)],
    ['a sleep', (ctx) => ctx.sleep(1000)],
    ['a question', (ctx) => ctx.ask('Who?')],
  ])('%s makes a task visible', async (_, act) => {
    const gate = deferred<void>();
    const id = deferred<string>();
    const { send, engine, clock } = await harness(
      async (ctx) => {
        id.resolve(ctx.taskId);
        await gate.promise;
        await act(ctx);
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      },
      { variant },
    );
    const sent = send('go', { maxWaitMs: 1000 });
    await expect(engine.get(ANN, await id.promise)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    gate.resolve();
    const isKnown = async (): Promise<boolean> => (await engine.list(ANN, { limit: 10 })).total === 1;
    await until(isKnown);
    clock.advance(1000);
    expect(await sent).toMatchObject({ task: { id: await id.promise } });
  });

  test('a reply before any output returns a bare message and no task', async () => {
    const { send, stream } = await harness(
      async (ctx) => ctx.reply({ parts: [{ text: ctx.text }, { data: { n: 1 } }] }),
      { variant },
    );
    const result = await send('hello');
    expect(result).toEqual({
      message: {
        messageId: expect.any(String),
        contextId: expect.any(String),
        role: 'ROLE_AGENT',
        parts: [{ text: 'hello' }, { data: { n: 1 } }],
      },
    });
    expect(bodies(await stream('hello'))).toMatchObject([
      { message: { parts: [{ text: 'hello' }, { data: { n: 1 } }] } },
    ]);
  });

  test.each([
    [
      'yielded',
      async function* run() {
        yield { reply: { parts: [{ text: 'hi' }] } };
        yield 'too late';
      },
    ],
    ['returned', async () => ({ reply: 'hi' })],
    [
      'returned by a generator',
      // oxlint-disable-next-line require-yield
      async function* run() {
        return { reply: 'hi' };
      },
    ],
  ] satisfies [string, Handler][])('a reply that is %s returns a bare message', async (_, run) => {
    const { send, stream, engine } = await harness(run, { variant });
    const reply = { message: { role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } };
    expect(await send('hello')).toMatchObject(reply);
    expect(bodies(await stream('hello'))).toMatchObject([reply]);
    expect((await engine.list(ANN, { limit: 10 })).total).toBe(0);
  });

  test('a reply that is yielded after an output completes the task with the message', async () => {
    const { task } = await harness(
      async function* run() {
        yield 'working on it';
        yield { reply: 'All done' };
      },
      { variant },
    );
    const done = await task('go');
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect([statusText(done), artifactText(done)]).toEqual(['All done', 'working on it']);
  });

  test('a reply that a step yields fails the step', async () => {
    const { task } = await harness(
      async ({ step }) =>
        step('greet', async function* greet() {
          yield { reply: 'hi' };
        }).then(
          () => 'done',
          (error: Error) => error.message,
        ),
      { variant },
    );
    expect(artifactText(await task('go'))).toBe('A step cannot reply. Return from the step, and reply in the handler.');
  });

  test('a request repeated with its idempotency key gets the same bare message', async () => {
    let runs = 0;
    const { send, stream } = await harness(async (ctx) => ctx.reply(`run ${++runs}`), { variant });
    const options = { idempotencyKey: 'k', caller: { id: 'x', isVerified: false } };
    const first = await send('hello', options);
    expect(await send('hello', options)).toEqual(first);
    expect(bodies(await stream('hello', options))).toEqual([first]);
    expect(runs).toBe(1);
  });

  test('a reply after an output completes the task with the message', async () => {
    const { task, engine } = await harness(
      async function* run(ctx) {
        yield 'working on it';
        ctx.reply('All done');
      },
      { variant },
    );
    const done = await task('go');
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(statusText(done)).toBe('All done');
    expect(artifactText(done)).toBe('working on it');
    expect(await engine.get(ANN, done.id)).toEqual(done);
  });

  test('a reply with returnImmediately completes the task', async () => {
    const { task, engine } = await harness(async (ctx) => ctx.reply('hi'), { variant });
    const early = await task('go', { returnImmediately: true });
    expect(early.status.state).toBe('TASK_STATE_SUBMITTED');
    expect((await engine.list(ANN, { limit: 10 })).total).toBe(1);
    await until(async () => (await engine.get(ANN, early.id)).status.state === 'TASK_STATE_COMPLETED');
    expect(statusText(await engine.get(ANN, early.id))).toBe('hi');
  });

  test('a send that reaches maxWaitMs returns the task, which stays visible', async () => {
    const gate = deferred<void>();
    const begun = deferred<void>();
    const { task, engine, clock } = await harness(
      async (ctx) => {
        begun.resolve();
        await gate.promise;
        return ctx.reply('hi');
      },
      { variant },
    );
    const sent = task('go', { maxWaitMs: 1000 });
    await begun.promise;
    clock.advance(1000);
    const early = await sent;
    expect(early.status.state).toBe('TASK_STATE_SUBMITTED');
    expect(await engine.get(ANN, early.id)).toEqual(early);
    gate.resolve();
    await until(async () => (await engine.get(ANN, early.id)).status.state === 'TASK_STATE_COMPLETED');
    expect(statusText(await engine.get(ANN, early.id))).toBe('hi');
  });

  test('a subscriber of a task that became visible by maxWaitMs gets each event once', async () => {
    const gate = deferred<void>();
    const begun = deferred<void>();
    const { task, engine, clock } = await harness(
      async () => {
        begun.resolve();
        await gate.promise;
        return 'done';
      },
      { variant },
    );
    const sent = task('go', { maxWaitMs: 1000 });
    await begun.promise;
    clock.advance(1000);
    const { id } = await sent;
    const fromNow = collect(engine.subscribe(ANN, id));
    const fromZero = collect(engine.subscribe(ANN, id, { after: 0 }));
    await until(async () => (await engine.list(ANN, { limit: 1 })).total === 1);
    gate.resolve();
    expect((await fromNow).map(({ kind }) => kind)).toEqual(['snapshot', 'status', 'artifact', 'status']);
    expect((await fromZero).map(({ kind }) => kind)).toEqual(['task', 'status', 'artifact', 'status']);
  });

  test.each(HOW)('a task that is not visible yet survives a %s and is found by its idempotency key', async (how) => {
    let runs = 0;
    const begun = deferred<void>();
    const first = await harness(
      async (ctx) => {
        runs++;
        begun.resolve();
        if (runs === 1) await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
        return ctx.reply(`run ${runs}`);
      },
      { variant },
    );
    const lost = first.send('go', { idempotencyKey: 'k' }).catch((error: unknown) => error);
    await begun.promise;
    const { send, engine } = await first[how]();
    expect(await send('go', { idempotencyKey: 'k' })).toMatchObject({ message: { parts: [{ text: 'run 2' }] } });
    expect(runs).toBe(2);
    expect((await engine.list(ANN, { limit: 10 })).total).toBe(0);
    if (how === 'restart') expect(await lost).toMatchObject({ code: 'UNAVAILABLE' });
  });
});
