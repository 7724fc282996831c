/** Several agents on one port, called over a socket. */
import { expect, onTestFinished, test } from 'vitest';
import { agent } from '../../src/agent/agent.ts';
import { connect } from '../../src/index.ts';
import { serve } from '../../src/node/serve.ts';
import { silentLog } from '../../src/observe/log.ts';
import { memoryStore } from '../../src/store/memory/store.ts';

const AGENTS = ['mail', 'crm'].map((name) =>
  agent({ name, description: `Answers for ${name}.`, run: ({ text }) => `${name}: ${text}` }),
);

test.each(['mail', 'crm'])('a client connects to the agent %s by its path', async (name) => {
  const server = await serve(AGENTS, { port: 0, store: memoryStore(), log: silentLog });
  onTestFinished(() => server.close({ finishMs: 0 }));

  const client = await connect(`${server.url}/a/${name}`);

  expect((await client.send('hello')).text).toBe(`${name}: hello`);
  const texts: string[] = [];
  for await (const event of client.stream('again')) if (event.type === 'artifact') texts.push(event.text);
  expect(texts.join('')).toBe(`${name}: again`);
});

test('a client that asks for the host gets an error that names the agents', async () => {
  const server = await serve(AGENTS, { port: 0, store: memoryStore(), log: silentLog });
  onTestFinished(() => server.close({ finishMs: 0 }));

  const response = await fetch(server.url);

  expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('/a/mail, /a/crm')]);
});
