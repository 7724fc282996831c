/** Serves an agent with `Bun.serve` and calls it with our client, both in Bun. `npm run test:long` runs it. Exits with 1 if it fails. */
import { deepEqual, equal } from 'node:assert/strict';
import { connect } from '../../src/index.ts';
import { agent, createHandler, memoryStore } from '../../src/server/index.ts';

interface BunRuntime {
  serve(options: { readonly port: number; readonly fetch: (request: Request) => Promise<Response> }): {
    readonly url: URL;
    stop(closesConnections: boolean): Promise<void>;
  };
}

const { Bun } = globalThis as unknown as { readonly Bun: BunRuntime };
const nothing = (): void => {};

const echo = agent({
  name: 'Echo',
  description: 'Repeats a text in two chunks, or asks a question.',
  async *run({ text, ask, step }) {
    yield await step('first', () => `${text} `);
    yield text === 'ask' ? await ask('Which city?') : 'again';
  },
});
const handler = createHandler(echo, {
  store: memoryStore(),
  insecurePublic: true,
  log: { info: nothing, warn: nothing, error: nothing },
});
const server = Bun.serve({ port: 0, fetch: (request) => handler.fetch(request) });
const client = await connect(server.url.href, { allowOrigins: [server.url.origin] });

equal(await client.ask('hello'), 'hello again');
equal((await client.send('hello', { wait: 'block' })).text, 'hello again');
const texts: string[] = [];
for await (const event of client.stream('hello')) if (event.type === 'artifact') texts.push(event.text);
deepEqual(texts, ['hello ', 'again']);
const asked = await client.send('ask');
equal(asked.state, 'input-required');
equal((await client.task(asked.handle ?? '').answer('Rome')).text, 'ask Rome');

await client.close();
await handler.close();
await server.stop(true);
console.log('ok');
process.exit(0);
