/** Text that a model has written is published once, wherever the process ended. The model waits until each word is published. */
import { jsonSchema, stepCountIs, streamText, tool, type ToolSet } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { expect, onTestFinished, test } from 'vitest';
import { type AgentEvent, connect } from '../index.ts';
import { silentLog } from '../observe/log.ts';
import { type Agent, agent, createHandler, memoryStore, type TaskContext } from '../server/index.ts';
import { deferred } from '../support/deferred.ts';
import { nextTurn, systemScheduler } from '../support/time/scheduler.ts';
import { testAgent, type TestAgent } from '../testing/index.ts';
import { durable, durableTools, fromAISDK, toModelMessages } from './index.ts';

type DoStream = MockLanguageModelV3['doStream'];
type Chunk = Awaited<ReturnType<DoStream>>['stream'] extends ReadableStream<infer C> ? C : never;

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
const CALL: Chunk = { type: 'tool-call', toolCallId: 'c', toolName: 'act', input: '{}' };

/** The text that the agent has published, as a caller joins it. */
class Published {
  events: () => readonly AgentEvent[] = () => [];

  get text(): string {
    const chunks = this.events().filter((event) => event.type === 'artifact');
    return chunks.reduce((text, chunk) => (chunk.append ? text + chunk.text : chunk.text), '');
  }

  async includes(text: string): Promise<void> {
    while (!this.text.includes(text)) await nextTurn(systemScheduler);
  }
}

interface Pace {
  readonly published: Pick<Published, 'includes'>;
  /** Awaited before each word. */
  readonly beforeWord?: (word: string) => Promise<void> | undefined;
  /** Awaited when the last model call is recorded and its text is published. */
  readonly atEnd?: () => Promise<void> | undefined;
}

/** A model that calls a tool after a text, if it has one, and then writes another text. */
function pacedModel({ published, beforeWord }: Pace): MockLanguageModelV3 {
  return new MockLanguageModelV3({
    doStream: async ({ prompt, tools = [] }) => {
      const isFirst = tools.length > 0 && !prompt.some(({ role }) => role === 'tool');
      const words = (isFirst ? 'Let me see. ' : 'one two three').split(/(?<= )/);
      const chunks: Chunk[] = [
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: 't' },
        ...words.map((delta): Chunk => ({ type: 'text-delta', id: 't', delta })),
        { type: 'text-end', id: 't' },
        ...(isFirst ? [CALL] : []),
        { type: 'finish', finishReason: { unified: isFirst ? 'tool-calls' : 'stop', raw: undefined }, usage },
      ];
      let last = '';
      const stream = new ReadableStream<Chunk>({
        async pull(controller) {
          const chunk = chunks.shift();
          if (chunk === undefined) return controller.close();
          await published.includes(last);
          if (chunk.type === 'text-delta') {
            await beforeWord?.(chunk.delta.trim());
            last = chunk.delta.trim();
          }
          controller.enqueue(chunk);
        },
      });
      return { stream };
    },
  });
}

const inputSchema = jsonSchema<Record<string, never>>({ type: 'object', properties: {} });
const free: ToolSet = { act: tool({ inputSchema, execute: () => ({ ok: true }) }) };
const approved: ToolSet = { act: tool({ inputSchema, needsApproval: true, execute: () => ({ ok: true }) }) };

interface Loop {
  readonly model: MockLanguageModelV3;
  readonly tools: ToolSet;
  readonly onFinish?: () => Promise<void>;
}

function streamOf(
  ctx: TaskContext,
  { model, tools, ...more }: Loop,
  messages: Awaited<ReturnType<typeof toModelMessages>>,
) {
  const stopWhen = stepCountIs(5);
  const toolsOfTask = durableTools(tools, ctx);
  return streamText({
    model: durable(model, ctx),
    messages,
    tools: toolsOfTask,
    stopWhen,
    abortSignal: ctx.signal,
    ...more,
  });
}

const described = { name: 'Paced', description: 'Writes word by word.' };
const LOOPS: readonly { readonly way: string; readonly between: string; readonly make: (loop: Loop) => Agent }[] = [
  { way: 'fromAISDK()', between: '\n\n', make: (loop) => agent({ ...described, ...fromAISDK({ ...loop }) }) },
  {
    way: 'durable() and yielded text',
    between: '',
    make: (loop) =>
      agent({
        ...described,
        async *run(ctx) {
          yield* streamOf(ctx, loop, await toModelMessages(ctx)).textStream;
        },
      }),
  },
  {
    way: 'durable() and text that is appended to an artifact',
    between: '',
    make: (loop) =>
      agent({
        ...described,
        async run(ctx) {
          const { textStream } = streamOf(ctx, loop, await toModelMessages(ctx));
          for await (const text of textStream) await ctx.artifact('response').append(text);
        },
      }),
  },
];

function madeOf(make: (loop: Loop) => Agent, pace: Pace, tools: ToolSet) {
  const model = pacedModel(pace);
  const { atEnd } = pace;
  const loop = { model, tools, onFinish: async (): Promise<void> => atEnd?.() };
  return { model, made: make(loop) };
}

async function underTest(made: Agent, published: Published, settleMs?: number): Promise<TestAgent> {
  const subject = await testAgent(made, settleMs === undefined ? {} : { settleMs });
  published.events = () => subject.events;
  onTestFinished(() => subject.close());
  return subject;
}

function callingStatuses({ events }: TestAgent): readonly string[] {
  return events.flatMap(({ type, text }) => (type === 'status' && text.startsWith('Calling') ? text : []));
}

test.each(LOOPS)('$way: text before an approval is published once after a crash', async ({ way, between, make }) => {
  const published = new Published();
  const { model, made } = madeOf(make, { published }, approved);
  const subject = await underTest(made, published);
  await subject.send('go');
  await subject.crash();
  const reply = await subject.answer(true);
  expect(reply.text).toBe(`Let me see. ${between}one two three`);
  expect(published.text).toBe(reply.text);
  expect(model.doStreamCalls).toHaveLength(2);
  expect(callingStatuses(subject)).toEqual(way === 'fromAISDK()' ? ['Calling act…'] : []);
});

test.each(LOOPS)('$way: text is published once if the handler is closed while an approval is open', async (loop) => {
  const published = new Published();
  const { made } = madeOf(loop.make, { published }, approved);
  const store = memoryStore();
  const open = async () => {
    const handler = createHandler(made, { store, log: silentLog });
    return { handler, client: await connect(handler) };
  };
  const events: AgentEvent[] = [];
  published.events = () => events;
  const onProgress = (event: AgentEvent): void => void events.push(event);
  const first = await open();
  const { handle = '' } = await first.client.send('go', { onProgress });
  await first.client.close();
  await first.handler.close({ finishMs: 5000 });
  const second = await open();
  const reply = await second.client.task(handle).answer(true, { onProgress });
  expect(reply.text).toBe(`Let me see. ${loop.between}one two three`);
  expect(published.text).toBe(reply.text);
  await second.client.close();
  await second.handler.close();
  await store.close();
});

test.each(LOOPS)(
  '$way: a crash in the final text repeats nothing of the call before it',
  async ({ way, between, make }) => {
    const published = new Published();
    const crashed = deferred<undefined>();
    const beforeWord = (word: string) => (word === 'three' ? crashed.promise : undefined);
    const { made } = madeOf(make, { published, beforeWord }, free);
    const subject = await underTest(made, published, 1);
    const { task } = await subject.send('go');
    await published.includes('two');
    const crash = subject.crash();
    crashed.resolve(undefined);
    await crash;
    const reply = await subject.client.task(task?.id ?? '').wait();
    expect(reply.text).toBe(`Let me see. ${between}one two three`);
    expect(published.text).toBe(reply.text);
    expect(callingStatuses(subject)).toEqual(way === 'fromAISDK()' ? ['Calling act…'] : []);
  },
);

test.each(LOOPS)('$way: a crash after the last model call repeats no text', async ({ between, make }) => {
  const published = new Published();
  const ends: Promise<never>[] = [new Promise<never>(() => {})];
  const reached = deferred<undefined>();
  const atEnd = (): Promise<never> | undefined => {
    reached.resolve(undefined);
    return ends.shift();
  };
  const { model, made } = madeOf(make, { published, atEnd }, free);
  const subject = await underTest(made, published, 1);
  const { task } = await subject.send('go');
  await reached.promise;
  await published.includes('three');
  await subject.crash();
  const reply = await subject.client.task(task?.id ?? '').wait();
  expect(reply.text).toBe(`Let me see. ${between}one two three`);
  expect(published.text).toBe(reply.text);
  expect(model.doStreamCalls).toHaveLength(2);
});

test('text before a question of the handler is published once after a crash', async () => {
  const published = new Published();
  const model = pacedModel({ published });
  const made = agent({
    ...described,
    async *run(ctx) {
      yield* streamText({ model: durable(model, ctx), prompt: 'x' }).textStream;
      await ctx.ask({ confirm: 'more?' });
      yield ' the end';
    },
  });
  const subject = await underTest(made, published);
  await subject.send('go');
  await subject.crash();
  expect((await subject.answer(true)).text).toBe('one two three the end');
});

test('text that the handler yields while a tool runs is published once after a crash', async () => {
  const published = new Published();
  const model = pacedModel({ published: { includes: async () => {} } });
  const called = deferred<undefined>();
  const execute = async () => {
    called.resolve(undefined);
    await published.includes('see.');
    return { ok: true };
  };
  const made = agent({
    ...described,
    async *run(ctx) {
      const loop = { model, tools: { act: tool({ inputSchema, execute }) } };
      for await (const text of streamOf(ctx, loop, await toModelMessages(ctx)).textStream) {
        await called.promise;
        yield text;
      }
      await ctx.ask({ confirm: 'more?' });
    },
  });
  const subject = await underTest(made, published);
  await subject.send('go');
  await subject.crash();
  const reply = await subject.answer(true);
  expect(reply.text).toBe('Let me see. one two three');
});
