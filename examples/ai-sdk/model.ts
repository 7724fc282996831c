import { simulateReadableStream } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';

/** Stands in for a model, so that the example needs no key. Takes 0.2 s for a word. */
export const model = new MockLanguageModelV3({
  doStream: async ({ prompt }) => {
    const [, request = ''] = /Write (the .+?)\./.exec(JSON.stringify(prompt)) ?? [];
    console.log(`The model writes ${request}`);
    const words = `Here is ${request}, word by word, as models write.\n`.split(/(?<= )/);
    const text = words.map((delta) => ({ type: 'text-delta', id: '1', delta }) as const);
    const chunks = [{ type: 'text-start', id: '1' } as const, ...text, { type: 'text-end', id: '1' } as const];
    return { stream: simulateReadableStream({ chunks, chunkDelayInMs: 200 }) };
  },
});
