/** `bindings`: which of JSON-RPC and REST an agent offers. */
import { describe, expect, test } from 'vitest';

import { connect } from '../../src/client/connect.ts';
import { createHandler } from '../../src/server/handler.ts';
import type { HandlerOptions } from '../../src/server/options/handler-options.ts';
import { scripted } from './kit/script.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { WIRE_FORMATS } from './kit/wire-formats.ts';

interface WireCard {
  readonly url: string;
  readonly preferredTransport: string;
  readonly additionalInterfaces: readonly { readonly transport: string }[];
  readonly supportedInterfaces: readonly { readonly protocolBinding: string; readonly protocolVersion: string }[];
}

async function card(server: TestServer, version: string): Promise<WireCard> {
  const headers = { 'a2a-version': version };
  return (await server.ask({ method: 'GET', path: '/.well-known/agent-card.json', headers })).json as WireCard;
}

describe.each([
  { bindings: ['JSONRPC'] as const, spoken: 'JSON-RPC', name: 'JSONRPC' },
  { bindings: ['HTTP+JSON'] as const, spoken: 'REST', name: 'HTTP+JSON' },
])('an agent with bindings: $bindings', ({ bindings, spoken, name }) => {
  test.each(WIRE_FORMATS)('serves $name if it has this binding, and responds with 404 otherwise', async (format) => {
    const server = await startServer({ bindings });

    const answer = await server.ask(format.send({ text: 'hello' }));

    if (format.binding === spoken) expect(format.sent(answer)).toMatchObject({ task: { state: 'completed' } });
    else expect(answer.status).toBe(404);
    expect(server.runs()).toBe(format.binding === spoken ? 1 : 0);
  });

  test('lists this binding alone on its cards', async () => {
    const server = await startServer({ bindings });

    const { supportedInterfaces } = await card(server, '1.0');
    const old = await card(server, '0.3');

    expect(supportedInterfaces.map((each) => `${each.protocolBinding} ${each.protocolVersion}`)).toEqual([
      `${name} 1.0`,
      `${name} 0.3`,
    ]);
    expect(old.preferredTransport).toBe(name);
    expect((old.additionalInterfaces ?? []).every(({ transport }) => transport === name)).toBe(true);
  });

  test('is called by a client that reads its card', async () => {
    const server = await startServer({ bindings });
    const client = await connect(server.url);

    expect((await client.send('hello')).state).toBe('completed');
  });
});

test('the first of several bindings comes first on the card', async () => {
  const server = await startServer({ bindings: ['HTTP+JSON', 'JSONRPC'] });

  const { supportedInterfaces } = await card(server, '1.0');

  expect(supportedInterfaces.map((each) => `${each.protocolBinding} ${each.protocolVersion}`)).toEqual([
    'HTTP+JSON 1.0',
    'JSONRPC 1.0',
    'HTTP+JSON 0.3',
    'JSONRPC 0.3',
  ]);
  expect((await card(server, '0.3')).preferredTransport).toBe('HTTP+JSON');
});

test('an agent without JSON-RPC has no card of 0.2, which has no other binding', async () => {
  const server = await startServer({ bindings: ['HTTP+JSON'] });

  expect((await server.ask({ method: 'GET', path: '/.well-known/agent.json' })).status).toBe(404);
});

test('a mounted handler does not own the paths of a binding that it does not offer', async () => {
  const { agent } = scripted();
  const owns = (options: HandlerOptions, path: string): boolean => createHandler(agent, options).owns(path);

  expect(['/a2a', '/'].map((path) => owns({ bindings: ['HTTP+JSON'] }, path))).toEqual([false, false]);
  expect(['/message:send', '/v1/tasks/1'].map((path) => owns({ bindings: ['JSONRPC'] }, path))).toEqual([false, false]);
  expect(['/a2a', '/', '/message:send', '/v1/tasks/1'].map((path) => owns({}, path))).toEqual(Array(4).fill(true));
  expect(owns({ bindings: ['JSONRPC'] }, '/.well-known/agent-card.json')).toBe(true);
});

test.each([
  [{ bindings: [] }, 'bindings: must not be empty; leave it out to use the default'],
  [{ bindings: ['REST'] }, 'bindings[0]: expected one of JSONRPC, HTTP+JSON'],
  [{ bindings: ['JSONRPC', 'GRPC'] }, 'bindings[1]: GRPC is not supported by this version of tandem-a2a'],
  [{ bindings: 'JSONRPC' }, 'bindings: expected an array of bindings, got a string'],
  [
    { bindings: ['HTTP+JSON'], versions: ['0.2', '0.1'] },
    'bindings: must include JSONRPC, because versions has only 0.2, 0.1',
  ],
])('%j is rejected at the start', (options, fault) => {
  const { agent } = scripted();
  expect(() => createHandler(agent, options as never)).toThrow(fault);
});
