import { streamText } from 'ai';
import { textOf } from 'tandem-a2a/ai-sdk';
import { agent } from 'tandem-a2a/server';
import { model } from './model.ts';

export const storyteller = agent({
  name: 'Storyteller',
  description: 'Writes a short story about a topic.',
  async run({ text, step }) {
    for (const part of ['beginning', 'middle', 'end']) {
      await step(part, async function* ({ signal }) {
        const prompt = `Write the ${part} of a story about ${text}.`;
        yield* textOf(streamText({ model, prompt, abortSignal: signal }));
      });
    }
  },
});
