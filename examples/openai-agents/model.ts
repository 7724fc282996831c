import type { Model, ModelProvider, protocol } from '@openai/agents';
import { setTimeout as delay } from 'node:timers/promises';

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The responses of the model: the calls of its first turn, those of its second, and its text. */
const TURNS: readonly (readonly Call[] | string)[] = [
  [
    { id: 'call-1', name: 'findOrder', input: { order: 'A-1' } },
    { id: 'call-2', name: 'findOrder', input: { order: 'A-2' } },
  ],
  [
    { id: 'call-3', name: 'refund', input: { order: 'A-1', amount: 40 } },
    { id: 'call-4', name: 'refund', input: { order: 'A-2', amount: 5 } },
  ],
  'Your orders A-1 and A-2 are refunded.',
];

const USAGE = { inputTokens: 20, outputTokens: 10, totalTokens: 30 };

const model: Model = {
  async *getStreamedResponse({ input }) {
    const results = typeof input === 'string' ? 0 : input.filter(({ type }) => type === 'function_call_result').length;
    const number = results / 2;
    console.log(`Model call ${number + 1}`);
    const turn = TURNS[number] ?? 'I have nothing to add.';
    for (const delta of typeof turn === 'string' ? turn.split(/(?<= )/) : []) {
      await delay(50);
      yield { type: 'output_text_delta', delta };
    }
    await delay(50);
    const output: protocol.OutputModelItem[] =
      typeof turn === 'string'
        ? [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: turn }] }]
        : turn.map(({ id, name, input }) => ({
            type: 'function_call',
            callId: id,
            name,
            arguments: JSON.stringify(input),
          }));
    yield { type: 'response_done', response: { id: `response-${number}`, output, usage: USAGE } };
  },
  getResponse() {
    throw new Error('Not used: the steps of durable.ts stream');
  },
};

/** Stands in for a provider, so that the example needs no key: its model looks two orders up, refunds them, and reports that. */
export const provider: ModelProvider = { getModel: () => model };
