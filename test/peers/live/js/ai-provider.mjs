/** a2a-ai-provider: an agent as a model of the AI SDK. */
import { a2a } from 'a2a-ai-provider';
import { generateText, streamText } from 'ai';

import { serveCalls } from './calls.mjs';

const modelOf = (url) => a2a(`${url}/.well-known/agent-card.json`);

serveCalls({
  async generate({ url, prompt }) {
    const { text, files } = await generateText({ model: modelOf(url), prompt });
    return { text, files: files.map(({ mediaType, uint8Array }) => ({ mediaType, bytes: [...uint8Array] })) };
  },
  async stream({ url, prompt }) {
    const chunks = [];
    for await (const chunk of streamText({ model: modelOf(url), prompt }).textStream) chunks.push(chunk);
    return chunks;
  },
});
