/** OAuth 2.0 client credentials, with a token endpoint and an agent on sockets. */
import { EventEmitter, once } from 'node:events';

import { describe, expect, test } from 'vitest';

import type { SecurityScheme } from '../../../src/model/security.ts';
import { connected, unusedAddress, TRANSPORTS } from './kit.ts';
import { type Responder, cardAt, json, startPeer } from './peer.ts';
import { CLIENT, acceptsIf, movableClock, authorizationsOf, startTokenServer, tokens } from './token-server.ts';

const isToken = acceptsIf((header) => /^Bearer t\d+$/.test(header));

function schemeWith(tokenUrl: string): Record<string, SecurityScheme> {
  return { oauth: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl, scopes: {} } } } } };
}

describe.each(TRANSPORTS)('over %s', (_name, options) => {
  test('the client fetches a token once and uses it for all calls', async () => {
    const [server, peer] = [await startTokenServer(), await startPeer(isToken)];
    const agent = await connected(peer.url, { ...options, auth: { ...CLIENT, tokenUrl: server.url } });
    await agent.send('hi');
    await agent.send('hi');
    expect(authorizationsOf(peer)).toEqual(['Bearer t1', 'Bearer t1']);
    expect(server.forms()).toEqual([{ grant_type: 'client_credentials' }]);
    expect(server.peer.got[0]?.path).toBe('/token');
  });

  test('concurrent calls share one request for a token', async () => {
    const [server, peer] = [await startTokenServer(), await startPeer(isToken)];
    const agent = await connected(peer.url, { ...options, auth: { ...CLIENT, tokenUrl: server.url } });
    await Promise.all(Array.from({ length: 20 }, () => agent.send('hi')));
    expect(server.peer.got).toHaveLength(1);
    expect(new Set(authorizationsOf(peer))).toEqual(new Set(['Bearer t1']));
  });

  test('concurrent calls whose token gets 401 share one request for a new token', async () => {
    const [server, peer] = [await startTokenServer(), await startPeer(acceptsIf((header) => header === 'Bearer t2'))];
    const agent = await connected(peer.url, { ...options, auth: { ...CLIENT, tokenUrl: server.url } });
    await Promise.all(Array.from({ length: 20 }, () => agent.send('hi')));
    expect(server.peer.got).toHaveLength(2);
  });

  test('a call whose token endpoint never responds fails at the deadline of the call', async () => {
    const [server, peer] = [await startTokenServer(() => {}), await startPeer(isToken)];
    const agent = await connected(peer.url, { ...options, auth: { ...CLIENT, tokenUrl: server.url } });
    await expect(agent.send('hi', { timeoutMs: 30 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(peer.got).toEqual([]);
  });

  test('a call that ends does not abort a token request that other calls share, and the last of them does', async () => {
    const gate = new EventEmitter();
    const server = await startTokenServer((_got, response) => {
      response.once('close', () => gate.emit('closed'));
    });
    const peer = await startPeer(isToken);
    const agent = await connected(peer.url, { ...options, auth: { ...CLIENT, tokenUrl: server.url } });
    const closed = once(gate, 'closed');
    const abort = new AbortController();
    const staying = agent.send('hi', { signal: abort.signal });
    await expect.poll(() => server.peer.got.length).toBe(1);
    await expect(agent.send('hi', { timeoutMs: 30 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(server.peer.got).toHaveLength(1);
    abort.abort(new Error('enough'));
    await expect(staying).rejects.toThrow('enough');
    await closed;
  });

  test('a call fails without being sent if nothing listens at the token endpoint', async () => {
    const [tokenUrl, peer] = [`${await unusedAddress()}/token`, await startPeer(isToken)];
    const agent = await connected(peer.url, { ...options, auth: { ...CLIENT, tokenUrl } });
    await expect(agent.send('hi')).rejects.toMatchObject({
      code: 'TRANSPORT_FAILED',
      details: { sent: 'no', tokenUrl },
    });
    expect(peer.got).toEqual([]);
  });

  test('the client does not follow a redirect of the token endpoint', async () => {
    const elsewhere = await startTokenServer();
    const server = await startTokenServer(
      (_got, response) => void response.writeHead(307, { location: elsewhere.url }).end(),
    );
    const peer = await startPeer(isToken);
    const agent = await connected(peer.url, { ...options, auth: { ...CLIENT, tokenUrl: server.url } });
    await expect(agent.send('hi')).rejects.toMatchObject({ code: 'INVALID_AGENT_RESPONSE' });
    expect(elsewhere.peer.got).toEqual([]);
  });
});

test('a token request contains scopes, extra parameters and the secret in its body if so configured', async () => {
  const [server, peer] = [await startTokenServer(), await startPeer(isToken)];
  const auth = {
    ...CLIENT,
    tokenUrl: server.url,
    scopes: ['read', 'write'],
    parameters: { audience: 'https://agent.example' },
    secretIn: 'body',
  } as const;
  const agent = await connected(peer.url, { auth });
  await agent.send('hi');
  expect(server.forms()).toEqual([
    {
      grant_type: 'client_credentials',
      scope: 'read write',
      audience: 'https://agent.example',
      client_id: CLIENT.clientId,
      client_secret: CLIENT.clientSecret,
    },
  ]);
  expect(authorizationsOf(server.peer)).toEqual([undefined]);
});

test.each<[string, number | string | undefined, number, number]>([
  ['a token that lasts an hour is used until 30 s before its end', 3600, 3_569_000, 1],
  ['a token that lasts an hour is replaced 30 s before its end', 3600, 3_571_000, 2],
  ['a token whose expires_in is a string is replaced 30 s before its end', '3600', 3_571_000, 2],
  ['a token that lasts ten seconds is replaced after 8.5 s', 10, 8500, 2],
  ['a token without expires_in is used for a year', undefined, 365 * 86_400_000, 1],
])('%s', async (_case, expiresIn, laterMs, requests) => {
  const server = await startTokenServer(({ body }, response, { got }) => {
    expect(body).toBe('grant_type=client_credentials');
    json(response, { access_token: `t${got.length}`, token_type: 'Bearer', expires_in: expiresIn });
  });
  const peer = await startPeer(isToken);
  const clock = movableClock();
  const agent = await connected(peer.url, { clock, auth: { ...CLIENT, tokenUrl: server.url } });
  await agent.send('hi');
  clock.move(laterMs);
  await agent.send('hi');
  expect(server.peer.got).toHaveLength(requests);
});

test('a token that gets 401 is replaced once, and a second 401 fails the call', async () => {
  const [server, peer] = [await startTokenServer(), await startPeer(acceptsIf(() => false))];
  const agent = await connected(peer.url, { auth: { ...CLIENT, tokenUrl: server.url } });
  await expect(agent.send('hi')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(authorizationsOf(peer)).toEqual(['Bearer t1', 'Bearer t2']);
});

test.each<[string, Responder, object]>([
  [
    'an OAuth error',
    (_got, response) => json(response, { error: 'invalid_scope', error_description: 'No such scope' }, 400),
    { code: 'UNAUTHENTICATED', message: expect.stringContaining('invalid_scope: No such scope') },
  ],
  [
    '403 without an OAuth error',
    (_got, response) => void response.writeHead(403).end('<html>'),
    { code: 'UNAUTHENTICATED', message: expect.stringContaining('status 403') },
  ],
  ['502', (_got, response) => void response.writeHead(502).end(), { code: 'UNAVAILABLE' }],
  [
    'a body that is not JSON',
    (_got, response) => void response.writeHead(200).end('t1'),
    { code: 'INVALID_AGENT_RESPONSE' },
  ],
  [
    'JSON without a token',
    (_got, response) => json(response, { token_type: 'Bearer' }),
    { code: 'INVALID_AGENT_RESPONSE' },
  ],
  [
    'a token of another type',
    (_got, response) => json(response, { access_token: 't1', token_type: 'mac' }),
    { code: 'INVALID_AGENT_RESPONSE', message: expect.stringContaining('"mac"') },
  ],
  [
    'a token that a header cannot contain',
    (_got, response) => json(response, { access_token: 'a\r\nb', token_type: 'Bearer' }),
    { code: 'UNAUTHENTICATED' },
  ],
  [
    'a body that is too large',
    (_got, response) => json(response, 'x'.repeat(100_000)),
    { code: 'INVALID_AGENT_RESPONSE' },
  ],
])(
  '%s from the token endpoint fails the call, and the error does not contain the secret',
  async (_case, answer, error) => {
    const [server, peer] = [await startTokenServer(answer), await startPeer(isToken)];
    const agent = await connected(peer.url, { auth: { ...CLIENT, tokenUrl: server.url } });
    const thrown: unknown = await agent.send('hi').catch((each: unknown) => each);
    expect(thrown).toMatchObject(error);
    expect(`${JSON.stringify(thrown)} ${String(thrown)}`).not.toContain(CLIENT.clientSecret);
    expect(peer.got).toEqual([]);
  },
);

test('a wrong client secret fails the call with the OAuth error invalid_client', async () => {
  const [server, peer] = [await startTokenServer(), await startPeer(isToken)];
  const auth = { ...CLIENT, clientSecret: 'wrong', tokenUrl: server.url };
  const agent = await connected(peer.url, { auth });
  await expect(agent.send('hi')).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
    details: { oauthError: 'invalid_client', tokenUrl: server.url, status: '401' },
  });
  expect(server.peer.got).toHaveLength(1);
});

test('a token request that gets 503 with Retry-After is repeated', async () => {
  const give = tokens();
  const server = await startTokenServer((got, response, peer) =>
    peer.got.length === 1 ? void response.writeHead(503, { 'retry-after': '0' }).end() : give(got, response, peer),
  );
  const peer = await startPeer(isToken);
  const agent = await connected(peer.url, { auth: { ...CLIENT, tokenUrl: server.url } });
  expect((await agent.send('hi')).state).toBe('completed');
  expect(peer.got).toHaveLength(1);
});

test('a token request whose connection breaks is repeated', async () => {
  const give = tokens();
  const server = await startTokenServer((got, response, peer) =>
    peer.got.length === 1 ? void response.destroy() : give(got, response, peer),
  );
  const peer = await startPeer(isToken);
  const agent = await connected(peer.url, { auth: { ...CLIENT, tokenUrl: server.url } });
  expect((await agent.send('hi')).state).toBe('completed');
});

test('the client tries the next credential if it gets no token for the first', async () => {
  const server = await startTokenServer((_got, response) => json(response, { error: 'invalid_client' }, 401));
  const peer = await startPeer(acceptsIf((header) => header === 'Bearer spare'));
  const agent = await connected(peer.url, { auth: [{ ...CLIENT, tokenUrl: server.url }, 'spare'] });
  expect((await agent.send('hi')).state).toBe('completed');
  expect(authorizationsOf(peer)).toEqual(['Bearer spare']);
});

describe('client credentials without tokenUrl', () => {
  test('use the token endpoint in the card, with the scopes that the card requires', async () => {
    const give = tokens();
    const peer = await startPeer(
      (got, response, self) => (got.path === '/token' ? give(got, response, self) : isToken(got, response, self)),
      {
        card: (_got, response, { url }) =>
          json(response, {
            ...cardAt(url),
            securitySchemes: schemeWith(`${url}/token`),
            securityRequirements: [{ schemes: { oauth: { list: ['talk', 'listen'] } } }],
          }),
      },
    );
    const agent = await connected(peer.url, { auth: CLIENT });
    expect((await agent.send('hi')).state).toBe('completed');
    expect(peer.got.map(({ path }) => path)).toEqual(['/token', '/rpc']);
    expect(new URLSearchParams(peer.got[0]?.body).get('scope')).toBe('talk listen');
  });

  test('use a token endpoint in the card at another origin only if that is allowed', async () => {
    const server = await startTokenServer();
    const peer = await startPeer(isToken, { card: { securitySchemes: schemeWith(server.url) } });
    const agent = await connected(peer.url, { auth: CLIENT });
    await expect(agent.send('hi')).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: expect.stringContaining('Set auth.tokenUrl'),
    });
    expect(server.peer.got).toEqual([]);
    const allowed = await connected(peer.url, { auth: CLIENT, allowOrigins: [server.peer.url] });
    expect((await allowed.send('hi')).state).toBe('completed');
  });

  test('fail a call if the card declares no token endpoint', async () => {
    const peer = await startPeer(isToken);
    const agent = await connected(peer.url, { auth: CLIENT });
    await expect(agent.send('hi')).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: expect.stringContaining('declares no client credentials flow'),
    });
  });
});

test('a protected card is fetched with a token if the token endpoint is configured', async () => {
  const server = await startTokenServer();
  const peer = await startPeer(isToken, {
    card: ({ headers }, response, { url }) =>
      headers['authorization'] === 'Bearer t1' ? json(response, cardAt(url)) : void response.writeHead(401).end(),
  });
  const agent = await connected(peer.url, { auth: { ...CLIENT, tokenUrl: server.url } });
  expect((await agent.send('hi')).state).toBe('completed');
  expect(server.peer.got).toHaveLength(1);
  await expect(connected(peer.url, { auth: CLIENT })).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
    message: expect.stringContaining('is protected and not known yet'),
  });
});
