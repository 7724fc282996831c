/** Several profiles on one server, beside the standard endpoints. */
import { describe, expect, test } from 'vitest';

import { connect } from '../../../src/index.ts';
import { bearerTokens } from '../../../src/host/auth/bearer-tokens.ts';
import { sharedSecret } from '../../../src/host/auth/jwt/shared-secret.ts';
import { PROFILE_NAMES } from '../../../src/wire/offer.ts';
import { startServer } from '../kit/server.ts';
import { eventsOf } from '../kit/sse-text.ts';
import { sendTask } from '../kit/tasks.ts';
import { WIRE_FORMATS } from '../kit/wire-formats.ts';
import { rpc } from '../kit/wire-formats/rpc.ts';

const SAID = { message: { role: 'user', messageId: 'm', parts: [{ kind: 'text', text: 'hello' }] } };
const STREAM = { ...rpc(undefined, 'message/stream', SAID), headers: { accept: 'text/event-stream' } };
const WELL_KNOWN = '/.well-known/agent-card.json';

interface Card {
  readonly url: string;
  readonly protocolVersion?: string;
  readonly securitySchemes?: Readonly<Record<string, unknown>>;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

describe('with all profiles mounted', () => {
  const start = () => startServer({ profile: PROFILE_NAMES });

  test('each path responds in the format of its own profile', async () => {
    const server = await start();
    const native = eventsOf((await server.ask({ ...STREAM, path: '/_agent-native/a2a' })).text);
    const rxjs = eventsOf((await server.ask({ ...STREAM, path: '/api/a2a' })).text);
    const corvid = await server.ask({ method: 'POST', path: '/a2a/tasks/send', body: { message: 'hello' } });

    expect(native.map(({ json }) => json)).toContainEqual(expect.objectContaining({ id: 0 }));
    expect(rxjs.at(-1)?.json).toMatchObject({ id: 1, result: { kind: 'status-update', final: true } });
    expect(corvid.json).toMatchObject({ state: expect.any(String), messages: expect.any(Array) });
  });

  test.each(WIRE_FORMATS.map((format) => [format.name, format] as const))(
    'the standard endpoint of %s keeps its format',
    async (_, format) => {
      const standard = await sendTask(await startServer(), format, { text: 'hello' });
      const beside = await sendTask(await start(), format, { text: 'hello' });
      expect(beside.artifacts).toEqual(standard.artifacts);
      expect(beside.state).toBe('completed');
    },
  );

  test('a task is found at every path, whichever it was sent to', async () => {
    const server = await start();
    const { json } = await server.ask({ ...rpc(undefined, 'message/send', SAID), path: '/_agent-native/a2a' });
    const { id } = (json as { readonly result: { readonly id: string } }).result;
    for (const path of ['/', '/a2a', '/api/a2a', '/_agent-native/a2a/']) {
      expect((await server.ask({ ...rpc(undefined, 'tasks/get', { id }), path })).json).toMatchObject({
        result: { id },
      });
    }
    expect((await server.ask({ method: 'GET', path: `/a2a/tasks/${id}` })).json).toMatchObject({ id });
  });

  test('each profile has a card of its own below its path', async () => {
    const server = await start();
    const cardAt = async (path: string) => (await server.ask({ method: 'GET', path: path + WELL_KNOWN })).json as Card;
    expect(await cardAt('/_agent-native/a2a')).toMatchObject({
      name: 'Script',
      url: `${server.url}/_agent-native/a2a`,
      protocolVersion: '0.3',
      capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: true },
      skills: [{ id: 'script' }],
    });
    expect(await cardAt('/api/a2a')).toMatchObject({ url: `${server.url}/api/a2a`, protocolVersion: '0.3.0' });
    const corvid = await cardAt('/a2a/tasks');
    expect(corvid).toMatchObject({
      name: 'Script',
      version: '1.0.0',
      url: server.url,
      capabilities: { stateTransitionHistory: false },
    });
    expect(corvid).not.toHaveProperty('protocolVersion');
  });

  test('the well-known card names the standard endpoint, and not one that clients of agent-native take for theirs', async () => {
    const server = await start();
    const { json } = await server.ask({ method: 'GET', path: WELL_KNOWN });
    expect((json as Card).url).toBe(`${server.url}/`);
  });
});

test('every path of JSON-RPC has a card below it that names that path', async () => {
  const server = await startServer({ profile: 'agent-native' });
  const { json } = await server.ask({ method: 'GET', path: `/a2a${WELL_KNOWN}` });
  expect((json as Card).url).toBe(`${server.url}/a2a`);
  for (const path of ['', '/a2a', '/_agent-native/a2a']) {
    const client = await connect(server.url + path);
    expect(await client.ask('hello')).toBe('hello');
  }
});

describe('the security schemes of a card', () => {
  const auth = [bearerTokens({ peer: 'k'.repeat(32) }), sharedSecret({ secret: 's'.repeat(32) })];

  test('are listed on the well-known card under the names of all mounted profiles', async () => {
    const server = await startServer({ profile: PROFILE_NAMES, auth });
    const { json } = await server.ask({ method: 'GET', path: WELL_KNOWN, headers: { 'a2a-version': '0.3' } });
    const { securitySchemes = {}, security } = json as Card;
    expect(Object.keys(securitySchemes)).toEqual(['bearer', 'jwt', 'apiKey', 'jwtBearer']);
    expect(securitySchemes['apiKey']).toEqual(securitySchemes['bearer']);
    expect(securitySchemes['jwtBearer']).toEqual(securitySchemes['jwt']);
    expect(security).toEqual([{ bearer: [] }, { jwt: [] }, { apiKey: [] }, { jwtBearer: [] }]);
  });

  test('have no other names without a profile', async () => {
    const server = await startServer({ auth });
    const { json } = await server.ask({ method: 'GET', path: WELL_KNOWN, headers: { 'a2a-version': '0.3' } });
    expect(Object.keys((json as Card).securitySchemes ?? {})).toEqual(['bearer', 'jwt']);
  });

  test('have the names of the profile on its own card', async () => {
    const server = await startServer({ profile: PROFILE_NAMES, auth });
    const { json } = await server.ask({ method: 'GET', path: `/_agent-native/a2a${WELL_KNOWN}` });
    expect(json).toMatchObject({
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'Bearer' },
        jwtBearer: { type: 'http', scheme: 'Bearer', bearerFormat: 'JWT' },
      },
      security: [{ apiKey: [] }, { jwtBearer: [] }],
    });
  });

  test('are called bearer on the card of the profile rxjs', async () => {
    const [, jwt] = auth;
    const server = await startServer({ profile: 'rxjs', ...(jwt && { auth: jwt }) });
    const { json } = await server.ask({ method: 'GET', path: `/api/a2a${WELL_KNOWN}` });
    expect(json).toMatchObject({
      securitySchemes: { bearer: { type: 'http', scheme: 'Bearer', bearerFormat: 'JWT' } },
      security: [{ bearer: [] }],
    });
  });
});

describe('without a profile', () => {
  test.each([
    ['POST', '/_agent-native/a2a'],
    ['POST', '/api/a2a'],
    ['POST', '/a2a/tasks/send'],
    ['GET', `/_agent-native/a2a${WELL_KNOWN}`],
  ])('%s %s gets 404', async (method, path) => {
    const server = await startServer();
    expect((await server.ask({ method, path, ...(method === 'POST' && { body: SAID }) })).status).toBe(404);
  });
});

test('a profile is served whatever versions and bindings the standard endpoints offer', async () => {
  const server = await startServer({ versions: ['1.0'], bindings: ['HTTP+JSON'], profile: ['agent-native', 'corvid'] });
  const sent = await server.ask({ ...rpc(undefined, 'message/send', SAID), path: '/_agent-native/a2a' });
  expect(sent.json).toMatchObject({ result: { status: { state: 'completed' } } });
  expect((await server.ask(rpc(undefined, 'message/send', SAID))).status).toBe(404);
  const rpcOnly = await startServer({ bindings: ['JSONRPC'], profile: 'corvid' });
  expect((await rpcOnly.ask({ method: 'POST', path: '/a2a/tasks/send', body: { message: 'hi' } })).status).toBe(200);
});

test('strict rejects deviations at the standard endpoints, and not at the paths of profiles', async () => {
  const server = await startServer({ strict: true, profile: 'agent-native' });
  const odd = { message: { role: 'user', parts: [{ type: 'text', text: 'hello' }] } };
  const standard = await server.ask(rpc('0.3', 'message/send', odd));
  const native = await server.ask({ ...rpc(undefined, 'message/send', odd), path: '/_agent-native/a2a' });
  expect(standard.json).toMatchObject({ error: { code: -32602 } });
  expect(native.json).toMatchObject({ result: { status: { state: 'completed' } } });
});

test('a handler that is mounted in a framework owns the paths of its profiles and no others', async () => {
  const { createHandler } = await import('../../../src/server/handler.ts');
  const { scripted } = await import('../kit/script.ts');
  const { silentLog } = await import('../../../src/observe/log.ts');
  await using handler = createHandler(scripted().agent, { profile: ['agent-native', 'corvid'], log: silentLog });
  expect(['/_agent-native/a2a', '/a2a/tasks/send', '/a2a/tasks/x'].map((path) => handler.owns(path))).toEqual([
    true,
    true,
    true,
  ]);
  expect(handler.owns(`/_agent-native/a2a${WELL_KNOWN}`, 'GET')).toBe(true);
  expect(handler.owns('/api/a2a')).toBe(false);
});
