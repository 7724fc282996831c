import { BaseChatModel, type BindToolsInput } from '@langchain/core/language_models/chat_models';
import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk } from '@langchain/core/outputs';
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

class ScriptedModel extends BaseChatModel {
  _llmType(): string {
    return 'scripted';
  }

  override bindTools(_tools: BindToolsInput[]): this {
    return this;
  }

  override async *_streamResponseChunks(messages: BaseMessage[]): AsyncGenerator<ChatGenerationChunk> {
    const number = messages.filter(({ type }) => type === 'tool').length / 2;
    console.log(`Model call ${number + 1}`);
    const turn = TURNS[number] ?? 'I have nothing to add.';
    await delay(50);
    if (typeof turn !== 'string') {
      const calls = turn.map(({ id, name, input }, index) => {
        const args = JSON.stringify(input);
        return { type: 'tool_call_chunk' as const, id, name, args, index };
      });
      yield new ChatGenerationChunk({
        text: '',
        message: new AIMessageChunk({ content: '', tool_call_chunks: calls }),
      });
      return;
    }
    for (const text of turn.split(/(?<= )/)) {
      yield new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
      await delay(50);
    }
  }

  override _generate(): never {
    throw new Error('Not used: the steps of durable.ts stream');
  }
}

/** Stands in for a model, so that the example needs no key: it looks two orders up, refunds them, and reports that. */
export const model = new ScriptedModel({});
