import { type ToolSet, jsonSchema, simulateReadableStream, tool, ToolLoopAgent } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { expect, onTestFinished, test } from 'vitest';
import { type AgentClient, type AgentEvent, connect } from '../index.ts';
import { silentLog } from '../observe/log.ts';
import { type Agent, agent, createHandler, memoryStore, type TaskContext } from '../server/index.ts';
import type { Store } from '../store/store.ts';
import { type ApprovalCall, durable, fromAISDK, idempotencyKeyOf, toModelMessages } from './index.ts';

const USAGE = {
  inputTokens: { total: 3, noCache: 3, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
type Chunk = Readonly<Record<string, unknown>>;

/** A model that responds to its calls in order, each with a text or with tool calls. */
function scripted(
  ...responses: readonly (
    | string
    | Error
    | readonly { readonly id: string; readonly name: string; readonly input: object }[]
  )[]
) {
  let calls = 0;
  return new MockLanguageModelV3({
    doStream: async () => {
      const response = responses[calls++];
      if (response === undefined) throw new Error(`The model was called ${calls} times`);
      if (response instanceof Error) throw response;
      const chunks: Chunk[] = [{ type: 'stream-start', warnings: [] }];
      if (typeof response === 'string') {
        const words = response.split(/(?<= )/).map((delta) => ({ type: 'text-delta', id: '1', delta }));
        chunks.push({ type: 'text-start', id: '1' }, ...words, { type: 'text-end', id: '1' });
      } else {
        const toolCalls = response.map(({ id, name, input }) => ({
          type: 'tool-call',
          toolCallId: id,
          toolName: name,
          input: JSON.stringify(input),
        }));
        chunks.push(...toolCalls);
      }
      const unified = typeof response === 'string' ? 'stop' : 'tool-calls';
      chunks.push({ type: 'finish', finishReason: { unified, raw: undefined }, usage: USAGE });
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) as never };
    },
  });
}

const city = jsonSchema<{ city: string }>({
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
});

interface Served {
  readonly client: AgentClient;
  /** Stops the handler without an end of its tasks, and serves the agent again on the same store. */
  restart(): Promise<Served>;
}

async function serve(made: Agent, store: Store = memoryStore()): Promise<Served> {
  const handler = createHandler(made, { store, log: silentLog, publicUrl: 'http://agent.test' });
  const fetcher: typeof fetch = (input, init) => handler.fetch(new Request(input, init));
  const client = await connect('http://agent.test', { fetch: fetcher });
  onTestFinished(async () => {
    await client.close();
    await handler.close();
  });
  return {
    client,
    restart: async () => {
      await handler.close();
      return serve(made, store);
    },
  };
}

function agentOf(settings: Parameters<typeof fromAISDK>[0]): Agent {
  return agent({ name: 'Weather', description: 'Knows the weather.', ...fromAISDK(settings) });
}

test('the text of the model is streamed, with the token usage in the last status', async () => {
  const { client } = await serve(agentOf({ model: scripted('It is warm.') }));
  const events = [];
  for await (const event of client.stream('Weather?')) events.push(event);
  expect(events.flatMap((event) => (event.type === 'artifact' ? event.text : []))).toEqual(['It ', 'is ', 'warm.']);
  expect(events.at(-1)?.response).toMatchObject({
    statusUpdate: {
      status: { state: 'TASK_STATE_COMPLETED' },
      metadata: { finishReason: 'stop', usage: { inputTokens: 3, outputTokens: 5 } },
    },
  });
});

test('a tool runs between two model calls, its call is a status, and the card lists it as a skill', async () => {
  const model = scripted([{ id: 'c1', name: 'getWeather', input: { city: 'Rome' } }], 'Rome has 21 degrees.');
  const tools: ToolSet = {
    getWeather: tool({ description: 'Returns the weather.', inputSchema: city, execute: ({ city }) => `${city}: 21` }),
  };
  const { client } = await serve(agentOf({ model, tools, instructions: 'Be brief.' }));
  expect(client.card.skills.map(({ id }) => id)).toContain('getWeather');
  const statuses: string[] = [];
  const reply = await client.send('Weather in Rome?', {
    onProgress: (event) => void (event.type === 'status' && event.text !== '' && statuses.push(event.text)),
  });
  expect(reply.text).toBe('Rome has 21 degrees.');
  expect(statuses).toEqual(['Calling getWeather…']);
  const [first, second] = model.doStreamCalls;
  expect(first?.prompt[0]).toMatchObject({ role: 'system', content: 'Be brief.' });
  expect(JSON.stringify(second?.prompt)).toContain('Rome: 21');
});

test('the settings of a ToolLoopAgent are used', async () => {
  const made = new ToolLoopAgent({ model: scripted('Hello.'), instructions: 'Greet.' });
  const { client } = await serve(agentOf(made));
  expect(await client.ask('Hi')).toBe('Hello.');
});

test('the model gets the conversation of the context', async () => {
  const model = scripted('Blue.', 'Because you said so.');
  const { client } = await serve(agentOf({ model }));
  const first = await client.send('A colour?');
  await client.send('Why?', { contextId: first.contextId ?? '' });
  const prompt = model.doStreamCalls[1]?.prompt.map(({ role, content }) => [role, JSON.stringify(content)]);
  expect(prompt).toEqual([
    ['user', expect.stringContaining('A colour?')],
    ['assistant', expect.stringContaining('Blue.')],
    ['user', expect.stringContaining('Why?')],
  ]);
});

test('a tool that needs approval asks the caller, and neither model nor tool runs again after a restart', async () => {
  const model = scripted([{ id: 'c1', name: 'pay', input: { city: 'Rome' } }], 'Paid.');
  const paid: string[] = [];
  const tools: ToolSet = {
    pay: tool({
      description: 'Pays.',
      inputSchema: city,
      needsApproval: true,
      execute: ({ city }) => {
        paid.push(city);
        return { ok: true };
      },
    }),
  };
  const first = await serve(agentOf({ model, tools }));
  const asked = await first.client.send('Pay!');
  expect(asked.state).toBe('input-required');
  expect(asked.text).toContain('May I run pay with this input?');
  expect(paid).toEqual([]);
  const second = await first.restart();
  const reply = await second.client.send('yes', { taskId: asked.task?.id ?? '', contextId: asked.contextId ?? '' });
  expect([reply.state, reply.text]).toEqual(['completed', 'Paid.']);
  expect(paid).toEqual(['Rome']);
  expect(model.doStreamCalls).toHaveLength(2);
});

test('approvalText is the question of an approval, and a tool gets the key of its call', async () => {
  const model = scripted([{ id: 'c1', name: 'pay', input: { city: 'Rome' } }], 'Paid.');
  const keys: string[] = [];
  const execute = (_: unknown, options: object) => void keys.push(idempotencyKeyOf(options));
  const tools: ToolSet = { pay: tool({ title: 'Pay', inputSchema: city, needsApproval: true, execute }) };
  const approvalText = (call: ApprovalCall) => JSON.stringify(call);
  const { client } = await serve(agentOf({ model, tools, approvalText }));
  const asked = await client.send('Pay!');
  expect(asked.question?.text).toBe('{"toolName":"pay","title":"Pay","input":{"city":"Rome"}}');
  await client.task(asked.handle ?? '').answer(true);
  expect(keys).toEqual([expect.stringContaining('tool pay c1')]);
  expect(() => idempotencyKeyOf({})).toThrow('The options have no idempotencyKey');
});

test('an approval that is answered with a boolean is "yes" for the model, and no event shows the data of the question', async () => {
  const model = scripted([{ id: 'c1', name: 'pay', input: { city: 'Rome' } }], 'Paid.', 'You did.');
  const tools: ToolSet = { pay: tool({ inputSchema: city, needsApproval: true, execute: () => ({ ok: true }) }) };
  const { client } = await serve(agentOf({ model, tools }));
  const asked = await client.send('Pay!');
  const texts: string[] = [];
  const onProgress = ({ text }: AgentEvent): void => void texts.push(text);
  await client.task(asked.handle ?? '').answer(true, { onProgress });
  expect(texts).toContain('Paid.');
  expect(texts.join('\n')).not.toContain('"question"');
  await client.send('Who approved?', { contextId: asked.contextId ?? '' });
  const { prompt = [] } = model.doStreamCalls.at(-1) ?? {};
  const users = prompt.filter(({ role }) => role === 'user').map(({ content }) => JSON.stringify(content));
  expect(users.map((one) => /"text":"(.*?)"/.exec(one)?.[1])).toEqual(['Pay!', 'yes', 'Who approved?']);
});

test('without approval the tool does not run, and the model gets an error', async () => {
  const model = scripted([{ id: 'c1', name: 'pay', input: { city: 'Rome' } }], 'Then not.');
  const tools: ToolSet = {
    pay: tool({
      inputSchema: city,
      needsApproval: async (input) => input.city === 'Rome',
      execute: (): string => {
        throw new Error('must not run');
      },
    }),
  };
  const { client } = await serve(agentOf({ model, tools }));
  const asked = await client.send('Pay!');
  const reply = await client.send('no', { taskId: asked.task?.id ?? '', contextId: asked.contextId ?? '' });
  expect(reply.text).toBe('Then not.');
  expect(JSON.stringify(model.doStreamCalls[1]?.prompt)).toContain('The user did not approve this call.');
});

test('an error of the provider fails the task without its text', async () => {
  const { client } = await serve(agentOf({ model: scripted(new Error('key sk-123 is invalid')), maxRetries: 0 }));
  const reply = await client.send('Hi');
  expect(reply.state).toBe('failed');
  expect(reply.text).not.toContain('sk-123');
});

test('a recorded failure of a model call is not retried in another way after a restart', async () => {
  const outcomes: string[] = [];
  let calls = 0;
  const model = new MockLanguageModelV3({
    doGenerate: async () => {
      calls++;
      if (calls === 1) throw new TypeError('overloaded');
      return {
        content: [{ type: 'text', text: 'ok' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage: USAGE,
        warnings: [],
      };
    },
  });
  const made = agent({
    name: 'Direct',
    description: 'Calls a model.',
    async *run(ctx: TaskContext) {
      const wrapped = durable(model, ctx) as MockLanguageModelV3;
      for (let i = 0; i < 2; i++) {
        try {
          const { content } = await wrapped.doGenerate({ prompt: [] });
          outcomes.push(JSON.stringify(content));
        } catch (error) {
          outcomes.push(String(error));
        }
      }
      yield (await ctx.ask({ confirm: 'Go on?' })) ? 'yes' : 'no';
    },
  });
  const first = await serve(made);
  const asked = await first.client.send('Hi');
  const second = await first.restart();
  await second.client.send('yes', { taskId: asked.task?.id ?? '', contextId: asked.contextId ?? '' });
  expect(outcomes.slice(0, 2)).toEqual(['TypeError: overloaded', '[{"type":"text","text":"ok"}]']);
  expect(outcomes.slice(2)).toEqual(outcomes.slice(0, 2));
  expect(calls).toBe(2);
});

test('files of the current message are passed to the model as bytes', async () => {
  const messages: unknown[] = [];
  const made = agent({
    name: 'Files',
    description: 'Reads files.',
    async run(ctx) {
      messages.push(await toModelMessages(ctx));
      return 'ok';
    },
  });
  const { client } = await serve(made);
  const raw = Buffer.from('hello').toString('base64');
  await client.send({ text: 'See', parts: [{ raw, mediaType: 'text/plain', filename: 'a.txt' }] });
  expect(messages[0]).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'See' },
        { type: 'file', data: new Uint8Array(Buffer.from('hello')), mediaType: 'text/plain', filename: 'a.txt' },
      ],
    },
  ]);
});

test('a file that an earlier message sent by URL is named in the text, and not fetched', async () => {
  const content = await toModelMessages({
    conversation: async () => [
      { role: 'user', taskId: 't1', text: '', parts: [{ url: 'http://127.0.0.1:1/a.png', mediaType: 'image/png' }] },
      { role: 'agent', taskId: 't1', text: 'Nice.', parts: [{ text: 'Nice.' }] },
      { role: 'user', taskId: 't2', text: 'Why?', parts: [{ text: 'Why?' }] },
    ],
    files: [],
  });
  expect(content).toEqual([
    { role: 'user', content: [{ type: 'text', text: '[file: image/png, http://127.0.0.1:1/a.png]' }] },
    { role: 'assistant', content: 'Nice.' },
    { role: 'user', content: 'Why?' },
  ]);
});
