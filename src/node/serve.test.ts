import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../observe/log.ts';
import { agent } from '../server/agent.ts';
import { memoryStore } from '../store/memory/store.ts';
import { type AgentServer, serve, type ServeOptions } from './serve.ts';

const ECHO = agent({ name: 'Echo', description: 'Says it again.', run: ({ text }) => text });

async function started(options: ServeOptions = {}): Promise<AgentServer> {
  const server = await serve(ECHO, { port: 0, store: memoryStore(), log: silentLog, ...options });
  onTestFinished(() => server.close());
  return server;
}

const OR_NOT = 'set auth, or insecurePublic: true to admit anonymous callers';
const CLOSED = `host: can be reached by others: ${OR_NOT}`;
const ANNOUNCED = `publicUrl: says that others can reach the agent: ${OR_NOT}`;
const PROXIED = `trustProxy: says that others can reach the agent through a proxy: ${OR_NOT}`;
const UNSIGNED = 'cardSigning: needs publicUrl: no address is signed that a request may have made up';
const SIGNED = { cardSigning: { keys: [{ kid: 'k', alg: 'ES256', privateKey: '-----BEGIN PRIVATE KEY-----' }] } };

test.each([
  [{ port: 70_000 }, 'port: must be a number from 0 to 65535, not 70000'],
  [{ port: -1 }, 'port: must be a number from 0 to 65535, not -1'],
  [{ port: '4100' }, 'port: must be a number from 0 to 65535, not a text'],
  [{ host: '0.0.0.0' }, CLOSED],
  [{ host: '::' }, CLOSED],
  [{ host: 'example.com', insecurePublic: false }, CLOSED],
  [{ publicUrl: 'https://agent.example' }, ANNOUNCED],
  [{ host: 'localhost', publicUrl: 'http://192.168.1.7:4100', insecurePublic: false }, ANNOUNCED],
  [{ trustProxy: true }, PROXIED],
  [{ trustProxy: true, publicUrl: 'http://[::1]:4100' }, PROXIED],
  [{ host: '0.0.0.0', insecurePublic: true, ...SIGNED }, UNSIGNED],
  [{ host: '::', auth: () => undefined, ...SIGNED }, UNSIGNED],
  [{ host: '0.0.0.0', insecurePublic: 'yes' }, 'insecurePublic: must be true or false, not a text'],
  [{ host: 7 }, 'host: must be an address or a name to listen at, such as "0.0.0.0"'],
  [{ host: '' }, 'host: must be an address or a name to listen at, such as "0.0.0.0"'],
  [{ hosts: 'localhost' }, 'hosts: is not an option; did you mean host?'],
  [null, 'options: must be an object, not null'],
])('%j is refused, before anything is opened', async (options, fault) => {
  await expect(serve(ECHO, options as never)).rejects.toThrow(
    new TypeError(`serve() cannot use these options:\n  - ${fault}`),
  );
});

test('what is no agent is refused', async () => {
  await expect(serve({} as never)).rejects.toThrow(/^serve\(\) takes what agent\(\) makes, not an object$/);
});

test('a port that is in use is told by its number', async () => {
  const { port } = await started();

  await expect(started({ port })).rejects.toThrow(
    `Port ${port} is in use: set another as port, or 0 for any that is free`,
  );
});

test.each(['127.0.0.1', 'localhost'])('it is found at %s', async (host) => {
  const server = await started({ host });

  const card = await fetch(`${server.url}/.well-known/agent-card.json`);

  expect(server.url).toBe(`http://${host}:${server.port}`);
  expect(await card.json()).toMatchObject({ name: 'Echo', url: `${server.url}/a2a` });
});
