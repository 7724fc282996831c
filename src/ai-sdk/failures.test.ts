/** A failed model call fails the task, and is recorded as a failed step. */
import { APICallError, streamText } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { expect, onTestFinished, test } from 'vitest';
import { agent, type TaskContext } from '../server/index.ts';
import { testAgent, type TestAgent } from '../testing/index.ts';
import { durable, fromAISDK, textOf } from './index.ts';

const described = { name: 'Poet', description: 'Writes.' };
const quiet = { maxRetries: 0, onError: () => {} };

const failing = new MockLanguageModelV3({
  doStream: async () => {
    throw new Error('401 wrong key');
  },
});

/** A model that fails after a text. */
function breaking(end: (controller: ReadableStreamDefaultController) => void): MockLanguageModelV3 {
  return new MockLanguageModelV3({
    doStream: async () => ({
      stream: new ReadableStream({
        start(controller) {
          controller.enqueue({ type: 'text-start', id: '1' });
          controller.enqueue({ type: 'text-delta', id: '1', delta: 'Once ' });
        },
        pull: end,
      }),
    }),
  });
}

async function underTest(handler: { readonly run: (ctx: TaskContext) => never }): Promise<TestAgent> {
  const subject = await testAgent(agent({ ...described, ...handler }));
  onTestFinished(() => subject.close());
  return subject;
}

const RUNS = {
  'textOf() with durable()': async function* (ctx: TaskContext) {
    yield* textOf(streamText({ model: durable(failing, ctx), prompt: 'x', ...quiet }));
  },
  'textOf() in a step': async ({ step }: TaskContext) => {
    await step('model', async function* () {
      yield* textOf(streamText({ model: failing, prompt: 'x', ...quiet }));
    });
  },
  'fromAISDK()': fromAISDK({ model: failing, maxRetries: 0 }).run,
};

test.each(Object.entries(RUNS))('%s: an error of the provider fails the task and the step', async (_name, run) => {
  const subject = await underTest({ run: run as never });
  expect((await subject.send('go')).state).toBe('failed');
  expect(subject.steps).toMatchObject([{ name: 'model', result: undefined, error: { message: '401 wrong key' } }]);
});

test.each([
  ['an error part', { type: 'error', error: new Error('overloaded') }],
  ['a stream that breaks', undefined],
])('%s fails the step, and a replay gets the same text and error', async (_name, part) => {
  const seen: string[] = [];
  const error = new APICallError({
    message: 'overloaded',
    url: 'http://model.test',
    requestBodyValues: {},
    isRetryable: true,
  });
  const model = breaking((controller) => {
    if (part === undefined) return controller.error(error);
    controller.enqueue({ ...part, error });
    controller.close();
  });
  const subject = await underTest({
    run: async function* (ctx: TaskContext) {
      try {
        for await (const text of textOf(streamText({ model: durable(model, ctx), prompt: 'x', onError: () => {} }))) {
          seen.push(text);
          yield text;
        }
      } catch (caught) {
        seen.push(`${APICallError.isInstance(caught)} ${String(caught)}`);
      }
      await ctx.ask({ confirm: 'Again?' });
    } as never,
  });
  const first = ['Once ', 'true AI_APICallError: overloaded'];
  await subject.send('go');
  expect(seen.splice(0)).toEqual(first);
  expect(subject.steps).toMatchObject([{ error: { message: 'AI_APICallError: overloaded' } }]);
  await subject.crash();
  await subject.answer(true);
  expect(seen.slice(0, 2)).toEqual(first);
  expect(model.doStreamCalls).toHaveLength(1);
  expect((await subject.reply()).text).toBe('Once ');
});

test('textOf() returns the whole text, and throws if the call is aborted', async () => {
  const parts = async function* (...given: readonly { type: string; text?: string }[]) {
    yield* given;
  };
  const read = async (fullStream: AsyncIterable<{ readonly type: string }>) => {
    const texts = textOf({ fullStream });
    for (;;) {
      const { done, value } = await texts.next();
      if (done === true) return value;
    }
  };
  const [one, two] = [
    { type: 'text-delta', text: 'one ' },
    { type: 'text-delta', text: 'two' },
  ];
  expect(await read(parts({ type: 'start' }, one, two))).toBe('one two');
  await expect(read(parts(one, { type: 'abort' }))).rejects.toThrow('The model call was aborted');
});
