import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Handler } from '../engine/handler.ts';
import { QuestionExpiredError } from '../engine/handler.ts';
import { agent, type Agent } from '../agent/agent.ts';
import { sqlite } from '../store/sqlite/store.ts';
import { deferred } from '../support/deferred.ts';
import { fakeClock } from './fake-clock.ts';
import { type TestAgent, testAgent, type TestAgentOptions } from './test-agent.ts';

function agentOf(run: Handler, limits: object = {}): Agent {
  return agent({ name: 'Subject', description: 'Is tested.', run, ...limits });
}

async function tested(subject: Handler | Agent, options: TestAgentOptions = {}): Promise<TestAgent> {
  const made = await testAgent(typeof subject === 'function' ? agentOf(subject) : subject, options);
  onTestFinished(() => made.close());
  return made;
}

const HOUR = 3_600_000;

test('send() returns the completed task with its text', async () => {
  const subject = await tested(async ({ text }) => `You said ${text}`);

  const reply = await subject.send('hello');

  expect(reply).toMatchObject({ state: 'completed', text: 'You said hello', message: undefined });
  expect(reply.task?.id).toBe((await subject.reply()).task?.id);
});

test('send() returns the message of an agent that replies without a task', async () => {
  const subject = await tested(({ reply }) => reply('Hello'));

  expect(await subject.send('hi')).toMatchObject({ state: undefined, text: 'Hello', task: undefined });
  expect(await subject.reply()).toMatchObject({ text: 'Hello', message: { role: 'ROLE_AGENT' } });
});

test.each([
  ['a text', 'Where to?', 'Rome', '"Rome"'],
  ['a boolean', { confirm: 'Book?' }, true, 'true'],
  ['an object', { form: 'Where?', fields: { city: { type: 'string' } } }, { city: 'Rome' }, '{"city":"Rome"}'],
  ['a boolean in place of a text', 'Sure?', true, '"yes"'],
  ['a number in place of a text', 'How many?', 3, '"3"'],
  ['a number in place of an option', { choose: 'How many?', options: ['1', '3'] }, 3, '"3"'],
  ['a message', 'Where to?', { text: 'Rome', metadata: { seats: 2 } }, '"Rome"'],
] as const)('answer() answers a question with %s', async (_, question, answer, text) => {
  const subject = await tested(async ({ ask }) => JSON.stringify(await ask(question as never)));

  const asked = await subject.send('hi');
  expect(asked.state).toBe('input-required');
  expect(asked.question?.kind).toBe(typeof question === 'string' ? 'text' : Object.keys(question)[0]);

  expect(await subject.answer(answer)).toMatchObject({ state: 'completed', text });
});

test('a reply has the options of its question, and a context in which another task can follow', async () => {
  const subject = await tested(async ({ ask, conversation }) => {
    const turns = (await conversation()).map(({ text }) => text);
    return turns.length > 1 ? turns.join(', ') : ask({ choose: 'Size?', options: ['S', 'M'] });
  });

  const { question, contextId = '' } = await subject.send('first');
  expect(question?.kind === 'choose' ? question.options[1]?.id : undefined).toBe('M');
  await subject.answer('M');
  expect((await subject.send('second', { contextId })).text).toBe('first, Size?\n1. S\n2. M, M, M, second');
});

test('answer() passes a credential to ctx.authorize', async () => {
  const subject = await tested(async ({ authorize }) => `Got ${await authorize('Log in')}`);

  expect((await subject.send('hi')).state).toBe('auth-required');
  expect((await subject.answer('secret')).text).toBe('Got secret');
});

test('answer() rejects a value that does not match the question', async () => {
  const subject = await tested(({ ask }) => ask({ choose: 'Size?', options: ['S', 'M'] }));
  await subject.send('hi');

  await expect(subject.answer('XL')).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
  expect((await subject.answer('M')).text).toBe('M');
});

test('answer() without an open question, and reply() without a task, are errors that say so', async () => {
  const subject = await tested(async () => 'done');

  await expect(subject.reply()).rejects.toThrow('call send() first');
  await subject.send('hi');
  await expect(subject.answer('yes')).rejects.toThrow('does not ask a question; it is completed');
});

test('advance() wakes one sleep after the other, each at its own time', async () => {
  const subject = await tested(async function* run({ sleep, step }) {
    for (let i = 1; i <= 3; i++) {
      await sleep(HOUR);
      yield `${await step('time', () => new Date(subject.clock.now()).toISOString().slice(11, 16))} `;
    }
  });

  expect((await subject.send('hi')).state).toBe('working');
  await subject.advance('59m');
  expect((await subject.reply()).text).toBe('');
  await subject.advance('90m');
  expect((await subject.reply()).text).toBe('11:00 12:00 ');
  await subject.advance(HOUR);
  expect(await subject.reply()).toMatchObject({ state: 'completed', text: '11:00 12:00 13:00 ' });
});

test('advance() of 60 days wakes a sleep of a month', async () => {
  const subject = await tested(async ({ sleep }) => {
    await sleep(30 * 24 * HOUR);
    return 'awake';
  });
  await subject.send('hi');

  await subject.advance('60d');

  expect((await subject.reply()).text).toBe('awake');
});

test('advance() lets a question expire', async () => {
  const subject = await tested(async ({ ask }) => {
    try {
      return `Got ${await ask('Where to?', { timeoutMs: HOUR })}`;
    } catch (error) {
      return error instanceof QuestionExpiredError ? 'Too late' : 'Wrong error';
    }
  });
  await subject.send('hi');

  await subject.advance('1h');

  expect(await subject.reply()).toMatchObject({ state: 'completed', text: 'Too late' });
});

test('advance() lets a step retry after its pauses', async () => {
  const times: number[] = [];
  const subject = await tested(async ({ step }) =>
    step(
      'flaky',
      () => {
        times.push(subject.clock.now() - started);
        if (times.length < 4) throw new Error('not yet');
        return 'works';
      },
      { retries: 5, backoffMs: 1000 },
    ),
  );
  const started = subject.clock.now();

  expect((await subject.send('hi')).state).toBe('working');
  expect(times).toEqual([0]);
  await subject.advance('3s');
  expect(times).toEqual([0, 1000, 3000]);
  await subject.advance('4s');
  expect(times).toEqual([0, 1000, 3000, 7000]);
  expect((await subject.reply()).text).toBe('works');
});

test('advance() lets an inner step retry', async () => {
  let attempts = 0;
  const inner = (): string => {
    if (++attempts < 2) throw new Error('not yet');
    return 'works';
  };
  const subject = await tested(async ({ step }) =>
    step('outer', ({ step: again }) => again('inner', inner, { retries: 1, backoffMs: 500 })),
  );

  await subject.send('hi');
  await subject.advance('1s');

  expect((await subject.reply()).text).toBe('works');
  expect(subject.steps.map(({ name, result }) => [name, result])).toEqual([
    ['outer/inner', 'works'],
    ['outer', 'works'],
  ]);
});

test('send() and advance() wait for real work of a step', async () => {
  const later = (): Promise<string> => new Promise((resolve) => setTimeout(resolve, 20, 'worked'));
  const subject = await tested(async function* run({ step, sleep }) {
    yield await step('one', later);
    await sleep(1000);
    yield await step('two', later);
  });

  expect((await subject.send('hi')).text).toBe('worked');
  await subject.advance('1s');

  expect(await subject.reply()).toMatchObject({ state: 'completed', text: 'workedworked' });
});

test('a handler that hangs is shown as working, and times out as the clock advances', async () => {
  const subject = await tested(
    agentOf(({ step }) => step('hang', () => new Promise<string>(() => {})), { timeoutMs: 60_000 }),
    {
      settleMs: 20,
    },
  );

  expect((await subject.send('hi')).state).toBe('working');
  await subject.advance('61s');

  expect(await subject.reply()).toMatchObject({ state: 'failed', text: 'Task timed out' });
});

test('crash() does not run recorded steps again, and keeps the open question', async () => {
  let runs = 0;
  const subject = await tested(async ({ step, ask }) => {
    const train = await step('reserve', () => `train ${++runs}`);
    return (await ask({ confirm: `Book ${train}?` })) ? `Booked ${train}` : 'Nothing';
  });
  await subject.send('hi');

  await subject.crash();

  expect((await subject.reply()).state).toBe('input-required');
  expect(await subject.answer(true)).toMatchObject({ state: 'completed', text: 'Booked train 1' });
  expect(subject.steps).toEqual([{ name: 'reserve', number: 1, result: 'train 1', error: undefined }]);
});

test('crash() in the middle of a step stops the handler where it is, and the step runs again', async () => {
  const release = deferred<void>();
  const seen: string[] = [];
  const subject = await tested(
    async function* run({ step }) {
      yield 'begun ';
      try {
        await step('slow', async ({ attempt }) => {
          seen.push(`attempt ${attempt}`);
          if (seen.length === 1) await release.promise;
        });
        seen.push('after the step');
        yield 'done';
      } finally {
        seen.push('finally');
      }
    },
    { settleMs: 50 },
  );
  await subject.send('hi');

  await subject.crash();
  release.resolve();
  await subject.advance(1);

  expect(await subject.reply()).toMatchObject({ state: 'completed', text: 'begun done' });
  expect(seen).toEqual(['attempt 1', 'attempt 1', 'after the step', 'finally']);
});

test('an answer() whose handler crash() stops returns the task as the next process left it', async () => {
  const paying = deferred<void>();
  const seen: string[] = [];
  const subject = await tested(async ({ ask, step }) => {
    await ask({ confirm: 'Pay?' });
    await step('reserve', () => void seen.push('reserve'));
    await step('pay', async () => {
      seen.push('pay');
      if (seen.length > 2) return;
      paying.resolve();
      await new Promise(() => {});
    });
    return 'Paid';
  });
  await subject.send('hi');

  const answered = subject.answer(true);
  await paying.promise;
  await subject.crash();

  expect(await answered).toMatchObject({ state: 'completed', text: 'Paid' });
  expect(seen).toEqual(['reserve', 'pay', 'pay']);
});

test('crash() keeps a sleep, which ends at its time', async () => {
  const subject = await tested(async ({ sleep }) => {
    await sleep(HOUR);
    return 'awake';
  });
  await subject.send('hi');
  await subject.advance('30m');

  await subject.crash();
  await subject.advance('29m');
  expect((await subject.reply()).state).toBe('working');
  await subject.advance('1m');

  expect((await subject.reply()).text).toBe('awake');
});

test('steps have results and errors, and events have the published output', async () => {
  const subject = await tested(async function* run({ step }) {
    yield { status: 'working', text: 'Looking' };
    await step('find', () => ({ city: 'Rome' }));
    await step('find', () => 2);
    await step('fail', () => {
      throw new RangeError('no seat');
    }).catch(() => {});
    yield 'Found';
  });

  await subject.send('hi');

  expect(subject.steps).toEqual([
    { name: 'find', number: 1, result: { city: 'Rome' }, error: undefined },
    { name: 'find', number: 2, result: 2, error: undefined },
    { name: 'fail', number: 1, result: undefined, error: { name: 'RangeError', message: 'no seat' } },
  ]);
  expect(subject.events.map(({ type, text }) => [type, text])).toEqual([
    ['task', ''],
    ['status', 'Looking'],
    ['artifact', 'Found'],
    ['status', ''],
  ]);
  expect(subject.events.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
});

test('a handler that waits for a message in its inbox gets the next send()', async () => {
  const subject = await tested(async function* run({ inbox }) {
    yield 'ready ';
    for await (const { text } of inbox) {
      if (text === 'stop') return;
      yield `${text} `;
    }
  });

  const { task, state } = await subject.send('hi');
  expect(state).toBe('working');
  const taskId = task?.id ?? '';
  expect((await subject.send('one', { taskId })).text).toBe('ready one ');
  expect(await subject.send('stop', { taskId })).toMatchObject({ state: 'completed', text: 'ready one ' });
});

test('a store of the test survives the agent under test', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-test-agent-'));
  const clock = fakeClock();
  const store = sqlite(join(folder, 'tasks.db'), { clock });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const sleeper = agentOf(async ({ sleep, step }) => {
    await step('before', () => 1);
    await sleep(HOUR);
    return 'awake';
  });
  const subject = await testAgent(sleeper, { clock, store });
  const { task } = await subject.send('hi');
  await subject.crash();
  await subject.close();

  const other = await tested(sleeper, { clock, store });
  await other.advance('1h');

  expect((await other.client.get(task?.id ?? '')).status.state).toBe('TASK_STATE_COMPLETED');
});

test('options of the handler and of the client apply', async () => {
  const { bearerTokens } = await import('../host/auth/bearer-tokens.ts');
  const auth = bearerTokens({ ann: 'a-token-of-24-characters' });
  const subject = await tested(async ({ caller }) => caller.id, { auth, client: { auth: 'a-token-of-24-characters' } });

  expect((await subject.send('hi')).text).toBe('ann');
});

test.each([['1 hour'], ['h'], ['-1s'], [-1], [Number.NaN]])('advance(%j) is a RangeError', async (time) => {
  const subject = await tested(async () => 'done');

  await expect(subject.advance(time as never)).rejects.toThrow(RangeError);
});

test('an unknown option is an error with a suggestion', async () => {
  await expect(
    testAgent(
      agentOf(async () => 'x'),
      { maxBodyBites: 1 } as never,
    ),
  ).rejects.toThrow(/maxBodyBytes/);
});

test('several open questions are answered by their id, or one after the other', async () => {
  const agent = await tested(async ({ ask, authorize }) =>
    (await Promise.all([ask('From?'), ask('To?'), authorize('Log in')])).join(),
  );
  const asked = await agent.send('go');
  expect(asked.questions.map(({ text }) => text)).toEqual(['From?', 'To?', 'Log in']);
  const [, to, login] = asked.questions;
  await agent.answer('Oslo', { question: to?.id ?? '' });
  const third = await agent.answer('Rome');
  expect(third.question).toMatchObject({ kind: 'auth-required', id: login?.id });
  await expect(agent.answer('x', { question: to?.id ?? '' })).rejects.toThrow('no longer open');
  expect((await agent.answer('token-1')).text).toBe('Rome,Oslo,token-1');
});
