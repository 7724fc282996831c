/** The agent card: its content, its form per version, and the URLs in it (1.0 §8). */
import { describe, expect, onTestFinished, test } from 'vitest';

import { silentLog } from '../../src/observe/log.ts';
import { createHandler } from '../../src/server/handler.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { verifies } from '../helpers/verifies.ts';
import { bridge } from './kit/bridge.ts';
import { type Answer, exchange } from './kit/exchange.ts';
import { scripted } from './kit/script.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { WIRE_FORMATS } from './kit/wire-formats.ts';

const PATH = '/.well-known/agent-card.json';
const OLD_PATH = '/.well-known/agent.json';

interface WireCard {
  readonly supportedInterfaces: readonly {
    readonly url: string;
    readonly protocolBinding: string;
    readonly protocolVersion: string;
  }[];
  readonly url: string;
}

function card(server: TestServer, version?: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const headers = version === undefined ? more : { 'a2a-version': version, ...more };
  return server.ask({ method: 'GET', path: PATH, headers });
}

const ABOUT = {
  name: 'Script',
  description: 'Follows the first word of a message.',
  version: '1.0.0',
  defaultInputModes: ['text/plain', 'application/json', '*/*'],
  defaultOutputModes: ['text/plain', 'application/json'],
  skills: [{ id: 'script', name: 'Script', description: 'Follows the first word of a message.', tags: ['script'] }],
};

/** The members that 1.0 added, and those that it removed. */
const newest = (url: string): object => ({
  supportedInterfaces: [
    { url: `${url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    { url: `${url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    { url, protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
  ],
});
const older = (url: string): object => ({
  protocolVersion: '0.3.0',
  url: `${url}/a2a`,
  preferredTransport: 'JSONRPC',
  additionalInterfaces: [
    { url: `${url}/a2a`, transport: 'JSONRPC' },
    { url, transport: 'HTTP+JSON' },
  ],
});
const EXTENSIONS = [
  {
    uri: 'urn:tandem-a2a:questions:1',
    description: 'A status lists all open questions of its task, and a message names the question that it answers',
  },
  { uri: 'urn:tandem-a2a:transitions:1', description: 'GetTask returns the state changes of a task in its metadata' },
  {
    uri: 'urn:tandem-a2a:lineage:1',
    description: 'The metadata of a message may name the chain of calls between agents that it belongs to',
  },
];
const OLDEST_CAPABILITIES = { streaming: true, pushNotifications: false, stateTransitionHistory: true };
const OLDER_CAPABILITIES = { ...OLDEST_CAPABILITIES, extensions: EXTENSIONS };

describe('the agent card', () => {
  test(verifies(['D-01', 'D-02'], 'has the form of 1.0 at the well-known path for A2A-Version 1.0'), async () => {
    const server = await startServer();

    const { status, json, headers } = await card(server, '1.0');

    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(json).toEqual({
      ...ABOUT,
      ...newest(server.url),
      capabilities: { streaming: true, pushNotifications: false, extensions: EXTENSIONS },
    });
  });

  test(verifies('D-02', 'has the form of 0.3 at the same path for A2A-Version 0.3'), async () => {
    const server = await startServer();

    const { json } = await card(server, '0.3');

    expect(json).toEqual({ ...ABOUT, ...older(server.url), capabilities: OLDER_CAPABILITIES });
  });

  test.each([undefined, '', '9.9', 'garbage'])(
    verifies('D-02', 'has the members of 1.0 and 0.3 for an absent or unknown A2A-Version (%j)'),
    async (version) => {
      const server = await startServer();

      const { json } = await card(server, version);

      expect(json).toEqual({ ...ABOUT, ...newest(server.url), ...older(server.url), capabilities: OLDER_CAPABILITIES });
    },
  );

  test('has the form of 0.2 or 0.1 at /.well-known/agent.json', async () => {
    const server = await startServer();
    const url = `${server.url}/a2a`;

    const v02 = await server.ask({ method: 'GET', path: OLD_PATH });
    const v01 = await server.ask({ method: 'GET', path: OLD_PATH, headers: { 'a2a-version': '0.1' } });

    expect(v02.json).toEqual({
      ...ABOUT,
      protocolVersion: '0.2.6',
      url,
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [{ url, transport: 'JSONRPC' }],
      capabilities: OLDER_CAPABILITIES,
    });
    expect(v01.json).toEqual({ ...ABOUT, url, capabilities: OLDEST_CAPABILITIES });
  });

  test.each([
    { cardForm: '1.0' as const, has: 'supportedInterfaces', lacks: 'preferredTransport' },
    { cardForm: '0.3' as const, has: 'preferredTransport', lacks: 'supportedInterfaces' },
  ])(
    'has only the members of $cardForm with cardForm $cardForm for requests without a version',
    async ({ cardForm, has, lacks }) => {
      const server = await startServer({ cardForm });

      const { json } = await card(server);

      expect(json).toHaveProperty(has);
      expect(json).not.toHaveProperty(lacks);
    },
  );

  test(verifies('D-03', 'lists every version and binding of the agent, and each listed URL works'), async () => {
    const server = await startServer();
    const { supportedInterfaces } = (await card(server, '1.0')).json as WireCard;
    const old = (await server.ask({ method: 'GET', path: OLD_PATH })).json as WireCard;

    const listed = [
      ...supportedInterfaces,
      { url: old.url, protocolBinding: 'JSONRPC', protocolVersion: '0.2' },
      { url: old.url, protocolBinding: 'JSONRPC', protocolVersion: '0.1' },
    ];
    for (const { url, protocolBinding, protocolVersion } of listed) {
      const binding = protocolBinding === 'JSONRPC' ? 'JSON-RPC' : 'REST';
      const format = WIRE_FORMATS.find((each) => each.version === protocolVersion && each.binding === binding);
      if (format === undefined) expect.fail(`${protocolVersion} ${protocolBinding} has no wire format`);
      const ask = format.send({ text: 'hello' });
      // The request goes to the URL in the card.
      const answer = await exchange(url, { ...ask, path: binding === 'JSON-RPC' ? '' : ask.path });
      expect(format.sent(answer)).toMatchObject({ task: { state: 'completed' } });
    }
    expect(listed).toHaveLength(WIRE_FORMATS.length);
  });

  test.each([
    { versions: ['1.0'] as const, shown: ['JSONRPC 1.0', 'HTTP+JSON 1.0'] },
    { versions: ['0.3'] as const, shown: ['JSONRPC 0.3', 'HTTP+JSON 0.3'] },
    { versions: ['0.2', '1.0'] as const, shown: ['JSONRPC 1.0', 'HTTP+JSON 1.0'] },
    {
      versions: ['0.1', '0.3', '1.0'] as const,
      shown: ['JSONRPC 1.0', 'HTTP+JSON 1.0', 'JSONRPC 0.3', 'HTTP+JSON 0.3'],
    },
  ])(
    verifies(['D-03', 'D-04'], 'lists only the configured versions $versions, the newest first'),
    async ({ versions, shown }) => {
      const server = await startServer({ versions });

      const { supportedInterfaces } = (await card(server, '1.0')).json as WireCard;

      expect(supportedInterfaces.map((each) => `${each.protocolBinding} ${each.protocolVersion}`)).toEqual(shown);
    },
  );

  test('has the form of a supported version if the requested version is not supported', async () => {
    const server = await startServer({ versions: ['1.0'] });

    const asked = await card(server, '0.3');
    const old = await server.ask({ method: 'GET', path: OLD_PATH });

    expect(asked.json).toHaveProperty('supportedInterfaces');
    expect(asked.json).not.toHaveProperty('url');
    expect(old.status).toBe(404);
  });

  test(verifies('D-05', 'has one URL for all interfaces with rpcPaths /'), async () => {
    const server = await startServer({ rpcPaths: ['/'] });

    const { supportedInterfaces } = (await card(server, '1.0')).json as WireCard;

    const urls = supportedInterfaces.map(({ url }) => url.replace(/\/$/, ''));
    expect(new Set(urls)).toEqual(new Set([server.url]));
  });

  test(verifies('D-19', 'names its bindings by the names of the protocol, or by a URI'), async () => {
    const server = await startServer();

    const { supportedInterfaces } = (await card(server, '1.0')).json as WireCard;

    for (const { protocolBinding } of supportedInterfaces) {
      expect(['JSONRPC', 'GRPC', 'HTTP+JSON'].includes(protocolBinding) || URL.canParse(protocolBinding)).toBe(true);
    }
  });

  test(verifies('D-18', 'is separate for each agent on a shared domain'), async () => {
    const handlers = ['mail', 'news'].map((name) => {
      const { agent } = scripted({ name, id: name });
      const options = { basePath: `/agents/${name}`, store: memoryStore(), log: silentLog };
      const handler = createHandler(agent, options);
      onTestFinished(() => handler.close({ finishMs: 0 }));
      return handler;
    });
    const url = await bridge(async (request) => {
      const handler = handlers[new URL(request.url).pathname.startsWith('/agents/mail/') ? 0 : 1];
      return handler?.fetch(request) ?? new Response(null, { status: 404 });
    });

    for (const name of ['mail', 'news']) {
      const { json } = await exchange(url, { method: 'GET', path: `/agents/${name}${PATH}` });
      expect(json).toMatchObject({ name, url: `${url}/agents/${name}/a2a` });
    }
  });
});

describe('the URL in the card', () => {
  const forwarded = {
    'x-forwarded-host': 'agents.example.com',
    'x-forwarded-proto': 'https',
    'x-forwarded-prefix': '/mail',
  };
  const urlOf = async (server: TestServer, headers?: Record<string, string>): Promise<string> =>
    ((await card(server, '0.3', headers)).json as WireCard).url;

  test('is the address at which the server listens, whatever X-Forwarded headers a caller sends', async () => {
    const server = await startServer();

    expect(await urlOf(server)).toBe(`${server.url}/a2a`);
    expect(await urlOf(server, forwarded)).toBe(`${server.url}/a2a`);
  });

  test('is publicUrl if it is configured', async () => {
    const server = await startServer({ publicUrl: 'https://example.com/agent/', rpcPaths: ['/rpc', '/a2a'] });

    expect(await urlOf(server)).toBe('https://example.com/agent/rpc');
    expect(await urlOf(server, forwarded)).toBe('https://example.com/agent/rpc');
  });

  test('is built from X-Forwarded headers with trustProxy', async () => {
    const server = await startServer({ trustProxy: true });

    expect(await urlOf(server, forwarded)).toBe('https://agents.example.com/mail/a2a');
    expect(await urlOf(server, { 'x-forwarded-host': 'one.example.com, two.example.com' })).toBe(
      'http://one.example.com/a2a',
    );
    expect(await urlOf(server)).toBe(`${server.url}/a2a`);
  });

  test.each(['evil.example.com/path', 'a b', 'user@host', '"><script>', 'host:port'])(
    'ignores the invalid X-Forwarded-Host %s',
    async (host) => {
      const server = await startServer({ trustProxy: true });

      expect(await urlOf(server, { 'x-forwarded-host': host, 'x-forwarded-proto': 'gopher' })).toBe(
        `${server.url}/a2a`,
      );
    },
  );

  test('is not served by a loopback agent for another host name: 421', async () => {
    const server = await startServer();

    const { status } = await card(server, '1.0', { host: 'rebound.example.com' });

    expect(status).toBe(421);
  });
});
