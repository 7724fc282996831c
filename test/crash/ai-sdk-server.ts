/**
 * A server for `ai-sdk.test.ts`: a model that calls two tools and then writes a text. Each call of the model and of a tool is a line
 * of a file, written before it does anything.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { jsonSchema, simulateReadableStream, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { fromAISDK } from '../../src/ai-sdk/index.ts';
import { serve } from '../../src/node/serve.ts';
import { agent } from '../../src/agent/agent.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';

const [, , database = '', calls = '', port = '0'] = process.argv;
const note = (line: string): void => appendFileSync(calls, `${line}\n`);
const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

const model = new MockLanguageModelV3({
  doStream: async ({ prompt }) => {
    const results = prompt.filter(({ role }) => role === 'tool').length;
    note(`model ${results + 1}`);
    const name = ['first', 'second'][results];
    const words = ['one ', 'two ', 'three ', 'four '].map((delta) => ({ type: 'text-delta', id: '1', delta }) as const);
    const text = [{ type: 'text-start', id: '1' } as const, ...words, { type: 'text-end', id: '1' } as const];
    const call = { type: 'tool-call', toolCallId: `c${results}`, toolName: name ?? '', input: '{}' } as const;
    const unified = name === undefined ? ('stop' as const) : ('tool-calls' as const);
    const finish = { type: 'finish', finishReason: { unified, raw: undefined }, usage: USAGE } as const;
    const chunks: (typeof call | (typeof text)[number] | typeof finish)[] =
      name === undefined ? [...text, finish] : [call, finish];
    return { stream: simulateReadableStream<(typeof chunks)[number]>({ chunks, chunkDelayInMs: 60 }) };
  },
});

const inputSchema = jsonSchema<Record<string, never>>({ type: 'object', properties: {} });
const slow = (name: string) =>
  tool({
    inputSchema,
    execute: async () => {
      note(`tool ${name}`);
      await delay(60);
      return name;
    },
  });

const quiet = (): void => {};
const server = await serve(
  agent({
    name: 'Loop',
    description: 'Runs a model with tools.',
    ...fromAISDK({ model, tools: { first: slow('first'), second: slow('second') } }),
  }),
  { port: Number(port), store: sqlite(database), log: { info: quiet, warn: quiet, error: quiet } },
);
process.send?.(server.port);
