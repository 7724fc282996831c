/**
 * A server for `ai-sdk.test.ts`: a model that calls two tools, each after a text, and then writes a last text. Each call of the model and
 * of a tool is a line of a file, written before it does anything. The model writes a word when the test has received the one before it.
 */
import { appendFileSync } from 'node:fs';
import { jsonSchema, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { fromAISDK } from '../../src/ai-sdk/index.ts';
import { serve } from '../../src/node/serve.ts';
import { agent } from '../../src/agent/agent.ts';
import { deferred } from '../../src/support/deferred.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';

/** The server hangs when it reaches the line `hangAt`, so that it is killed there. With `needsApproval`, the second tool does. */
const [, , database = '', calls = '', port = '0', hangAt = '', needsApproval = ''] = process.argv;
const note = async (line: string): Promise<void> => {
  appendFileSync(calls, `${line}\n`);
  if (line === hangAt) await new Promise(() => {});
};

/** The text that the test has received. */
let received = '';
let onReceived = deferred<undefined>();
process.on('message', (text: string) => {
  received = text;
  onReceived.resolve(undefined);
  onReceived = deferred();
});
async function isReceived(word: string): Promise<void> {
  while (!received.includes(word)) await onReceived.promise;
}
const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

const model = new MockLanguageModelV3({
  doStream: async ({ prompt }) => {
    const results = prompt.filter(({ role }) => role === 'tool').length;
    await note(`model ${results + 1}`);
    const name = ['first', 'second'][results];
    const texts = [
      ['Let ', 'me ', 'see. '],
      ['And ', 'again. '],
    ][results] ?? ['one ', 'two ', 'three ', 'four '];
    const words = texts.map((delta) => ({ type: 'text-delta', id: '1', delta }) as const);
    const text = [{ type: 'text-start', id: '1' } as const, ...words, { type: 'text-end', id: '1' } as const];
    const call = { type: 'tool-call', toolCallId: `c${results}`, toolName: name ?? '', input: '{}' } as const;
    const unified = name === undefined ? ('stop' as const) : ('tool-calls' as const);
    const finish = { type: 'finish', finishReason: { unified, raw: undefined }, usage: USAGE } as const;
    const chunks: (typeof call | (typeof text)[number] | typeof finish)[] =
      name === undefined ? [...text, finish] : [...text, call, finish];
    let last = '';
    return {
      stream: new ReadableStream<(typeof chunks)[number]>({
        async pull(controller) {
          const chunk = chunks.shift();
          if (chunk === undefined) return controller.close();
          await isReceived(last);
          if (chunk.type === 'text-delta') {
            last = chunk.delta;
            if (hangAt === `word ${last.trim()}`) await note(hangAt);
          }
          controller.enqueue(chunk);
        },
      }),
    };
  },
});

const inputSchema = jsonSchema<Record<string, never>>({ type: 'object', properties: {} });
const named = (name: string, isAsking: boolean) =>
  tool({
    inputSchema,
    needsApproval: isAsking,
    execute: async () => {
      await note(`tool ${name}`);
      return name;
    },
  });

const quiet = (): void => {};
const server = await serve(
  agent({
    name: 'Loop',
    description: 'Runs a model with tools.',
    ...fromAISDK({
      model,
      tools: { first: named('first', false), second: named('second', needsApproval !== '') },
      onFinish: () => note('end'),
    }),
  }),
  { port: Number(port), store: sqlite(database), log: { info: quiet, warn: quiet, error: quiet } },
);
process.send?.(server.port);
