/** How the client finds an agent, and the errors if it does not. */
import { expect, test } from 'vitest';

import { connect, tryDiscover } from '../../../src/client/connect.ts';
import { createHandler } from '../../../src/server/handler.ts';
import { memoryStore } from '../../../src/store/memory/store.ts';
import { silentLog } from '../../../src/observe/log.ts';
import { verifies } from '../../helpers/verifies.ts';
import { scripted } from '../kit/script.ts';
import { startServer } from '../kit/server.ts';
import { connected, skippingClock, unusedAddress } from './kit.ts';
import { fakeClock } from '../../../src/testing/index.ts';
import type { Clock } from '../../../src/support/time/clock.ts';
import { type Responder, cardAt, failure, json, result, startPeer, task } from './peer.ts';

const done: Responder = (_got, response) => result(response, { task: task() });

/** A card of 0.3 with the given address of the agent. */
function cardOf03(url: unknown): Record<string, unknown> {
  return { name: 'Old', description: '', version: '1', protocolVersion: '0.3.0', url, capabilities: {}, skills: [] };
}

const doneOf03: Responder = (_got, response) =>
  result(response, { kind: 'task', id: 't1', contextId: 'c1', status: { state: 'completed' } });

test('connect finds the card at the address of an agent, and at the address of the card', async () => {
  const peer = await startPeer(done);
  expect((await connected(peer.url)).card.name).toBe('Peer');
  expect((await connected(`${peer.url}/.well-known/agent-card.json`)).card.name).toBe('Peer');
  expect((await connected(`${peer.url}/cards/mine.json`)).card.name).toBe('Peer');
  expect((await connected(new URL(peer.url).host)).card.name).toBe('Peer');
  expect(peer.cardsGot.map(({ path }) => path)).toEqual([
    '/.well-known/agent-card.json',
    '/.well-known/agent-card.json',
    '/cards/mine.json',
    '/.well-known/agent-card.json',
  ]);
});

test.each([404, 405, 410, 500])(
  'connect finds the card at the older path if the newer one responds with %i',
  async (missing) => {
    const peer = await startPeer(doneOf03, {
      card: ({ path }, response) =>
        path.endsWith('/agent.json') ? json(response, cardOf03('/rpc')) : void response.writeHead(missing).end(),
    });
    expect((await connected(peer.url)).chosen).toMatchObject({ url: `${peer.url}/rpc`, version: '0.3' });
  },
);

test('connect rejects an HTML page that is served instead of a card', async () => {
  const page: Responder = (_got, response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
  const peer = await startPeer(page, { card: page });
  await expect(connect(peer.url)).rejects.toMatchObject({
    code: 'DISCOVERY_FAILED',
    message: expect.stringContaining('not JSON'),
  });
});

test('a card of 200,000 levels is rejected, and not cached for the next client', async () => {
  let isDeep = true;
  const peer = await startPeer(done, {
    card: (_got, response, { url }) =>
      isDeep
        ? void response
            .writeHead(200, { 'content-type': 'application/json', 'cache-control': 'max-age=300' })
            .end(`{"name":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)
        : json(response, cardAt(url)),
  });
  await expect(connect(peer.url)).rejects.toMatchObject({
    name: 'A2AError',
    code: 'DISCOVERY_FAILED',
    message: expect.stringContaining('levels'),
  });
  expect(await tryDiscover(peer.url)).toBeNull();

  isDeep = false;
  expect((await connected(peer.url)).card.name).toBe('Peer');
});

test('connect to a path of a host uses the card of the host only if it names the path', async () => {
  const peer = await startPeer(done, {
    card: ({ path }, response, { url }) =>
      path === '/.well-known/agent-card.json' ? json(response, cardAt(url)) : void response.writeHead(404).end(),
  });
  expect((await connected(`${peer.url}/rpc`)).chosen.url).toBe(`${peer.url}/rpc`);
  await expect(connect(`${peer.url}/other`)).rejects.toMatchObject({
    code: 'DISCOVERY_FAILED',
    message: expect.stringContaining('returned the card of another agent'),
  });
});

test('connect by a card calls a private address in it only if that is allowed', async () => {
  const peer = await startPeer(done);
  const card = cardAt(peer.url);
  const restricted = await connected(card);
  await expect(restricted.ask('hi')).rejects.toMatchObject({
    code: 'TRANSPORT_FAILED',
    details: { reason: 'address-refused' },
  });
  const allowed = await connected(card, { allowOrigins: [peer.url] });
  expect((await allowed.send('hi')).state).toBe('completed');
  expect(peer.got).toHaveLength(1);
});

test('each client of an agent in this process has tasks of its own, without a socket', async () => {
  const { agent } = scripted();
  const [one, other] = [await connected(agent), await connected(agent)];
  expect(await one.ask('hello')).toBe('hello');
  const question = await one.send('ask');
  expect((await one.task(question.handle ?? '').answer('Rome')).text).toBe('Off to Rome');
  expect((await one.list()).totalSize).toBe(2);
  expect((await other.list()).totalSize).toBe(0);
});

test('a handler in this process is called directly, whatever address its card contains', async () => {
  const { agent } = scripted();
  const handler = createHandler(agent, {
    store: memoryStore(),
    log: silentLog,
    publicUrl: 'https://example.com/far/away',
  });
  const client = await connected(handler);
  expect(await client.ask('hello')).toBe('hello');
  await handler.close();
});

test('connect fails with different errors if nothing listens, if there is no card, and if the card is protected', async () => {
  const url = await unusedAddress();
  await expect(connect(url, { clock: skippingClock })).rejects.toMatchObject({
    code: 'TRANSPORT_FAILED',
    details: { sent: 'no' },
  });
  expect(await tryDiscover(url, { clock: skippingClock })).toBeNull();
  const empty = await startPeer(done, { card: false });
  await expect(connect(empty.url)).rejects.toMatchObject({
    code: 'DISCOVERY_FAILED',
    message: `No agent card was found: ${empty.url}/.well-known/agent-card.json responded with 404; ${empty.url}/.well-known/agent.json responded with 404`,
  });
  expect(await tryDiscover(empty.url)).toBeNull();
  const closed = await startPeer(done, { card: (_got, response) => void response.writeHead(401).end() });
  await expect(tryDiscover(closed.url)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});

test('tryDiscover returns the decoded card and the raw one', async () => {
  const { url } = await startServer();
  expect(await tryDiscover(url)).toMatchObject({
    card: { name: 'Script' },
    version: '1.0',
    url: `${url}/.well-known/agent-card.json`,
    raw: { name: 'Script' },
  });
});

test.each([
  ['an incomplete URL', 'http://'],
  ['a URL with credentials', 'http://me:secret@localhost'],
  ['a broken handle', 'task1_WyJodHRw'],
])('connect rejects %s', async (_case, target) => {
  await expect(connect(target)).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
});

test('connect times out after timeoutMs, and when its signal does', async () => {
  const peer = await startPeer(done, { card: () => {} });
  await expect(connect(peer.url, { timeoutMs: 30, cache: false })).rejects.toMatchObject({ code: 'TIMEOUT' });
  await expect(connect(peer.url, { signal: AbortSignal.timeout(30) })).rejects.toMatchObject({ code: 'TIMEOUT' });
});

// Addresses in cards

test.each([
  ['a path', '/rpc', '/rpc'],
  ['empty', '', '/a2a'],
  ['an unspecified address', 'http://0.0.0.0:1/', '/a2a'],
  ['a private address', 'http://10.1.2.3/', '/a2a'],
  ['an unqualified host name', 'http://redis:6379/', '/a2a'],
  ['a URL with a password', 'https://ann:hunter2@example.com/', '/a2a'],
  ['a URL with the port of another service', 'http://example.com:25/', '/a2a'],
])(
  'the client calls an agent at the origin of its card if the address in the card is %s',
  async (_case, stated, path) => {
    const peer = await startPeer(
      (got, response, it) => (got.path === path ? doneOf03(got, response, it) : void response.writeHead(404).end('no')),
      { card: cardOf03(stated) },
    );
    const agent = await connected(peer.url);
    expect((await agent.send('hi')).state).toBe('completed');
    expect(agent.chosen.url).toBe(peer.url + path);
  },
);

test('the client tries the usual paths after a 404 at the address in the card, and keeps the one that responds', async () => {
  const peer = await startPeer(
    (got, response, it) => (got.path === '/' ? doneOf03(got, response, it) : void response.writeHead(404).end('no')),
    { card: cardOf03('/gone') },
  );
  const agent = await connected(peer.url);
  expect((await agent.send('hi')).state).toBe('completed');
  expect((await agent.send('hi')).state).toBe('completed');
  expect(peer.got.map(({ path }) => path)).toEqual(['/gone', '/a2a', '/', '/']);
  expect(agent.chosen.why).toContain(`no agent responded at ${peer.url}/gone`);
});

test('a call fails if no agent responds at the address in the card or at the usual paths', async () => {
  const peer = await startPeer((_got, response) => void response.writeHead(404).end('no'), { card: cardOf03('/gone') });
  const agent = await connected(peer.url);
  await expect(agent.send('hi')).rejects.toMatchObject({ code: 'DISCOVERY_FAILED' });
  expect(agent.chosen.url).toBe(`${peer.url}/gone`);
});

test('the option url overrides the address in the card', async () => {
  const peer = await startPeer(done);
  const agent = await connected(`${peer.url}/cards/mine.json`, { url: `${peer.url}/here` });
  await agent.send('hi');
  expect(peer.got[0]?.path).toBe('/here');
});

// Redirects

test('connect follows a redirect to the card', async () => {
  const peer = await startPeer(done, {
    card: ({ path }, response, { url }) =>
      path === '/card.json'
        ? json(response, cardAt(url))
        : void response.writeHead(302, { location: '/card.json' }).end(),
  });
  expect((await connected(peer.url)).card.name).toBe('Peer');
});

test('connect follows at most 5 redirects, and none to a private address of another origin', async () => {
  const loop = await startPeer(done, {
    card: ({ path }, response) => void response.writeHead(302, { location: path }).end(),
  });
  await expect(connect(loop.url)).rejects.toMatchObject({
    code: 'TRANSPORT_FAILED',
    message: expect.stringContaining('5 redirects'),
  });
  expect(loop.cardsGot).toHaveLength(6);
  const inner = await startPeer(done);
  const outer = await startPeer(done, {
    card: (_got, response) => void response.writeHead(302, { location: `${inner.url}/x.json` }).end(),
  });
  await expect(connect(outer.url)).rejects.toMatchObject({ details: { reason: 'address-refused' } });
  expect(inner.cardsGot).toEqual([]);
});

test('a message is sent again to the target of a redirect with 308', async () => {
  const peer = await startPeer((got, response, it) =>
    got.path === '/rpc' ? void response.writeHead(308, { location: '/rpc/' }).end() : done(got, response, it),
  );
  const agent = await connected(peer.url);
  expect((await agent.send('hi')).state).toBe('completed');
  expect(peer.got.map(({ path }) => path)).toEqual(['/rpc', '/rpc/']);
});

// The choice of the interface

test(
  verifies(
    ['D-06', 'V-09'],
    'the client chooses the first interface of the card whose binding and version it supports',
  ),
  async () => {
    const peer = await startPeer(done, {
      card: (_got, response, { url }) =>
        json(response, {
          ...cardAt(url),
          supportedInterfaces: [
            { url, protocolBinding: 'GRPC', protocolVersion: '1.0' },
            { url, protocolBinding: 'JSONRPC', protocolVersion: '7.0' },
            { url: `${url}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
            { url: `${url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
          ],
        }),
    });
    const agent = await connected(peer.url);
    expect(agent.chosen).toMatchObject({ binding: 'HTTP+JSON', version: '0.3', url: `${peer.url}/rest` });
    expect(agent.chosen.why).toContain('skipped: GRPC 1.0 (binding), JSONRPC 7.0 (version)');
    expect((await connected(peer.url, { binding: 'JSONRPC' })).chosen.version).toBe('1.0');
    await expect(connect(peer.url, { version: '0.2', cache: false })).rejects.toMatchObject({
      code: 'VERSION_NOT_SUPPORTED',
    });
    await expect(connect(peer.url, { version: '0.3', binding: 'JSONRPC', cache: false })).rejects.toMatchObject({
      code: 'DISCOVERY_FAILED',
    });
  },
);

const twoVersions: Responder = (_got, response, { url }) =>
  json(response, {
    ...cardAt(url),
    capabilities: {},
    supportedInterfaces: ['1.0', '0.3', '0.2'].map((protocolVersion) => ({
      url,
      protocolBinding: 'JSONRPC',
      protocolVersion,
    })),
  });

test(
  verifies('D-08', 'after VERSION_NOT_SUPPORTED the client uses the next interface, also for later calls'),
  async () => {
    const peer = await startPeer(
      ({ headers }, response) =>
        headers['a2a-version'] === '1.0'
          ? failure(response, -32009, 'VERSION_NOT_SUPPORTED')
          : doneOf03({} as never, response, {} as never),
      { card: twoVersions },
    );
    const agent = await connected(peer.url);
    expect((await agent.send('hi')).state).toBe('completed');
    expect((await agent.send('hi')).state).toBe('completed');
    expect(peer.got.map(({ headers }) => headers['a2a-version'])).toEqual(['1.0', '0.3', '0.3']);
    expect(agent.chosen).toMatchObject({ version: '0.3', why: expect.stringContaining('rejected JSONRPC 1.0') });
  },
);

test(
  verifies(
    'V-10',
    'after VERSION_NOT_SUPPORTED the client changes the interface once, and not at all if a version was requested',
  ),
  async () => {
    const peer = await startPeer((_got, response) => failure(response, -32009, 'VERSION_NOT_SUPPORTED'), {
      card: twoVersions,
    });
    await expect((await connected(peer.url)).send('hi')).rejects.toMatchObject({ code: 'VERSION_NOT_SUPPORTED' });
    expect(peer.got).toHaveLength(2);
    await expect((await connected(peer.url, { version: '1.0' })).send('hi')).rejects.toMatchObject({
      code: 'VERSION_NOT_SUPPORTED',
    });
    expect(peer.got).toHaveLength(3);
  },
);

test('the client detects an agent of 0.1 by METHOD_NOT_FOUND if its card could be of 0.1 or 0.2', async () => {
  const card = { name: 'First', url: '/', version: '1', capabilities: {}, skills: [] };
  const peer = await startPeer(
    ({ rpc }, response) => {
      if (rpc?.method === 'tasks/send') result(response, { id: 't1', status: { state: 'completed' } });
      else json(response, { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } });
    },
    { card },
  );
  const agent = await connected(peer.url);
  expect(agent.chosen.version).toBe('0.2');
  expect((await agent.send('hi')).state).toBe('completed');
  expect((await agent.send('hi')).state).toBe('completed');
  expect(agent.chosen.version).toBe('0.1');
  expect(peer.got.map(({ rpc }) => rpc?.method)).toEqual(['message/send', 'tasks/send', 'tasks/send']);
});

test('an agent that has responded in 0.2 is not taken for one of 0.1 after METHOD_NOT_FOUND', async () => {
  const card = { name: 'Second', url: '/', version: '1', capabilities: {}, skills: [] };
  const peer = await startPeer(
    (got, response, it) => {
      if (got.rpc?.method === 'message/send') void doneOf03(got, response, it);
      else json(response, { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } });
    },
    { card },
  );
  const agent = await connected(peer.url);
  expect((await agent.send('hi')).state).toBe('completed');
  await expect(agent.pushConfigs.list('t1')).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
  expect(agent.chosen.version).toBe('0.2');
});

/** A card with several interfaces, in this order. */
function cardWith(...interfaces: readonly (readonly [url: string, protocolBinding: string])[]): Responder {
  const supportedInterfaces = interfaces.map(([url, protocolBinding]) => ({
    url,
    protocolBinding,
    protocolVersion: '1.0',
  }));
  return (_got, response) => json(response, { ...cardAt(''), supportedInterfaces });
}

test('the client uses the next interface of the card if the host of the first cannot be reached', async () => {
  const [gone, elsewhere] = [
    await unusedAddress(),
    await startPeer((_got, response) => json(response, { task: task() })),
  ];
  const peer = await startPeer(done, { card: cardWith([`${gone}/rpc`, 'JSONRPC'], [elsewhere.url, 'HTTP+JSON']) });
  const agent = await connected(peer.url, { allowOrigins: [gone, elsewhere.url] });
  expect((await agent.send('hi', { wait: 'block' })).state).toBe('completed');
  expect(agent.chosen).toMatchObject({ binding: 'HTTP+JSON', url: elsewhere.url });
  expect(agent.chosen.why).toContain(`no agent responded at ${gone}/rpc`);
  const pinned = await connected(peer.url, {
    allowOrigins: [gone],
    binding: 'JSONRPC',
    retries: 0,
    url: `${gone}/rpc`,
  });
  await expect(pinned.send('hi')).rejects.toMatchObject({ code: 'TRANSPORT_FAILED', details: { sent: 'no' } });
  expect(elsewhere.got).toHaveLength(1);
});

test('the client does not search for another address after a 404 where the agent has responded before', async () => {
  let isUp = true;
  const peer = await startPeer((got, response) =>
    isUp ? done(got, response, {} as never) : void response.writeHead(404).end('gone'),
  );
  const agent = await connected(peer.url);
  await agent.send('hi', { wait: 'block' });
  isUp = false;
  const notFound = { code: 'DISCOVERY_FAILED', details: { url: `${peer.url}/rpc` } };
  await expect(agent.send('hi', { wait: 'block' })).rejects.toMatchObject(notFound);
  isUp = true;
  await agent.send('hi', { wait: 'block' });
  expect(peer.got.map(({ path }) => path)).toEqual(['/rpc', '/rpc', '/rpc']);
});

test('the error about an agent that responds at none of its addresses has the address in the card', async () => {
  const peer = await startPeer((_got, response) => void response.writeHead(404).end('nothing'));
  const agent = await connected(peer.url);
  await expect(agent.send('hi')).rejects.toMatchObject({
    code: 'DISCOVERY_FAILED',
    details: { url: `${peer.url}/rpc` },
  });
  expect(peer.got.length).toBeGreaterThan(1);
});

test('a 404 that is not an A2A error is reported as a missing agent, not as a missing task', async () => {
  const peer = await startPeer((_got, response) => json(response, { error: 'Not Found' }, 404), {
    card: (_got, response, { url }) => cardWith([url, 'HTTP+JSON'])(_got, response, { url } as never),
  });
  const agent = await connected(peer.url);
  await expect(agent.get('t1')).rejects.toMatchObject({ code: 'DISCOVERY_FAILED' });
});

test('connect repeats the request for a card that gets 503, until it succeeds or the attempts are used up', async () => {
  const peer = await startPeer(done, {
    card: (_got, response, { url, cardsGot }) =>
      cardsGot.length < 3 ? void response.writeHead(503, { 'retry-after': '0' }).end() : json(response, cardAt(url)),
  });
  expect((await connected(peer.url, { clock: skippingClock })).card.name).toBe('Peer');
  const never = await startPeer(done, { card: (_got, response) => void response.writeHead(503).end() });
  await expect(connect(never.url, { cache: false, clock: skippingClock })).rejects.toMatchObject({
    code: 'DISCOVERY_FAILED',
    message: expect.stringContaining('responded with 503'),
  });
});

test('an agent that responds with 503 and a reason is named with its reason', async () => {
  const card: Responder = (_got, response) => failure(response, -32603, 'The database is down', 503);
  const peer = await startPeer(done, { card });
  const reason = `${peer.url}/.well-known/agent-card.json responded with 503: The database is down`;
  await expect(connect(peer.url, { retries: 0 })).rejects.toMatchObject({
    code: 'DISCOVERY_FAILED',
    message: expect.stringContaining(reason),
  });
});

test.each([
  ['a cached card', {}],
  ['a card that is not cached', { cache: false }],
])('the timeout of a discovery names the response that rejected the last attempt: %s', async (_, options) => {
  const time = fakeClock();
  // Pauses end at once. The deadline passes when the second request arrives.
  const clock: Clock = {
    now: time.now,
    callAt(at, run) {
      if (at - time.now() < 5000) setImmediate(() => time.advanceTo(Math.max(at, time.now())));
      return time.callAt(at, run);
    },
  };
  const peer = await startPeer(done, {
    card(_got, response, { cardsGot }) {
      if (cardsGot.length === 1) response.writeHead(503, { 'retry-after': '0' }).end();
      else time.advance(5000);
    },
  });
  await expect(connect(peer.url, { ...options, clock, timeoutMs: 5000 })).rejects.toMatchObject({
    code: 'TIMEOUT',
    message: `No result within 5 s (timeoutMs: 5000); an attempt failed: ${peer.url}/.well-known/agent-card.json responded with 503`,
  });
});

test('the error for a card that is too large names the option', async () => {
  const peer = await startPeer(() => {}, { card: { description: 'x'.repeat(3000) } });
  await expect(connect(peer.url, { limits: { maxCardBytes: 2000 } })).rejects.toMatchObject({
    code: 'INVALID_AGENT_RESPONSE',
    message: 'The response is larger than 2000 bytes (limits.maxCardBytes)',
  });
});
