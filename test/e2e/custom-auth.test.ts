/** `auth` as a function: the security schemes on the card, the challenge, and the request that it gets. */
import { describe, expect, onTestFinished, test } from 'vitest';

import type { AuthOption } from '../../src/host/auth/auth-option.ts';
import { createHandler } from '../../src/server/handler.ts';
import type { HttpRequest } from '../../src/host/http.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { recordingLog } from '../helpers/recording-log.ts';
import { scripted } from './kit/script.ts';
import { startServer } from './kit/server.ts';
import { REST_1 } from './kit/wire-formats.ts';

const CARD = { method: 'GET', path: '/.well-known/agent-card.json', headers: { 'a2a-version': '1.0' } };
const SEND = REST_1.send({ text: 'about' });

const bySession = (request: HttpRequest) => {
  const [, id] = /^sid=(\w+)$/.exec(request.header('cookie') ?? '') ?? [];
  return id === undefined ? null : { id, isVerified: true };
};

const SESSION = { session: { apiKeySecurityScheme: { location: 'cookie', name: 'sid' } } } as const;

describe('the security schemes and the challenge of an auth function', () => {
  test.each([
    {
      what: 'without schemes are those of a bearer token',
      auth: bySession,
      schemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      challenge: 'Bearer realm="a2a"',
    },
    {
      what: 'in an object without schemes are those of a bearer token',
      auth: { authenticate: bySession },
      schemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      challenge: 'Bearer realm="a2a"',
    },
    {
      what: 'with a scheme are those of this scheme',
      auth: { schemes: SESSION, authenticate: bySession },
      schemes: SESSION,
      challenge: 'ApiKey realm="a2a", in="cookie", name="sid"',
    },
    {
      what: 'with several schemes declare all and challenge by the first',
      auth: { schemes: { dpop: { httpAuthSecurityScheme: { scheme: 'DPoP' } }, ...SESSION }, authenticate: bySession },
      schemes: { dpop: { httpAuthSecurityScheme: { scheme: 'DPoP' } }, ...SESSION },
      challenge: 'DPoP realm="a2a"',
    },
    {
      what: 'with a challenge of its own have this challenge',
      auth: { schemes: SESSION, challenge: 'Cookie realm="a2a"', authenticate: bySession },
      schemes: SESSION,
      challenge: 'Cookie realm="a2a"',
    },
    {
      what: 'with schemes: {} declare nothing, and HTTP needs a challenge',
      auth: { schemes: {}, authenticate: bySession },
      schemes: undefined,
      challenge: 'Bearer realm="a2a"',
    },
  ])('$what', async ({ auth, schemes, challenge }) => {
    const server = await startServer({ auth: auth satisfies AuthOption });

    const card = (await server.ask(CARD)).json as { readonly securitySchemes?: unknown };
    const stranger = await server.ask(SEND);
    const known = await server.ask({ ...SEND, headers: { cookie: 'sid=ann' } });

    expect(card.securitySchemes).toEqual(schemes);
    expect([stranger.status, stranger.headers['www-authenticate']]).toEqual([401, challenge]);
    expect(known.text).toContain('"caller":"ann"');
  });
});

test.each([
  [{ schemes: [] }, 'auth.schemes: expected an object such as'],
  [
    { schemes: { a: {} } },
    'auth.schemes.a: expected an object with one of apiKeySecurityScheme, httpAuthSecurityScheme',
  ],
  [{ schemes: { a: { type: 'http', scheme: 'Bearer' } } }, 'auth.schemes.a: expected an object with one of'],
  [
    { schemes: { a: { apiKeySecurityScheme: { location: 'body', name: 'k' } } } },
    'auth.schemes.a.apiKeySecurityScheme.location: expected "header", "query" or "cookie"',
  ],
  [
    { schemes: { a: { apiKeySecurityScheme: { location: 'header', name: 'a"b' } } } },
    'auth.schemes.a.apiKeySecurityScheme.name: expected a name such as "x-api-key"',
  ],
  [
    { schemes: { a: { httpAuthSecurityScheme: { scheme: 'a b' } } } },
    'auth.schemes.a.httpAuthSecurityScheme.scheme: expected a name such as "Bearer"',
  ],
  [{ schemes: { a: { oauth2SecurityScheme: { flows: {} } } } }, 'auth.schemes.a.oauth2SecurityScheme.flows: expected'],
  [
    { schemes: { a: { openIdConnectSecurityScheme: {} } } },
    'auth.schemes.a.openIdConnectSecurityScheme.openIdConnectUrl: is required',
  ],
  [{ challenge: 'a\r\nb' }, 'auth.challenge: expected a string of visible ASCII'],
])('auth with %j is rejected at the start', (auth, fault) => {
  const { agent } = scripted();
  expect(() => createHandler(agent, { auth: { authenticate: bySession, ...auth } as never })).toThrow(fault);
});

test('an auth function that uses the request like a web-standard one gets an error with the way to read a header', async () => {
  const auth = ((request: Request) => request.headers.get('cookie')) as never;
  const log = recordingLog();
  const server = await startServer({ auth, log });
  const { agent } = scripted();
  const handler = createHandler(agent, { auth, log, store: memoryStore() });
  onTestFinished(() => handler.close());

  const answer = await server.ask(SEND);
  const body = JSON.stringify(SEND.body);
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  const mounted = await handler.fetch(
    new Request('https://agent.example/message:send', { method: 'POST', headers, body }),
  );

  expect([answer.status, mounted.status]).toEqual([500, 500]);
  expect(answer.text).not.toContain('headers');
  const told = expect.objectContaining({
    level: 'error',
    fields: expect.objectContaining({
      error: expect.objectContaining({
        message: expect.stringContaining("Read a header with request.header('authorization')"),
      }),
    }),
  });
  expect(log.lines).toEqual([told, told]);
});
