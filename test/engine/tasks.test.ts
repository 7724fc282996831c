import { describe, expect, test } from 'vitest';
import {
  ANN,
  artifactText,
  bodies,
  collect,
  harness,
  runnable,
  statusText,
  until,
  userMessage,
  VARIANTS,
} from './harness.ts';

test('an engine with two agents of one id does not start', async () => {
  const agents = [runnable(async () => 'a'), runnable(async () => 'b')];
  await expect(harness(async () => 'c', { agents })).rejects.toThrow('Two agents have the id agent');
});

describe.each(VARIANTS)('$name', (variant) => {
  test('texts that a handler yields become one artifact', async () => {
    const { task } = await harness(
      async function* run({ text }) {
        yield `You said `;
        yield text;
      },
      { variant },
    );
    const done = await task('hello');
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(artifactText(done)).toBe('You said hello');
    expect(done.history?.map(({ parts }) => parts)).toEqual([[{ text: 'hello' }]]);
  });

  test('the return value of an async handler becomes an artifact', async () => {
    const { task } = await harness(async ({ message }) => ({ data: { length: message.text.length } }), { variant });
    const done = await task('hello');
    expect(done.artifacts?.[0]?.parts).toEqual([{ data: { length: 5 } }]);
  });

  test('a reply returns a bare message and leaves no task behind', async () => {
    const { send, engine } = await harness(async (ctx) => ctx.reply(`Hi, ${ctx.caller.id}`), { variant });
    const result = await send('hello');
    expect(result).toMatchObject({ message: { role: 'ROLE_AGENT', parts: [{ text: 'Hi, ann' }] } });
    expect(await engine.list(ANN, { limit: 10 })).toEqual({ tasks: [], total: 0 });
  });

  test('a question is answered by the next message', async () => {
    const { task, reply } = await harness(
      async function* run({ ask }) {
        yield 'Hello. ';
        const city = await ask('Which city?');
        yield `Off to ${city}.`;
      },
      { variant },
    );
    const asked = await task('travel');
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(statusText(asked)).toBe('Which city?');
    const done = await reply(asked, 'Rome');
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(artifactText(done)).toBe('Hello. Off to Rome.');
  });

  test('the answer to an input-required status starts the handler again', async () => {
    const { task, reply } = await harness(
      async function* run({ text, task: { history = [] } }) {
        if (history.length === 1) yield { status: 'input-required', text: 'Which city?' };
        else yield `Off to ${text}`;
      },
      { variant },
    );
    const asked = await task('travel');
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const done = await reply(asked, 'Rome');
    expect(artifactText(done)).toBe('Off to Rome');
  });

  test('a step runs once, also when the run resumes by replay', async () => {
    let calls = 0;
    const { task, reply } = await harness(
      async function* run({ step, ask }) {
        const first = await step('count', () => ++calls);
        await ask('Go on?');
        const second = await step('count', () => ++calls);
        yield `${first} ${second}`;
      },
      { variant },
    );
    const done = await reply(await task('go'), 'yes');
    expect(artifactText(done)).toBe('1 2');
    expect(calls).toBe(2);
  });

  test('a sleeping run resumes at its wake time', async () => {
    const { task, clock, engine } = await harness(
      async function* run({ sleep }) {
        yield 'good ';
        await sleep(60_000);
        yield 'morning';
      },
      { variant },
    );
    const early = await task('sleep', { returnImmediately: true });
    await until(async () => artifactText(await engine.get(ANN, early.id)) === 'good ');
    expect((await engine.get(ANN, early.id)).status.state).toBe('TASK_STATE_WORKING');
    await until(async () => {
      clock.advance(5000);
      return (await engine.get(ANN, early.id)).status.state === 'TASK_STATE_COMPLETED';
    });
    expect(artifactText(await engine.get(ANN, early.id))).toBe('good morning');
  });

  test.each(['step', 'sleep'] as const)('a task that becomes visible by a %s is working', async (kind) => {
    const { task, clock, engine } = await harness(
      async ({ step, sleep }) => {
        if (kind === 'step') await step('look', () => 1);
        else await sleep(1000);
        await sleep(1000);
      },
      { variant },
    );
    const done = task('go');
    await until(async () => (await engine.list(ANN, { limit: 1 })).total === 1);
    const { tasks } = await engine.list(ANN, { limit: 1 });
    expect(tasks[0]?.status.state).toBe('TASK_STATE_WORKING');
    await until(async () => {
      clock.advance(500);
      return (await engine.list(ANN, { limit: 1, states: ['TASK_STATE_COMPLETED'] })).total === 1;
    });
    expect((await done).status.state).toBe('TASK_STATE_COMPLETED');
  });

  test('the stream of a new task has every event, numbered from 1', async () => {
    const { engine } = await harness(
      async function* run() {
        yield { status: 'working', text: 'On it' };
        yield 'a';
        yield 'b';
      },
      { variant },
    );
    const { items } = await engine.stream({
      ...ANN,
      agent: 'agent',
      caller: { id: 'ann', isVerified: true },
      message: userMessage('go'),
    });
    const events = await collect(items);
    expect(events.map((event) => 'number' in event && event.number)).toEqual([1, 2, 3, 4, 5]);
    expect(bodies(events)).toMatchObject([
      { task: { status: { state: 'TASK_STATE_SUBMITTED' } } },
      { statusUpdate: { status: { state: 'TASK_STATE_WORKING', message: { parts: [{ text: 'On it' }] } } } },
      { artifactUpdate: { artifact: { parts: [{ text: 'a' }] } } },
      { artifactUpdate: { artifact: { parts: [{ text: 'b' }] }, append: true } },
      { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } },
    ]);
  });

  test('a throw fails the task with a reference, and only the log has the reason', async () => {
    const { task, log } = await harness(
      async () => {
        throw new Error('password is hunter2');
      },
      { variant },
    );
    const failed = await task('go');
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(statusText(failed)).toMatch(/^The agent failed\. Reference: [0-9a-f-]{36}$/);
    expect(log).toContainEqual(expect.objectContaining({ message: 'A handler failed' }));
  });

  test('a cancel ends a run that observes its signal', async () => {
    const { task, engine } = await harness(
      async function* run({ signal }) {
        yield 'begun';
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
      { variant },
    );
    const early = await task('go', { returnImmediately: true });
    await until(async () => artifactText(await engine.get(ANN, early.id)) === 'begun');
    const canceled = await engine.cancel(ANN, early.id);
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    expect(artifactText(canceled)).toBe('begun');
  });
});
