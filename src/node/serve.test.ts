import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../observe/log.ts';
import { agent } from '../agent/agent.ts';
import { memoryStore } from '../store/memory/store.ts';
import { type AgentServer, serve, type ServeOptions } from './serve.ts';

const ECHO = agent({ name: 'Echo', description: 'Says it again.', run: ({ text }) => text });

async function started(options: ServeOptions = {}): Promise<AgentServer> {
  const server = await serve(ECHO, { port: 0, store: memoryStore(), log: silentLog, ...options });
  onTestFinished(() => server.close());
  return server;
}

const OR_NOT = 'set auth, or insecurePublic: true to accept anonymous callers';
const CLOSED = `host: makes the agent reachable from other machines: ${OR_NOT}`;
const ANNOUNCED = `publicUrl: declares that other machines can reach the agent: ${OR_NOT}`;
const PROXIED = `trustProxy: declares that other machines can reach the agent through a proxy: ${OR_NOT}`;
const UNSIGNED = 'cardSigning: requires publicUrl, because a signed card must not contain the Host header of a request';
const SIGNED = { cardSigning: { keys: [{ kid: 'k', alg: 'ES256', privateKey: '-----BEGIN PRIVATE KEY-----' }] } };

test.each([
  [{ port: 70_000 }, 'port: expected a number from 0 to 65535, got 70000'],
  [{ port: -1 }, 'port: expected a number from 0 to 65535, got -1'],
  [{ port: '4100' }, 'port: expected a number from 0 to 65535, got a string'],
  [{ host: '0.0.0.0' }, CLOSED],
  [{ host: '::' }, CLOSED],
  [{ host: 'example.com', insecurePublic: false }, CLOSED],
  [{ publicUrl: 'https://agent.example' }, ANNOUNCED],
  [{ host: 'localhost', publicUrl: 'http://192.168.1.7:4100', insecurePublic: false }, ANNOUNCED],
  [{ trustProxy: true }, PROXIED],
  [{ trustProxy: true, publicUrl: 'http://[::1]:4100' }, PROXIED],
  [{ host: '0.0.0.0', insecurePublic: true, ...SIGNED }, UNSIGNED],
  [{ host: '::', auth: () => undefined, ...SIGNED }, UNSIGNED],
  [{ host: '0.0.0.0', insecurePublic: 'yes' }, 'insecurePublic: expected true or false, got a string'],
  [{ host: 7 }, 'host: expected an address or a name to listen at, such as "0.0.0.0"'],
  [{ host: '' }, 'host: expected an address or a name to listen at, such as "0.0.0.0"'],
  [{ hosts: 'localhost' }, 'hosts: is not an option; did you mean host?'],
  [null, 'options: expected an object, got null'],
])('serve() rejects the options %j', async (options, fault) => {
  await expect(serve(ECHO, options as never)).rejects.toThrow(
    new TypeError(`Invalid options for serve():\n  - ${fault}`),
  );
});

test('serve() rejects an object that is not an agent', async () => {
  await expect(serve({} as never)).rejects.toThrow(
    /^serve\(\) expects an agent created with agent\(\), got an object$/,
  );
});

test('the error about a port in use contains its number', async () => {
  const { port } = await started();

  await expect(started({ port })).rejects.toThrow(
    `Port ${port} is already in use: choose another port, or 0 for any free port`,
  );
});

test.each(['127.0.0.1', 'localhost'])('serve() serves its card at %s', async (host) => {
  const server = await started({ host });

  const card = await fetch(`${server.url}/.well-known/agent-card.json`);

  expect(server.url).toBe(`http://${host}:${server.port}`);
  expect(await card.json()).toMatchObject({ name: 'Echo', url: `${server.url}/a2a` });
});
