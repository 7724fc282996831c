import { generateText, stepCountIs, streamText } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { expect, onTestFinished, test } from 'vitest';
import { type AgentClient, connect } from '../index.ts';
import { silentLog } from '../observe/log.ts';
import { agent, createHandler, type Handler, memoryStore } from '../server/index.ts';
import { asModel, asTool } from './index.ts';

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

async function clientOf(run: Handler): Promise<AgentClient> {
  const made = agent({ name: 'Research', description: 'Finds facts.', run });
  const handler = createHandler(made, { store: memoryStore(), log: silentLog, publicUrl: 'http://agent.test' });
  const fetcher: typeof fetch = (input, init) => handler.fetch(new Request(input, init));
  const client = await connect('http://agent.test', { fetch: fetcher });
  onTestFinished(async () => {
    await client.close();
    await handler.close();
  });
  return client;
}

/** A model that calls the tool with these inputs, one after the other, and then repeats the last result. */
function calling(...inputs: readonly ((last: string) => object)[]): MockLanguageModelV3 {
  let calls = 0;
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const last = JSON.stringify(prompt.at(-1)?.content);
      const input = inputs[calls++];
      const content =
        input === undefined
          ? { type: 'text' as const, text: last }
          : {
              type: 'tool-call' as const,
              toolCallId: `c${calls}`,
              toolName: 'research',
              input: JSON.stringify(input(last)),
            };
      const unified = input === undefined ? ('stop' as const) : ('tool-calls' as const);
      return { content: [content], finishReason: { unified, raw: undefined }, usage: USAGE, warnings: [] };
    },
  });
}

test('an agent is a tool that returns the text of its task', async () => {
  const client = await clientOf(async function* ({ text }) {
    yield `About ${text}: 42`;
  });
  const model = calling(() => ({ message: 'rain' }));
  const { text } = await generateText({
    model,
    tools: { research: asTool(client) },
    prompt: 'x',
    stopWhen: stepCountIs(5),
  });
  expect(text).toContain('About rain: 42');
  const [{ tools } = {}] = model.doGenerateCalls;
  expect(tools).toMatchObject([{ name: 'research', description: expect.stringContaining('Research: Finds facts.') }]);
});

test('a question of the agent is a result that the model answers with a second call', async () => {
  const client = await clientOf(async function* ({ ask }) {
    yield `In ${await ask('Which city?')}`;
  });
  const model = calling(
    () => ({ message: 'weather' }),
    (last) => ({ message: 'Rome', taskId: /"taskId":"([^"]+)"/.exec(last)?.[1] }),
  );
  const { text } = await generateText({
    model,
    tools: { research: asTool(client) },
    prompt: 'x',
    stopWhen: stepCountIs(5),
  });
  expect(text).toContain('In Rome');
});

test('a failed task is an error for the model', async () => {
  const client = await clientOf(async function* () {
    yield { status: 'failed', text: 'no data' };
  });
  const model = calling(() => ({ message: 'x' }));
  const { text } = await generateText({
    model,
    tools: { research: asTool(client) },
    prompt: 'x',
    stopWhen: stepCountIs(5),
  });
  expect(text).toContain('The task of the agent ended as failed: no data');
});

test('an agent is a model that streams its text', async () => {
  const client = await clientOf(async function* ({ text }) {
    yield `You said `;
    yield text;
  });
  const pieces: string[] = [];
  for await (const piece of streamText({ model: asModel(client), prompt: 'hello' }).textStream) pieces.push(piece);
  expect(pieces.join('')).toBe('You said hello');
  const { text } = await generateText({ model: asModel(client), prompt: 'again' });
  expect(text).toBe('You said again');
});

test('an agent that fails is a model that fails', async () => {
  const client = await clientOf(async function* () {
    yield { status: 'rejected', text: 'not today' };
  });
  await expect(generateText({ model: asModel(client), prompt: 'x', maxRetries: 0 })).rejects.toThrow('not today');
  const errors: unknown[] = [];
  const { fullStream } = streamText({ model: asModel(client), prompt: 'x', maxRetries: 0, onError: () => undefined });
  for await (const part of fullStream) if (part.type === 'error') errors.push(String(part.error));
  expect(errors).toEqual(['Error: The task of the agent ended as rejected: not today']);
});
