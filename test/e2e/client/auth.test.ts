/** Credentials of the client: they go to the agent that the caller named, in the form that the caller chose, and nowhere else. */
import { expect, test } from 'vitest';

import { connect } from '../../../src/client/connect.ts';
import type { Auth } from '../../../src/client/auth/auth.ts';
import type { AuthStrategy } from '../../../src/client/auth/strategy.ts';
import { verifies } from '../../helpers/verifies.ts';
import { connected } from './kit.ts';
import { type Responder, cardAt, failure, json, type Peer, result, startPeer, task } from './peer.ts';

/** Accepts requests that carry the given header. */
function guarded(name: string, right: string): Responder {
  return ({ headers }, response) =>
    headers[name] === right
      ? result(response, { task: task() })
      : failure(response, -32000, 'UNAUTHENTICATED', 401, { 'www-authenticate': 'Bearer realm="peer"' });
}

const done: Responder = (_got, response) => result(response, { task: task() });

const shown = ({ got }: Peer, name = 'authorization'): unknown[] => got.map(({ headers }) => headers[name]);

const strategy: AuthStrategy = { headers: () => ({ Authorization: 'Basic eDp5' }) };

test.each<[string, Auth, string, string]>([
  ['a bearer token', 'right', 'authorization', 'Bearer right'],
  ['a token from a function', () => 'right', 'authorization', 'Bearer right'],
  ['a token from an asynchronous function', () => Promise.resolve('right'), 'authorization', 'Bearer right'],
  ['an API key', { apiKey: 'right' }, 'x-api-key', 'right'],
  ['an API key in a named header', { apiKey: 'right', header: 'X-Pass' }, 'x-pass', 'right'],
  ['the header of a custom strategy', strategy, 'authorization', 'Basic eDp5'],
])(
  verifies('H-10', '%s is sent with a call, and not with the request for the card'),
  async (_case, auth, header, value) => {
    const peer = await startPeer(guarded(header, value));
    const agent = await connected(peer.url, { auth });
    expect((await agent.send('hi')).state).toBe('completed');
    expect(peer.got).toHaveLength(1);
    expect(shown({ ...peer, got: peer.cardsGot }, header)).toEqual([undefined]);
  },
);

test('an API key is sent in the header that the card names', async () => {
  const securitySchemes = { key: { apiKeySecurityScheme: { location: 'header', name: 'X-Agent-Key' } } };
  const peer = await startPeer(guarded('x-agent-key', 'right'), { card: { securitySchemes } });
  const agent = await connected(peer.url, { auth: { apiKey: 'right' } });
  expect((await agent.send('hi')).state).toBe('completed');
});

test.each([
  ['query', 'key', '/rpc?key=a%26b%3D', undefined, 'a&b='],
  ['cookie', 'session', '/rpc', 'mine=1; session=abc=', 'abc='],
])('an API key is sent in the %s if the card specifies that', async (location, name, path, cookie, apiKey) => {
  const securitySchemes = { key: { apiKeySecurityScheme: { location, name } } };
  const peer = await startPeer(done, { card: { securitySchemes } });
  const agent = await connected(peer.url, { auth: { apiKey }, headers: { Cookie: 'mine=1' } });
  await agent.send('hi');
  await agent.send('hi');
  expect(peer.got.map((got) => [got.path, got.headers['cookie'], got.headers['x-api-key']])).toEqual(
    [1, 2].map(() => [path, cookie ?? 'mine=1', undefined]),
  );
  expect(peer.cardsGot.map((got) => got.path)).toEqual(['/.well-known/agent-card.json']);
  expect(agent.task('t1').handle).not.toContain(apiKey);
});

test('an API key in the query is not sent to the target of a redirect, and a key that does not fit into a cookie is not sent at all', async () => {
  const target = await startPeer(done);
  const securitySchemes = { key: { apiKeySecurityScheme: { location: 'query', name: 'key' } } };
  const moved = await startPeer(
    ({ path }, response) => void response.writeHead(307, { location: `${target.url}${path.split('?')[0]}` }).end(),
    { card: { securitySchemes } },
  );
  const agent = await connected(moved.url, { auth: { apiKey: 'right' } });
  await expect(agent.send('hi')).rejects.toMatchObject({ details: { reason: 'address-refused' } });
  expect(target.got).toEqual([]);
  const inCookie = { key: { apiKeySecurityScheme: { location: 'cookie', name: 'key' } } };
  const peer = await startPeer(done, { card: { securitySchemes: inCookie } });
  const other = await connected(peer.url, { auth: { apiKey: 'a; admin=1' } });
  await expect(other.send('hi')).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
    message: expect.stringContaining('contains characters that cookies cannot contain'),
  });
  expect(peer.got).toEqual([]);
});

test('credentials are sent for the card only after the agent asks for them', async () => {
  const peer = await startPeer(guarded('authorization', 'Bearer right'), {
    card: ({ headers }, response, { url }) =>
      headers['authorization'] === 'Bearer right' ? json(response, cardAt(url)) : void response.writeHead(401).end(),
  });
  const agent = await connected(peer.url, { auth: ['wrong', 'right'] });
  expect((await agent.send('hi')).state).toBe('completed');
  expect(peer.cardsGot.map(({ headers }) => headers['authorization'])).toEqual([
    undefined,
    'Bearer wrong',
    'Bearer right',
  ]);
  // The credential that worked for the card is used first.
  expect(shown(peer)).toEqual(['Bearer right']);
});

test('the client tries several tokens in order, and keeps the one that is accepted', async () => {
  const peer = await startPeer(guarded('authorization', 'Bearer three'));
  const agent = await connected(peer.url, { auth: ['one', 'two', 'three'] });
  await agent.send('hi');
  await agent.send('hi');
  expect(shown(peer)).toEqual(['Bearer one', 'Bearer two', 'Bearer three', 'Bearer three']);
});

test('after a 401 the token function is called once more, with refresh: true and the challenge of the response', async () => {
  const asked: unknown[] = [];
  const auth: Auth = ({ refresh, challenge, origin }) => {
    asked.push({ refresh, challenge, origin });
    return refresh ? 'new' : 'old';
  };
  const peer = await startPeer(guarded('authorization', 'Bearer new'));
  const agent = await connected(peer.url, { auth });
  expect((await agent.send('hi')).state).toBe('completed');
  expect(shown(peer)).toEqual(['Bearer old', 'Bearer new']);
  expect(asked).toEqual([
    { refresh: false, origin: peer.url },
    { refresh: true, challenge: 'Bearer realm="peer"', origin: peer.url },
  ]);
});

test('concurrent calls that get 401 share one refresh', async () => {
  let token = 'old';
  let refreshes = 0;
  const auth: AuthStrategy = {
    headers: () => ({ authorization: `Bearer ${token}` }),
    async refresh() {
      refreshes += 1;
      await Promise.resolve();
      token = 'new';
      return true;
    },
  };
  const peer = await startPeer(guarded('authorization', 'Bearer new'));
  const agent = await connected(peer.url, { auth });
  const replies = await Promise.all(Array.from({ length: 5 }, () => agent.send('hi')));
  expect(replies.map(({ state }) => state)).toEqual(Array(5).fill('completed'));
  expect(refreshes).toBe(1);
});

test('a second 401 after a refresh fails the call', async () => {
  const peer = await startPeer(guarded('authorization', 'Bearer never'));
  const agent = await connected(peer.url, { auth: () => 'old' });
  await expect(agent.send('hi')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(peer.got).toHaveLength(2);
});

test('without credentials the first 401 fails the call', async () => {
  const peer = await startPeer(guarded('authorization', 'Bearer right'));
  await expect((await connected(peer.url)).send('hi')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(peer.got).toHaveLength(1);
});

test('an agent at another origin that only the card names gets no credentials and no headers of the caller, unless the origin is allowed', async () => {
  const elsewhere = await startPeer((_got, response) => result(response, { task: task() }));
  const away = `http://other.port.${new URL(elsewhere.url).port}.example.com`;
  const peer = await startPeer(() => {}, { card: (_got, response) => json(response, cardAt(away)) });
  const options = { auth: 'secret', headers: { 'X-Mine': 'private' }, fetch: fetchLocally };
  const agent = await connected(peer.url, options);
  await agent.send('hi', { wait: 'block' });
  expect(agent.warnings).toMatchObject([{ code: 'credentials-withheld' }]);
  const allowed = await connected(peer.url, { ...options, allowOrigins: [away] });
  await allowed.send('hi', { wait: 'block' });
  expect(allowed.warnings).toEqual([]);
  expect(shown(elsewhere)).toEqual([undefined, 'Bearer secret']);
  expect(shown(elsewhere, 'x-mine')).toEqual([undefined, 'private']);
});

/** Resolves names below example.com to this machine, as DNS could. */
function fetchLocally(request: Request): Promise<Response> {
  const url = new URL(request.url);
  const [host, port] = url.hostname.split('.port.');
  if (port === undefined) return fetch(request);
  url.hostname = '127.0.0.1';
  url.port = port.replace('.example.com', '');
  expect(host).toBe('other');
  return fetch(new Request(url, request));
}

test('a redirect to another origin is followed without the credentials', async () => {
  const inner = await startPeer((_got, response) => result(response, { task: task() }));
  const { port } = new URL(inner.url);
  const outer = await startPeer(
    (_got, response) => void response.writeHead(307, { location: `http://other.port.${port}.example.com/x` }).end(),
  );
  const agent = await connected(outer.url, { auth: 'secret', fetch: fetchLocally });
  expect((await agent.send('hi', { wait: 'block' })).state).toBe('completed');
  expect(shown(outer)).toEqual(['Bearer secret']);
  expect(shown(inner)).toEqual([undefined]);
});

test('an agent that is connected by its card gets the credentials passed to connect', async () => {
  const peer = await startPeer(guarded('authorization', 'Bearer right'));
  const { port } = new URL(peer.url);
  const agent = await connected(cardAt(`http://other.port.${port}.example.com`), {
    auth: 'right',
    fetch: fetchLocally,
  });
  expect((await agent.send('hi', { wait: 'block' })).state).toBe('completed');
});

test.each(['', 'two words', 'line\nbreak', 'größe'])(
  'a call with the token %j, which a header cannot contain, fails without a request',
  async (token) => {
    const peer = await startPeer(guarded('authorization', ''));
    const agent = await connect(peer.url, { auth: token, cache: false });
    await expect(agent.send('hi')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(peer.got).toEqual([]);
    await agent.close();
  },
);
