import { describe, expect, test } from 'vitest';
import type { Submission } from '../../src/engine/tasks/submission.ts';
import type { Store } from '../../src/store/store.ts';
import { deferred } from '../../src/support/deferred.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { cluster } from './cluster.ts';
import {
  ANN,
  artifactText,
  BOB,
  bodies,
  harness,
  openStore,
  runnable,
  startHarness,
  until,
  userMessage,
  VARIANTS,
  withMethods,
} from './harness.ts';

const KEY = { idempotencyKey: 'key 1' };
const HOW = ['restart', 'crash'] as const;
const anonymous = { caller: { id: 'anonymous', isVerified: false } };

describe.each(VARIANTS)('$name', (variant) => {
  test('a request repeated with its idempotency key returns the same task and runs once', async () => {
    let runs = 0;
    const { task, engine } = await harness(async () => `run ${++runs}`, { variant });
    const first = await task('go', KEY);
    expect(await task('go', KEY)).toEqual(first);
    expect(artifactText(first)).toBe('run 1');
    expect((await engine.list(ANN, { limit: 10 })).total).toBe(1);
  });

  test.each(HOW)('a repeated idempotency key returns the same task after a %s', async (how) => {
    let runs = 0;
    const node = await harness(async () => `run ${++runs}`, { variant });
    const first = await node.task('go', KEY);
    const { task } = await node[how]();
    expect(await task('go', KEY)).toEqual(first);
  });

  test('concurrent requests with one idempotency key wait for one run', async () => {
    const gate = deferred<void>();
    let runs = 0;
    const { task, stream } = await harness(
      async () => {
        runs++;
        await gate.promise;
        return 'done';
      },
      { variant },
    );
    const sent = Array.from({ length: 5 }, () => task('go', KEY));
    const streamed = stream('go', KEY);
    await until(() => runs > 0);
    gate.resolve();
    const [first, ...others] = await Promise.all(sent);
    for (const other of others) expect(other).toEqual(first);
    expect(runs).toBe(1);
    // A stream that starts after the last event gets the task.
    const last = bodies(await streamed).at(-1);
    expect(last).toMatchObject(
      last !== undefined && 'task' in last
        ? { task: { status: first?.status } }
        : { statusUpdate: { status: first?.status } },
    );
  });

  test('concurrent requests with one idempotency key get the same bare reply', async () => {
    let runs = 0;
    const { send, stream } = await harness(async (ctx) => ctx.reply(`run ${++runs}`), { variant });
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => send('go', KEY)));
    expect(first).toMatchObject({ message: { parts: [{ text: 'run 1' }] } });
    for (const other of others) expect(other).toEqual(first);
    expect(bodies(await stream('go', KEY))).toEqual([first]);
  });

  test('a repeated request on another node gets the bare reply of the first', async () => {
    const gate = deferred<void>();
    const { node } = cluster(
      async (ctx) => {
        await gate.promise;
        return ctx.reply('hi');
      },
      { variant },
    );
    const [here, there] = [await node(), await node()];
    const first = here.send('go', KEY);
    await until(() => here.connection.calls.includes('create'));
    const others = [there.send('go', KEY), there.send('go', KEY)];
    const streamed = there.stream('go', KEY);
    await until(() => there.connection.calls.filter((call) => call === 'read').length === 3);
    gate.resolve();
    for (const other of others) expect(await other).toEqual(await first);
    expect(bodies(await streamed)).toEqual([await first]);
  });

  test('a repeated request that arrives while the bare reply is stored gets that reply', async () => {
    const gate = deferred<void>();
    const clock = fakeClock();
    const store = openStore(variant, clock);
    let beforeRead = async (): Promise<unknown> => undefined;
    const read: Store['read'] = async (...args) => {
      await beforeRead();
      return store.read(...args);
    };
    const agents = [
      runnable(async (ctx) => {
        await gate.promise;
        return ctx.reply('hi');
      }),
    ];
    const slow = withMethods(store, { read });
    const { send, stream } = await startHarness({ ...variant, clock, store: slow, agents }, clock);
    const first = send('go', KEY);
    beforeRead = async () => {
      gate.resolve();
      await first;
    };
    const [sent, streamed] = await Promise.all([send('go', KEY), stream('go', KEY)]);
    expect(sent).toEqual(await first);
    expect(bodies(streamed)).toEqual([sent]);
  });

  test('a repeated request whose task waits for an answer gets the question', async () => {
    const { task, reply } = await harness(async ({ ask }) => ask('Who?'), { variant });
    const asked = await task('go', KEY);
    expect(await task('go', KEY)).toEqual(asked);
    const done = await reply(asked, 'Ann');
    expect(await task('go', KEY)).toEqual(done);
  });

  test('a repeated request with returnImmediately gets the task as it is, and makes it visible', async () => {
    const gate = deferred<void>();
    const begun = deferred<void>();
    const { task, engine } = await harness(
      async () => {
        begun.resolve();
        await gate.promise;
        return 'done';
      },
      { variant },
    );
    const sent = task('go', KEY);
    await begun.promise;
    const early = await task('go', { ...KEY, returnImmediately: true });
    expect(early.status.state).toBe('TASK_STATE_SUBMITTED');
    expect(await engine.get(ANN, early.id)).toEqual(early);
    gate.resolve();
    expect((await sent).id).toBe(early.id);
  });

  test.each<[string, Partial<Submission>]>([
    ['another text', { message: userMessage('else') }],
    ['another context', { message: userMessage('go', { contextId: 'c2' }) }],
    ['more parts', { message: userMessage('go', { parts: [{ text: 'go' }, { text: '!' }] }) }],
  ])('an idempotency key reused with %s is rejected and runs nothing', async (_, other) => {
    let runs = 0;
    const { task, engine } = await harness(async () => `run ${++runs}`, { variant });
    await task('go', KEY);
    await expect(task('go', { ...KEY, ...other })).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    expect(runs).toBe(1);
    expect((await engine.list(ANN, { limit: 10 })).total).toBe(1);
  });

  test('the same idempotency key of another caller or tenant is another request', async () => {
    let runs = 0;
    const { task } = await harness(async () => `run ${++runs}`, { variant });
    await task('go', KEY);
    const bob = { ...BOB, caller: { id: 'bob', isVerified: true } };
    expect(artifactText(await task('something else', { ...KEY, ...bob }))).toBe('run 2');
    expect(artifactText(await task('go', { ...KEY, tenant: 'other' }))).toBe('run 3');
  });

  test('a repeated message id is a repeated request for verified callers, and a new one for unverified callers', async () => {
    let runs = 0;
    const { task } = await harness(async () => `run ${++runs}`, { variant });
    const message = userMessage('go');
    expect(artifactText(await task('', { message }))).toBe('run 1');
    expect(artifactText(await task('', { message }))).toBe('run 1');
    expect(artifactText(await task('', { message, ...anonymous }))).toBe('run 2');
    expect(artifactText(await task('', { message, ...anonymous }))).toBe('run 3');
    expect(artifactText(await task('', { message, ...anonymous, ...KEY }))).toBe('run 4');
    expect(artifactText(await task('', { message, ...anonymous, ...KEY }))).toBe('run 4');
  });

  test.each(HOW)('a message id that is repeated after a %s returns the same task', async (how) => {
    let runs = 0;
    const node = await harness(async () => `run ${++runs}`, { variant });
    const message = userMessage('go');
    const first = await node.task('', { message });
    const { task } = await node[how]();
    expect(await task('', { message })).toEqual(first);
  });

  test.each([
    ['another text', { parts: [{ text: 'else' }] }],
    ['another context', { contextId: 'c2' }],
    ['more parts', { parts: [{ text: 'go' }, { text: '!' }] }],
  ])('a message id reused with %s is a new request, and repeats of both are recognized', async (_, more) => {
    let runs = 0;
    const { task } = await harness(async () => `run ${++runs}`, { variant });
    const message = userMessage('go');
    const other = { ...message, ...more };
    expect(artifactText(await task('', { message }))).toBe('run 1');
    expect(artifactText(await task('', { message: other }))).toBe('run 2');
    expect(artifactText(await task('', { message }))).toBe('run 1');
    expect(artifactText(await task('', { message: other }))).toBe('run 2');
  });

  test('concurrent messages with one id and different texts start one task each', async () => {
    const { task, engine } = await harness(async ({ text }) => `did ${text}`, { variant });
    const message = userMessage('0');
    const texts = Array.from({ length: 10 }, (_, i) => `${i % 5}`);
    const sent = await Promise.all(texts.map((text) => task('', { message: { ...message, parts: [{ text }] } })));
    expect(sent.map((each) => artifactText(each))).toEqual(texts.map((text) => `did ${text}`));
    expect((await engine.list(ANN, { limit: 20 })).total).toBe(5);
  });

  test('a message id that answered a question of one task can answer that of another', async () => {
    const { task } = await harness(async ({ ask }) => ask('Which city?'), { variant });
    const [one, two] = [await task('first'), await task('second')];
    const answer = userMessage('Rome');
    for (const { id } of [one, two]) {
      expect(artifactText(await task('', { message: { ...answer, taskId: id } }))).toBe('Rome');
    }
  });

  test('messages with one id and different texts to a running task are all in its inbox', async () => {
    const gate = deferred<void>();
    const { task } = await harness(
      async ({ inbox, step }) => {
        await step('wait', () => gate.promise);
        return (await inbox.take()).map(({ text }) => text).join(' ');
      },
      { variant },
    );
    const { id: taskId } = await task('go', { returnImmediately: true });
    const message = userMessage('more', { taskId });
    await task('', { message, returnImmediately: true });
    const sent = task('', { message: { ...message, parts: [{ text: 'else' }] } });
    await task('', { message, returnImmediately: true });
    gate.resolve();
    expect(artifactText(await sent)).toBe('more else');
  });

  test('without deduplicateByMessageId a repeated message is a new request, and idempotency keys still work', async () => {
    let runs = 0;
    const { task } = await harness(async () => `run ${++runs}`, { variant });
    const again = { message: userMessage('go'), deduplicateByMessageId: false };
    expect(artifactText(await task('', again))).toBe('run 1');
    expect(artifactText(await task('', again))).toBe('run 2');
    expect(artifactText(await task('', { ...again, ...KEY }))).toBe('run 3');
    expect(artifactText(await task('', { ...again, ...KEY }))).toBe('run 3');
  });

  test('a repeated answer is taken once while the task runs, asks again and has ended', async () => {
    const { task, reply } = await harness(
      async ({ ask }) => {
        const sure = await ask({ confirm: 'Sure?' });
        return `${sure} ${await ask('Who?')}`;
      },
      { variant },
    );
    const asked = await task('go');
    const message = userMessage('yes', { taskId: asked.id });
    const [next, also] = await Promise.all([task('', { message }), task('', { message })]);
    expect(also).toEqual(next);
    expect(await task('', { message })).toEqual(next);
    const done = await reply(next, 'Ann');
    expect(artifactText(done)).toBe('true Ann');
    expect(await task('', { message })).toEqual(done);
    expect(done.history).toHaveLength(5);
    const other = userMessage('no', { taskId: asked.id, messageId: message.messageId });
    await expect(task('', { message: other })).rejects.toMatchObject({ code: 'UNSUPPORTED_OPERATION' });
  });

  test('a repeated message to a running task is in its inbox once', async () => {
    const gate = deferred<void>();
    const { task } = await harness(
      async ({ inbox, step }) => {
        await step('wait', () => gate.promise);
        return `${(await inbox.take()).length}`;
      },
      { variant },
    );
    const early = await task('go', { returnImmediately: true });
    const message = userMessage('more', { taskId: early.id });
    for (let i = 0; i < 3; i++) await task('', { message, returnImmediately: true });
    const sent = task('', { message });
    gate.resolve();
    const done = await sent;
    expect(artifactText(done)).toBe('1');
    expect(done.history).toHaveLength(2);
  });

  test('the idempotency key of a rejected request can be used again', async () => {
    const { task } = await harness(async ({ ask }) => ((await ask({ confirm: 'Sure?' })) ? 'yes' : 'no'), { variant });
    const asked = await task('go');
    const answer = (text: string): Partial<Submission> => ({
      ...KEY,
      message: userMessage(text, { taskId: asked.id }),
    });
    await expect(task('', answer('perhaps'))).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    const done = await task('', answer('yes'));
    expect(artifactText(done)).toBe('yes');
    expect(await task('', answer('yes'))).toEqual(done);
  });
});
