/** Calls from web pages of other origins: which ones the option `cors` lets through, and what it does not open. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { connect } from '../../src/client/connect.ts';
import { apiKeys } from '../../src/host/auth/api-keys.ts';
import { bearerTokens } from '../../src/host/auth/bearer-tokens.ts';
import type { CorsOptions } from '../../src/server/http/cors.ts';
import { createHandler } from '../../src/server/handler.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { recordingLog } from '../helpers/recording-log.ts';
import { browserFetch } from '../helpers/browser-fetch.ts';
import type { Answer, Ask } from './kit/exchange.ts';
import { scripted } from './kit/script.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { REST_1, RPC_1 } from './kit/wire-formats.ts';

const APP = 'https://app.example';
const OTHER = 'https://evil.example';
const LISTED: CorsOptions = { origins: [APP] };
const AUTH = bearerTokens({ ann: 'token-of-ann' });
const PATHS = [
  '/a2a',
  '/',
  '/message:send',
  '/message:stream',
  '/tasks',
  '/tasks/t:cancel',
  '/v1/tasks/t',
  '/acme/tasks',
];
const CARDS = ['/.well-known/agent-card.json', '/extendedAgentCard'];

function preflight(server: TestServer, path: string, origin: string, more: Ask['headers'] = {}): Promise<Answer> {
  const headers = { origin, 'access-control-request-method': 'POST', ...more };
  return server.ask({ method: 'OPTIONS', path, headers });
}

function from(origin: string, ask: Ask, more: Ask['headers'] = {}): Ask {
  return { ...ask, headers: { ...ask.headers, origin, 'sec-fetch-site': 'cross-site', ...more } };
}

/** The CORS headers of a response, without their prefix. */
function corsOf({ headers }: Pick<Answer, 'headers'>): Readonly<Record<string, string>> {
  const own = Object.entries(headers).filter(([name]) => name.startsWith('access-control-'));
  return Object.fromEntries(own.map(([name, value]) => [name.replace('access-control-', ''), value]));
}

test.each([undefined, AUTH])('without cors no response has CORS headers', async (auth) => {
  const server = await startServer(auth && { auth });
  for (const path of PATHS) expect(corsOf(await preflight(server, path, APP))).toEqual({});
  expect(corsOf(await server.ask(from(APP, RPC_1.send({ text: 'hello' }))))).toEqual({});
});

describe('a page of a listed origin', () => {
  test.each([...PATHS, ...CARDS])('gets 204 for the preflight of %s', async (path) => {
    const server = await startServer({ auth: AUTH, cors: LISTED });
    const answer = await preflight(server, path, APP);

    expect(answer.status).toBe(204);
    expect(answer.headers['vary']).toContain('Origin');
    expect(corsOf(answer)).toMatchObject({
      'allow-origin': APP,
      'allow-methods': 'GET, HEAD, POST, DELETE',
      'allow-headers': expect.stringContaining('Authorization'),
      'max-age': '600',
    });
    expect(corsOf(answer)).not.toHaveProperty('allow-credentials');
  });

  test.each([RPC_1, REST_1])('can read results, errors and streams over $name', async (format) => {
    const server = await startServer({ auth: AUTH, cors: LISTED });
    const authorization = { authorization: 'Bearer token-of-ann' };
    const answers = [
      await server.ask(from(APP, format.send({ text: 'hello' }), authorization)),
      await server.ask(from(APP, format.get('none'), authorization)),
      await server.ask(from(APP, format.send({ text: 'hello' }))),
      await server.ask(from(APP, format.stream({ text: 'hello' }), authorization)),
    ];
    expect(answers[2]?.status).toBe(401);
    for (const answer of answers) {
      expect(corsOf(answer)).toMatchObject({
        'allow-origin': APP,
        'expose-headers': expect.stringMatching(/A2A-Extensions.*Retry-After.*WWW-Authenticate.*X-RateLimit-Limit/),
      });
      expect(answer.headers['vary']).toContain('Origin');
    }
  });

  test.each([{ auth: AUTH }, {}])(
    'can use the client: it finds the card, sends, streams and reads errors',
    async (auth) => {
      const server = await startServer({ ...auth, cors: LISTED });
      const client = await connect(server.url, { fetch: browserFetch(APP), auth: () => 'token-of-ann' });
      onTestFinished(() => client.close());

      expect(await client.ask('hello')).toBe('hello');
      const kinds: string[] = [];
      for await (const event of client.stream('story')) kinds.push(event.type);
      expect(kinds.length).toBeGreaterThan(2);
      await expect(client.cancel('none')).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    },
  );

  test('can send the header of an API key, and headers that the option adds', async () => {
    const auth = apiKeys({ header: 'x-agent-key', keys: { ann: 'key-of-ann' } });
    const cors = { origins: [APP], allowHeaders: ['X-Team'], exposeHeaders: ['X-Trace'], maxAgeSeconds: 5 };
    const server = await startServer({ auth, cors });

    const answer = corsOf(await preflight(server, '/a2a', APP));
    expect(answer['allow-headers']?.split(', ')).toEqual(expect.arrayContaining(['x-agent-key', 'X-Team']));
    expect(answer['max-age']).toBe('5');
    const sent = await server.ask(from(APP, RPC_1.send({ text: 'hello' }), { 'x-agent-key': 'key-of-ann' }));
    expect(corsOf(sent)['expose-headers']?.split(', ')).toContain('X-Trace');
  });

  test('can send cookies if credentials is true, and reads the card with them too', async () => {
    const auth = bearerTokens({ ann: 'token-of-ann' });
    const cors = { origins: [APP], credentials: true };
    const server = await startServer({ auth, cors, publicUrl: 'https://agent.example', trustProxy: true });
    const proxied = { 'x-forwarded-host': 'agent.example' };
    const answers = [
      await preflight(server, '/a2a', APP, proxied),
      await server.ask(from(APP, { method: 'GET', path: CARDS[0] ?? '', headers: proxied })),
    ];
    for (const answer of answers) {
      expect(corsOf(answer)).toMatchObject({ 'allow-origin': APP, 'allow-credentials': 'true' });
    }
  });

  test('can read the 503 of a handler that is closing', async () => {
    const handler = createHandler(scripted().agent, { store: memoryStore(), log: recordingLog(), cors: LISTED });
    await handler.close({ finishMs: 0 });
    const response = await handler.fetch(new Request('https://agent.example/tasks', { headers: { origin: APP } }));
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([503, APP]);
  });
});

describe('a page of another origin', () => {
  test.each([OTHER, 'null', `${APP}.evil.example`, 'http://app.example', `${APP}:8443`, APP.toUpperCase()])(
    'gets no CORS headers: %s',
    async (origin) => {
      const server = await startServer({ auth: AUTH, cors: LISTED });
      for (const path of PATHS) {
        const answer = await preflight(server, path, origin);
        expect(corsOf(answer)).toEqual({});
        expect(answer.status).not.toBe(204);
      }
      const sent = await server.ask(
        from(origin, RPC_1.send({ text: 'hello' }), { authorization: 'Bearer token-of-ann' }),
      );
      expect(corsOf(sent)).toEqual({});
      // A cache must not give it to a page that may read it, nor the other way round.
      expect(sent.headers['vary']).toContain('Origin');
    },
  );

  test('cannot use the client', async () => {
    const server = await startServer({ auth: AUTH, cors: LISTED });
    await expect(
      connect(server.url, { fetch: browserFetch(OTHER), auth: () => 'token-of-ann', timeoutMs: 5000 }),
    ).rejects.toThrow('Blocked:');
  });
});

describe('without auth on this machine', () => {
  test('pages of listed origins are accepted, and others get 403', async () => {
    const server = await startServer({ cors: LISTED });
    expect((await server.ask(from(APP, RPC_1.send({ text: 'hello' })))).status).toBe(200);
    for (const origin of [OTHER, 'null']) {
      const answer = await server.ask(from(origin, RPC_1.send({ text: 'hello' })));
      expect([answer.status, corsOf(answer)]).toEqual([403, {}]);
    }
    expect(
      (await server.ask({ method: 'GET', path: '/tasks/t', headers: { 'sec-fetch-site': 'cross-site' } })).status,
    ).toBe(403);
    expect(server.runs()).toBe(1);
  });

  test("'*' is rejected at the start, and with insecurePublic pages still get 403", async () => {
    await expect(startServer({ cors: { origins: '*' } })).rejects.toThrow(
      "cors.origins: can be '*' only with auth or insecurePublic",
    );
    const server = await startServer({ cors: { origins: '*' }, insecurePublic: true });
    expect((await server.ask(from(OTHER, RPC_1.send({ text: 'hello' })))).status).toBe(403);
    expect(server.runs()).toBe(0);
  });

  test.each<CorsOptions>([LISTED, { origins: [APP, 'http://rebound.example'] }, { origins: () => true }])(
    'a request for another host gets 421 without CORS headers, whatever its origin',
    async (cors) => {
      const server = await startServer({ cors });
      const host = { host: 'rebound.example' };
      for (const origin of [APP, 'http://rebound.example']) {
        const answers = [
          await preflight(server, '/a2a', origin, host),
          await server.ask(from(origin, RPC_1.send({ text: 'hello' }), host)),
        ];
        for (const answer of answers) expect([answer.status, corsOf(answer)]).toEqual([421, {}]);
      }
      expect(server.runs()).toBe(0);
    },
  );
});

test("with auth, '*' lets every page call with its own credentials, and no cookies", async () => {
  const server = await startServer({ auth: AUTH, cors: { origins: '*' } });
  const answer = await server.ask(from(OTHER, RPC_1.send({ text: 'hello' }), { authorization: 'Bearer token-of-ann' }));
  expect(answer.status).toBe(200);
  expect(corsOf(answer)).toEqual({ 'allow-origin': '*', 'expose-headers': expect.any(String) });
  expect((await server.ask(from(OTHER, RPC_1.send({ text: 'hello' })))).status).toBe(401);
});

test('a function decides about each origin except null, and an origin is rejected if the function throws', async () => {
  const log = recordingLog();
  const origins = vi.fn<(origin: string) => boolean>((origin) => {
    if (origin === OTHER) throw new Error('broken');
    return origin.endsWith('.app.example');
  });
  const server = await startServer({ auth: AUTH, log, cors: { origins } });

  expect(corsOf(await preflight(server, '/a2a', 'https://one.app.example'))['allow-origin']).toBe(
    'https://one.app.example',
  );
  for (const origin of ['https://two.example', 'null', OTHER]) {
    expect(corsOf(await preflight(server, '/a2a', origin))).toEqual({});
  }
  expect(origins.mock.calls.flat()).not.toContain('null');
  expect(log.lines.map(({ message }) => message)).toContain('Function cors.origins failed');
});

test('an origin is rejected if the function returns another value than true', async () => {
  const origins = (() => Promise.resolve(true)) as never;
  const server = await startServer({ auth: AUTH, cors: { origins } });
  expect(corsOf(await preflight(server, '/a2a', OTHER))).toEqual({});
});

test.each([
  ['/healthz', {}],
  ['/readyz', {}],
  ['/metrics', {}],
  ['/_tandem/run', {}],
  ['/_tandem/sweep', {}],
  ['/_agent-native/a2a/_process-task', { profile: 'agent-native' }],
] as const)('%s has no CORS headers', async (path, more) => {
  const serverless = { secret: 'a-secret-of-more-than-32-characters', url: 'https://agent.example' };
  const options = {
    store: memoryStore(),
    log: recordingLog(),
    metrics: true,
    serverless,
    auth: AUTH,
    cors: LISTED,
    ...more,
  };
  const handler = createHandler(scripted().agent, options);
  onTestFinished(() => handler.close({ finishMs: 0 }));
  for (const method of ['GET', 'POST', 'OPTIONS']) {
    const headers = { origin: APP, 'access-control-request-method': 'POST' };
    const response = await handler.fetch(new Request(`https://agent.example${path}`, { method, headers }));
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  }
});

test('a handler with cors owns preflight requests at its mount, where JSON-RPC is', () => {
  const options = { store: memoryStore(), log: recordingLog() };
  expect(createHandler(scripted().agent, { ...options, cors: LISTED }).owns('/', 'OPTIONS')).toBe(true);
  expect(createHandler(scripted().agent, options).owns('/', 'OPTIONS')).toBe(false);
  expect(createHandler(scripted().agent, { ...options, cors: LISTED }).owns('/', 'GET')).toBe(false);
});

test.each<[unknown, string]>([
  [true, "cors: expected an object such as { origins: ['https://app.example'] }, got true"],
  [{}, `cors.origins: is required: pass an array of origins such as ["https://app.example"], a function or '*'`],
  [{ origins: APP }, `cors.origins: expected an array of origins such as ["https://app.example"], a function or '*'`],
  [{ origins: [] }, 'cors.origins: must not be empty; leave cors out to allow no origin'],
  [{ origins: [APP, '*'] }, 'cors.origins[1]: expected an origin such as "https://app.example"'],
  [{ origins: ['null'] }, 'cors.origins[0]: expected an origin such as "https://app.example"'],
  [{ origins: [`${APP}/`] }, 'cors.origins[0]: expected an origin such as "https://app.example"'],
  [{ origins: ['https://*.app.example'] }, 'cors.origins[0]: expected an origin such as "https://app.example"'],
  [{ origins: '*', credentials: true }, "cors.credentials: cannot be true if cors.origins is '*': list the origins"],
  [{ origins: [APP], credentials: 1 }, 'cors.credentials: expected true or false, got 1'],
  [{ origins: [APP], maxAgeSeconds: -1 }, 'cors.maxAgeSeconds: expected a whole number from 0 to 86400'],
  [{ origins: [APP], allowHeaders: ['a b'] }, 'cors.allowHeaders[0]: expected a header name'],
  [{ origins: [APP], exposeHeaders: 'X-A' }, 'cors.exposeHeaders: expected an array of header names, got a string'],
  [{ origin: [APP] }, 'cors.origin: is not an option; did you mean origins?'],
])('%j is rejected at the start', (cors, fault) => {
  expect(() => createHandler(scripted().agent, { auth: AUTH, cors: cors as never })).toThrow(fault);
});

test.each(['HTTPS://App.Example', 'https://app.example:443'])(
  '%s lists the origin as browsers write it',
  async (origin) => {
    const server = await startServer({ auth: AUTH, cors: { origins: [origin] } });
    expect((await preflight(server, '/a2a', APP)).status).toBe(204);
  },
);

test('the origin of a browser extension can be listed', async () => {
  const origin = 'chrome-extension://abcdefghijklmnop';
  const server = await startServer({ auth: AUTH, cors: { origins: [origin] } });
  expect(corsOf(await preflight(server, '/a2a', origin))['allow-origin']).toBe(origin);
});
