/** `tandem-a2a/ai-sdk` with each supported major version of the AI SDK. The project of this file decides which one `ai` is. */
import * as ai from 'ai';
import * as aiTest from 'ai/test';
import { expect, onTestFinished, test } from 'vitest';
import { asModel, fromAISDK } from '../../../../src/ai-sdk/index.ts';
import { type AgentClient, connect } from '../../../../src/index.ts';
import { silentLog } from '../../../../src/observe/log.ts';
import { type Agent, agent, createHandler, memoryStore } from '../../../../src/server/index.ts';
import type { Store } from '../../../../src/store/store.ts';

type Create = new (settings: object) => object;

/** The newest mock model of the version, and an agent class, which version 5 has under another name. */
const MODELS = ['MockLanguageModelV4', 'MockLanguageModelV3', 'MockLanguageModelV2'];
const Model = MODELS.map((name) => Reflect.get(aiTest, name) as Create | undefined).find(
  (one) => one !== undefined,
) as Create;
const isV5 = Reflect.get(ai, 'ToolLoopAgent') === undefined;
const LoopAgent = (Reflect.get(ai, 'ToolLoopAgent') ?? Reflect.get(ai, 'Experimental_Agent')) as Create;

const USAGE = isV5
  ? { inputTokens: 1, outputTokens: 2, totalTokens: 3 }
  : { inputTokens: { total: 1, noCache: 1 }, outputTokens: { total: 2, text: 2 } };
const finish = (reason: string): object => ({
  type: 'finish',
  finishReason: isV5 ? reason : { unified: reason, raw: undefined },
  usage: USAGE,
});

/** A model that calls the tool `pay` and then writes a text; counts its calls. */
function payingModel(): { readonly model: never; readonly calls: () => number } {
  let calls = 0;
  const doStream = async ({ prompt }: { readonly prompt: readonly { readonly role: string }[] }): Promise<object> => {
    calls++;
    const hasPaid = prompt.some(({ role }) => role === 'tool');
    const text = ['Done ', 'it'].map((delta) => ({ type: 'text-delta', id: '1', delta }));
    const chunks = hasPaid
      ? [{ type: 'text-start', id: '1' }, ...text, { type: 'text-end', id: '1' }, finish('stop')]
      : [{ type: 'tool-call', toolCallId: 'c1', toolName: 'pay', input: '{"amount":1}' }, finish('tool-calls')];
    const all = [{ type: 'stream-start', warnings: [] }, ...chunks];
    return { stream: ai.simulateReadableStream({ chunks: all, initialDelayInMs: null, chunkDelayInMs: null }) };
  };
  return { model: new Model({ doStream }) as never, calls: () => calls };
}

async function clientOf(made: Agent, store: Store = memoryStore()): Promise<AgentClient> {
  const handler = createHandler(made, { store, log: silentLog, publicUrl: 'http://agent.test' });
  const fetcher: typeof fetch = (input, init) => handler.fetch(new Request(input, init));
  const client = await connect('http://agent.test', { fetch: fetcher });
  onTestFinished(async () => {
    await client.close();
    await handler.close();
  });
  return client;
}

test.each(['settings', 'an agent'])(
  'fromAISDK(%s) streams text, asks for approval, and repeats nothing',
  async (given) => {
    const { model, calls } = payingModel();
    const paid: unknown[] = [];
    const pay = {
      description: 'Pays.',
      inputSchema: ai.jsonSchema({ type: 'object', properties: { amount: { type: 'number' } } }),
      needsApproval: true,
      execute: (input: unknown) => {
        paid.push(input);
        return { ok: true };
      },
    };
    const settings = { model, tools: { pay }, [isV5 ? 'system' : 'instructions']: 'Be brief.' };
    const options = fromAISDK((given === 'settings' ? settings : new LoopAgent(settings)) as never);
    const store = memoryStore();
    const made = agent({ name: 'Payer', description: 'Pays.', ...options });
    const first = await clientOf(made, store);
    const asked = await first.send('Pay');
    expect(asked.state).toBe('input-required');
    const reply = await first.send('yes', { taskId: asked.task?.id ?? '', contextId: asked.contextId ?? '' });
    expect([reply.state, reply.text, calls(), paid]).toEqual(['completed', 'Done it', 2, [{ amount: 1 }]]);
  },
);

test('asModel() works with streamText and generateText', async () => {
  const client = await clientOf(
    agent({
      name: 'Echo',
      description: 'Repeats.',
      async *run({ text }) {
        yield 'You said ';
        yield text;
      },
    }),
  );
  let streamed = '';
  for await (const piece of ai.streamText({ model: asModel(client), prompt: 'hello' }).textStream) streamed += piece;
  expect(streamed).toBe('You said hello');
  expect((await ai.generateText({ model: asModel(client), prompt: 'again' })).text).toBe('You said again');
});
