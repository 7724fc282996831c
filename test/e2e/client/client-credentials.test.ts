/** OAuth 2.0 client credentials, with a token endpoint and an agent on sockets. */
import { EventEmitter, once } from 'node:events';

import { describe, expect, test } from 'vitest';

import type { SecurityScheme } from '../../../src/model/security.ts';
import { connected, nowhere, TRANSPORTS } from './kit.ts';
import { type Answering, cardAt, json, startPeer } from './peer.ts';
import { CLIENT, letsIn, movableClock, shown, startTokenServer, tokens } from './token-server.ts';

const isToken = letsIn((header) => /^Bearer t\d+$/.test(header));

function schemeWith(tokenUrl: string): Record<string, SecurityScheme> {
  return { oauth: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl, scopes: {} } } } } };
}

describe.each(TRANSPORTS)('over %s', (_name, options) => {
  test('a token is fetched once and used for all calls', async () => {
    const [server, peer] = [await startTokenServer(), await startPeer(isToken)];
    const agent = await connected(peer.url, { ...options, auth: { ...CLIENT, tokenUrl: server.url } });
    await agent.send('hi');
    await agent.send('hi');
    expect(shown(peer)).toEqual(['Bearer t1', 'Bearer t1']);
    expect(server.forms()).toEqual([{ grant_type: 'client_credentials' }]);
    expect(server.peer.got[0]?.path).toBe('/token');
  });

  test('a burst of calls asks for one token', async () => {
    const [server, peer] = [await startTokenServer(), await startPeer(isToken)];
    const agent = await connected(peer.url, { ...options, auth: { ...CLIENT, tokenUrl: server.url } });
    await Promise.all(Array.from({ length: 20 }, () => agent.send('hi')));
    expect(server.peer.got).toHaveLength(1);
    expect(new Set(shown(peer))).toEqual(new Set(['Bearer t1']));
  });

  test('a burst of calls whose token is refused gets one new one', async () => {
    const [server, peer] = [await startTokenServer(), await startPeer(letsIn((header) => header === 'Bearer t2'))];
    const agent = await connected(peer.url, { ...options, auth: { ...CLIENT, tokenUrl: server.url } });
    await Promise.all(Array.from({ length: 20 }, () => agent.send('hi')));
    expect(server.peer.got).toHaveLength(2);
  });

  test('a token endpoint that never answers takes no longer than the call has', async () => {
    const [server, peer] = [await startTokenServer(() => {}), await startPeer(isToken)];
    const agent = await connected(peer.url, { ...options, auth: { ...CLIENT, tokenUrl: server.url } });
    await expect(agent.send('hi', { timeoutMs: 30 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(peer.got).toEqual([]);
  });

  test('who leaves does not take the token from the others, and the last one stops the request', async () => {
    const gate = new EventEmitter();
    const server = await startTokenServer((_got, response) => {
      response.once('close', () => gate.emit('closed'));
    });
    const peer = await startPeer(isToken);
    const agent = await connected(peer.url, { ...options, auth: { ...CLIENT, tokenUrl: server.url } });
    const closed = once(gate, 'closed');
    const abort = new AbortController();
    const staying = agent.send('hi', { signal: abort.signal });
    await expect(agent.send('hi', { timeoutMs: 30 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(server.peer.got).toHaveLength(1);
    abort.abort(new Error('enough'));
    await expect(staying).rejects.toThrow('enough');
    await closed;
  });

  test('nobody at the token endpoint', async () => {
    const [tokenUrl, peer] = [`${await nowhere()}/token`, await startPeer(isToken)];
    const agent = await connected(peer.url, { ...options, auth: { ...CLIENT, tokenUrl } });
    await expect(agent.send('hi')).rejects.toMatchObject({
      code: 'TRANSPORT_FAILED',
      details: { sent: 'no', tokenUrl },
    });
    expect(peer.got).toEqual([]);
  });

  test('a redirect of the token endpoint is not followed', async () => {
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

test('scopes, parameters and a secret in the body', async () => {
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
  expect(shown(server.peer)).toEqual([undefined]);
});

test.each<[string, number | string | undefined, number, number]>([
  ['an hour, shortly before its end', 3600, 3_569_000, 1],
  ['an hour, just before its end', 3600, 3_571_000, 2],
  ['a text for a number', '3600', 3_571_000, 2],
  ['ten seconds, after most of them', 10, 8500, 2],
  ['no word about its end', undefined, 365 * 86_400_000, 1],
])('how long a token is kept: %s', async (_case, expiresIn, laterMs, requests) => {
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

test('a token that is refused is replaced once, and a second refusal is final', async () => {
  const [server, peer] = [await startTokenServer(), await startPeer(letsIn(() => false))];
  const agent = await connected(peer.url, { auth: { ...CLIENT, tokenUrl: server.url } });
  await expect(agent.send('hi')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(shown(peer)).toEqual(['Bearer t1', 'Bearer t2']);
});

test.each<[string, Answering, object]>([
  [
    'a refusal',
    (_got, response) => json(response, { error: 'invalid_scope', error_description: 'No such scope' }, 400),
    { code: 'UNAUTHENTICATED', message: expect.stringContaining('invalid_scope: No such scope') },
  ],
  [
    'a refusal without a word',
    (_got, response) => void response.writeHead(403).end('<html>'),
    { code: 'UNAUTHENTICATED', message: expect.stringContaining('status 403') },
  ],
  ['trouble', (_got, response) => void response.writeHead(502).end(), { code: 'UNAVAILABLE' }],
  ['no JSON', (_got, response) => void response.writeHead(200).end('t1'), { code: 'INVALID_AGENT_RESPONSE' }],
  ['no token', (_got, response) => json(response, { token_type: 'Bearer' }), { code: 'INVALID_AGENT_RESPONSE' }],
  [
    'a token of another type',
    (_got, response) => json(response, { access_token: 't1', token_type: 'mac' }),
    { code: 'INVALID_AGENT_RESPONSE', message: expect.stringContaining('"mac"') },
  ],
  [
    'a token that is no token',
    (_got, response) => json(response, { access_token: 'a\r\nb', token_type: 'Bearer' }),
    { code: 'UNAUTHENTICATED' },
  ],
  ['too much', (_got, response) => json(response, 'x'.repeat(100_000)), { code: 'INVALID_AGENT_RESPONSE' }],
])('%s instead of a token', async (_case, answer, error) => {
  const [server, peer] = [await startTokenServer(answer), await startPeer(isToken)];
  const agent = await connected(peer.url, { auth: { ...CLIENT, tokenUrl: server.url } });
  const thrown: unknown = await agent.send('hi').catch((each: unknown) => each);
  expect(thrown).toMatchObject(error);
  expect(`${JSON.stringify(thrown)} ${String(thrown)}`).not.toContain(CLIENT.clientSecret);
  expect(peer.got).toEqual([]);
});

test('the wrong secret', async () => {
  const [server, peer] = [await startTokenServer(), await startPeer(isToken)];
  const auth = { ...CLIENT, clientSecret: 'wrong', tokenUrl: server.url };
  const agent = await connected(peer.url, { auth });
  await expect(agent.send('hi')).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
    details: { oauthError: 'invalid_client', tokenUrl: server.url, status: '401' },
  });
  expect(server.peer.got).toHaveLength(1);
});

test('a token endpoint that says when to come back is asked again', async () => {
  const give = tokens();
  const server = await startTokenServer((got, response, peer) =>
    peer.got.length === 1 ? void response.writeHead(503, { 'retry-after': '0' }).end() : give(got, response, peer),
  );
  const peer = await startPeer(isToken);
  const agent = await connected(peer.url, { auth: { ...CLIENT, tokenUrl: server.url } });
  expect((await agent.send('hi')).state).toBe('completed');
  expect(peer.got).toHaveLength(1);
});

test('a connection that breaks is no reason to give up', async () => {
  const give = tokens();
  const server = await startTokenServer((got, response, peer) =>
    peer.got.length === 1 ? void response.destroy() : give(got, response, peer),
  );
  const peer = await startPeer(isToken);
  const agent = await connected(peer.url, { auth: { ...CLIENT, tokenUrl: server.url } });
  expect((await agent.send('hi')).state).toBe('completed');
});

test('who gets no token goes on with the next of several credentials', async () => {
  const server = await startTokenServer((_got, response) => json(response, { error: 'invalid_client' }, 401));
  const peer = await startPeer(letsIn((header) => header === 'Bearer spare'));
  const agent = await connected(peer.url, { auth: [{ ...CLIENT, tokenUrl: server.url }, 'spare'] });
  expect((await agent.send('hi')).state).toBe('completed');
  expect(shown(peer)).toEqual(['Bearer spare']);
});

describe('a token endpoint that the card names', () => {
  test('at the same origin, with the scopes that the card requires', async () => {
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

  test('at another origin gets no secret, unless that is allowed', async () => {
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

  test('is needed if none is given', async () => {
    const peer = await startPeer(isToken);
    const agent = await connected(peer.url, { auth: CLIENT });
    await expect(agent.send('hi')).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: expect.stringContaining('declares no client credentials flow'),
    });
  });
});

test('a card that is for known callers is fetched with a token', async () => {
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
