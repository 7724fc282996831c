import { simulateReadableStream } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';

/** The responses of the model, by the number of tool results in the prompt. */
const TURNS = [
  { tool: 'findOrder', input: { order: 'A-1' } },
  { tool: 'refund', input: { order: 'A-1', amount: 40 } },
  { text: 'Your order A-1 is refunded.' },
] as const;

const USAGE = {
  inputTokens: { total: 20, noCache: 20, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 10, text: 10, reasoning: undefined },
};

/** Stands in for a model, so that the example needs no key: it looks an order up, refunds it, and reports that. */
export const model = new MockLanguageModelV3({
  doStream: async ({ prompt }) => {
    const results = prompt.filter(({ role }) => role === 'tool').length;
    console.log(`Model call ${results + 1}`);
    const turn = TURNS[results] ?? TURNS[2];
    const parts =
      'tool' in turn
        ? [
            {
              type: 'tool-call',
              toolCallId: `call-${results}`,
              toolName: turn.tool,
              input: JSON.stringify(turn.input),
            } as const,
          ]
        : [
            { type: 'text-start', id: '1' } as const,
            ...turn.text.split(/(?<= )/).map((delta) => ({ type: 'text-delta', id: '1', delta }) as const),
            { type: 'text-end', id: '1' } as const,
          ];
    const unified = 'tool' in turn ? ('tool-calls' as const) : ('stop' as const);
    const finish = { type: 'finish', finishReason: { unified, raw: undefined }, usage: USAGE } as const;
    return { stream: simulateReadableStream({ chunks: [...parts, finish], chunkDelayInMs: 50 }) };
  },
});
