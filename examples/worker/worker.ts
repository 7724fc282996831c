/** An agent in a worker: a runtime that has web standards and nothing else, and that sleeps between requests. */
import { agent, createHandler } from 'tandem-a2a/server';

/** The event that the runtime passes to listeners for requests. */
interface RequestEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
  waitUntil(work: Promise<unknown>): void;
}
declare function addEventListener(type: 'fetch', listener: (event: RequestEvent) => void): void;
/** Settings of the worker. */
declare const AGENT_URL: string;
declare const AGENT_SECRET: string;

const translator = agent({
  name: 'Translator',
  description: 'Translates word by word, and takes its time.',
  async *run({ text, step }) {
    for (const word of text.split(' ')) yield await step(word, () => translate(word)); // each word once, in whichever process
  },
});

const handler = createHandler(translator, {
  // Give it a store that all processes share; without one tasks are in the memory of this one.
  publicUrl: AGENT_URL,
  insecurePublic: true,
  serverless: { secret: AGENT_SECRET, runMs: 1000 },
});

// The event has `waitUntil`. When its time is over, the worker resumes the task with a request to itself.
addEventListener('fetch', (event) => event.respondWith(handler.fetch(event.request, event)));

async function translate(word: string): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 400));
  return `${{ one: 'un', two: 'deux', three: 'trois', four: 'quatre' }[word] ?? word} `;
}
