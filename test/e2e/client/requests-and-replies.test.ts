/** Headers, traces, interceptors, warnings and handles: the details of requests and of replies. */
import { describe, expect, test } from 'vitest';

import type { Interceptor } from '../../../src/client/request/interceptor.ts';
import { deferred } from '../../../src/support/deferred.ts';
import { IN_PROCESS, type InProcessHandler } from '../../../src/support/net/in-process.ts';
import { PACKAGE_VERSION } from '../../../src/support/package-version.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { verifies } from '../../helpers/verifies.ts';
import { startServer } from '../kit/server.ts';
import { connected, TRANSPORTS } from './kit.ts';
import { cardAt, failure, json, result, startPeer, stream, task } from './peer.ts';

describe.each(TRANSPORTS)('over %s', (_name, options) => {
  test('every request has a User-Agent with the version of the client', async () => {
    const peer = await startPeer((_got, response) => result(response, { task: task() }));
    const agent = await connected(peer.url, { ...options, userAgent: 'travel/2' });
    await agent.send('hi');
    expect(PACKAGE_VERSION).toBe(manifest.version);
    const headers = [...peer.cardsGot, ...peer.got].map(({ headers: all }) => all['user-agent']);
    expect(headers).toEqual(Array(2).fill(`travel/2 tandem-a2a/${manifest.version}`));
  });

  test('the requests of a call share its trace and have their own spans, and the reply has the traceparent', async () => {
    const peer = await startPeer(({ rpc }, response) =>
      result(response, rpc?.method === 'GetTask' ? task() : { task: task('WORKING') }),
    );
    const agent = await connected(peer.url, options);
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const reply = await agent.send('hi', { wait: 'poll', traceparent: `00-${trace}-b7ad6b7169203331-01` });
    const sent = peer.got.map(({ headers }) => String(headers['traceparent']));
    expect(sent).toHaveLength(2);
    expect(new Set(sent).size).toBe(2);
    for (const header of [...sent, reply.traceparent])
      expect(header).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
    const own = await agent.send('hi', { wait: 'poll' });
    expect(own.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(own.traceparent).not.toContain(trace);
  });

  test(
    verifies(
      ['V-01', 'N-01', 'B-06'],
      'a request carries the version, the extensions, the tenant and the options of the call',
    ),
    async () => {
      const interfaces = [{ url: '', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: 'acme' }];
      const peer = await startPeer((_got, response) => result(response, { task: task() }), {
        card: (_got, response, { url }) =>
          json(response, { ...cardAt(url), supportedInterfaces: [{ ...interfaces[0], url }] }),
      });
      const agent = await connected(peer.url, { ...options, extensions: ['urn:one'] });
      await agent.send('hi', {
        wait: 'block',
        extensions: ['urn:two'],
        metadata: { a: 1 },
        acceptedOutputModes: ['text/plain'],
        historyLength: 2,
      });
      const [got] = peer.got;
      expect(got?.headers).toMatchObject({ 'a2a-version': '1.0', 'a2a-extensions': 'urn:one, urn:two' });
      expect(got?.headers['x-a2a-extensions']).toBeUndefined();
      expect(got?.rpc?.params).toMatchObject({
        tenant: 'acme',
        metadata: { a: 1 },
        configuration: { acceptedOutputModes: ['text/plain'], historyLength: 2 },
      });
      expect(got?.rpc?.params).toMatchObject({ message: { messageId: got?.headers['idempotency-key'] } });
    },
  );

  test('interceptors see each request without its credentials, may change it, and see the response', async () => {
    const seen: string[] = [];
    const watch: Interceptor = async (request, next) => {
      expect(JSON.stringify(request)).not.toContain('secret');
      const answer = await next({ ...request, headers: { ...request.headers, 'x-more': 'yes' } });
      seen.push(`${request.operation} ${answer.status} ${answer.header('content-type')}`);
      return answer;
    };
    const peer = await startPeer((_got, response) => result(response, { task: task() }));
    const agent = await connected(peer.url, { ...options, auth: 'secret', interceptors: [watch] });
    await agent.send('hi', { wait: 'block' });
    expect(seen).toEqual(['AgentCard 200 application/json', 'SendMessage 200 application/json']);
    expect(peer.got[0]?.headers).toMatchObject({ 'x-more': 'yes', authorization: 'Bearer secret' });
  });

  test('a reply has the raw payload, and deviations become warnings, or errors in strict mode', async () => {
    const peer = await startPeer((_got, response) => {
      const write = stream(response);
      write({ task: { ...task(), extra: 1 } });
      response.end();
    });
    const warned: string[] = [];
    const agent = await connected(peer.url, { ...options, onWarning: ({ code }) => warned.push(code) });
    expect((await agent.send('hi')).raw).toMatchObject({ task: { extra: 1 } });
    const deviating = await startPeer((_got, response) => json(response, { id: 1, result: { task: task() } }));
    const lenient = await connected(deviating.url, { ...options, onWarning: ({ code }) => warned.push(code) });
    expect((await lenient.send('hi', { wait: 'block' })).state).toBe('completed');
    expect(warned).toEqual(['rpc-version']);
    expect(lenient.warnings).toMatchObject([{ code: 'rpc-version', field: 'jsonrpc' }]);
    const strict = await connected(deviating.url, { ...options, strict: true });
    await expect(strict.send('hi', { wait: 'block' })).rejects.toMatchObject({ code: 'INVALID_AGENT_RESPONSE' });
  });

  test('JSON with another content type is accepted with a warning, and rejected in strict mode', async () => {
    const peer = await startPeer((_got, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { task: task() } }));
    });
    const lenient = await connected(peer.url, options);
    expect((await lenient.send('hi', { wait: 'block' })).state).toBe('completed');
    expect(lenient.warnings).toMatchObject([{ code: 'content-type' }]);
    const strict = await connected(peer.url, { ...options, strict: true });
    await expect(strict.send('hi', { wait: 'block' })).rejects.toMatchObject({ code: 'INVALID_AGENT_RESPONSE' });
  });

  test(verifies('X-04', 'the extended card replaces the public one'), async () => {
    const peer = await startPeer(({ rpc }, response, { url }) =>
      rpc?.method === 'GetExtendedAgentCard'
        ? result(response, { ...cardAt(url), name: 'Extended' })
        : failure(response, -32601, 'METHOD_NOT_FOUND'),
    );
    const agent = await connected(peer.url, options);
    expect(agent.card.name).toBe('Peer');
    expect((await agent.extendedCard()).name).toBe('Extended');
    expect(agent.card.name).toBe('Extended');
  });

  test('the extended card of A2A 0.2 is fetched from its own path', async () => {
    const card = {
      name: 'Old',
      description: '',
      version: '1',
      url: '/a2a/v1',
      protocolVersion: '0.2.5',
      capabilities: {},
      skills: [],
      supportsAuthenticatedExtendedCard: true,
    };
    const peer = await startPeer(
      (got, response) => {
        expect(got).toMatchObject({ method: 'GET', path: '/a2a/agent/authenticatedExtendedCard' });
        json(response, { ...card, name: 'Extended' });
      },
      { card },
    );
    const agent = await connected(peer.url, options);
    expect((await agent.extendedCard()).name).toBe('Extended');
  });

  test('download returns the bytes of a part, and fetches a part that is a public URL', async () => {
    const peer = await startPeer(({ path }, response) =>
      path === '/file' ? void response.end('from afar') : void response.writeHead(404).end(),
    );
    const agent = await connected(peer.url, { ...options, auth: 'secret', limits: { maxFileBytes: 9 } });
    const text = async (part: Parameters<typeof agent.download>[0]): Promise<string> =>
      new TextDecoder().decode(await agent.download(part));
    expect(await text({ text: 'here' })).toBe('here');
    expect(await text({ data: { a: 1 } })).toBe('{"a":1}');
    expect(await text({ raw: 'aGk=' })).toBe('hi');
    expect(await text({ url: `${peer.url}/file` })).toBe('from afar');
    expect(peer.got[0]?.headers['authorization']).toBe('Bearer secret');
    await expect(text({ url: `${peer.url}/gone` })).rejects.toMatchObject({ code: 'TRANSPORT_FAILED' });
    await expect(text({ url: 'http://169.254.169.254/latest' })).rejects.toMatchObject({
      details: { reason: 'address-refused' },
    });
    for (const url of ['file:///etc/passwd', 'http://redis:6379/', 'http://a:b@example.com/', 'http://example.com:25/'])
      await expect(text({ url })).rejects.toMatchObject({ details: { reason: 'address-refused' } });
    const small = await connected(peer.url, { ...options, limits: { maxFileBytes: 8 } });
    await expect(small.download({ url: `${peer.url}/file` })).rejects.toMatchObject({
      code: 'INVALID_AGENT_RESPONSE',
      message: 'The response is larger than 8 bytes (limits.maxFileBytes)',
    });
  });

  test('the client reuses connections', async () => {
    const ports = new Set<number | undefined>();
    const peer = await startPeer((_got, response) => {
      ports.add(response.socket?.remotePort);
      const write = stream(response);
      write({ task: task() });
      response.end();
    });
    const agent = await connected(peer.url, options);
    for (let i = 0; i < 5; i++) await agent.send('hi');
    expect(ports.size).toBeLessThan(5);
  });
});

test('the client rejects a message without content', async () => {
  const { url } = await startServer();
  const agent = await connected(url);
  await expect(async () => agent.send({})).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
});

test('a client rejects the handle of a task at another agent', async () => {
  const [one, other] = [await startServer(), await startServer()];
  const { handle } = await (await connected(one.url)).send('hello');
  const agent = await connected(other.url);
  expect(() => agent.task(handle ?? '')).toThrow('The handle is for a task at');
});

test.each([
  ['path', (url: string) => ({ url: `${url}/other` })],
  ['tenant', (url: string) => ({ url: `${url}/rpc`, tenant: 'acme' })],
  ['binding', (url: string) => ({ url: `${url}/rpc`, protocolBinding: 'HTTP+JSON' })],
])('a client rejects a handle with another %s, and the error recommends connect(handle)', async (_what, other) => {
  const peer = await startPeer((_got, response) => result(response, { task: task() }));
  const card = cardAt(peer.url);
  const [entry] = card.supportedInterfaces;
  const agent = await connected(peer.url);
  const { handle = '' } = await agent.send('hi', { wait: 'block' });
  expect(agent.task(handle).id).toBe('t1');
  const there = await connected(
    { ...card, supportedInterfaces: [{ ...entry, ...other(peer.url) }] } as unknown as typeof card,
    { allowOrigins: [peer.url] },
  );
  expect(() => there.task(handle)).toThrow(/^The handle is for a task at .*connect\(handle\)/);
});

test('a client that was connected by a handle reaches the task, also at another address', async () => {
  const peer = await startPeer((_got, response) => result(response, task()));
  const { handle } = (await connected(peer.url)).task('t1');
  const moved = await connected(handle, { url: `${peer.url}/moved` });
  expect((await moved.task(handle).get()).id).toBe('t1');
  expect(peer.got[0]?.path).toBe('/moved');
});

test('a handle does not contain the query of the address, and connecting by it requires the url', async () => {
  const peer = await startPeer((_got, response) => result(response, task()));
  const address = `${peer.url}/rpc?code=secret`;
  const agent = await connected(peer.url, { url: address });
  const { handle } = agent.task('t1');
  expect(Buffer.from(handle.replace('task1_', ''), 'base64url').toString()).not.toContain('secret');
  expect((await agent.task(handle).get()).id).toBe('t1');
  await expect(connected(handle)).rejects.toMatchObject({
    code: 'INVALID_PARAMS',
    message: expect.stringContaining('connect(handle, { url })'),
  });
  const later = await connected(handle, { url: address });
  expect((await later.task(handle).get()).id).toBe('t1');
  expect(peer.got.map(({ path }) => path)).toEqual(Array(2).fill('/rpc?code=secret'));
});

test('a client keeps at most 100 warnings, however often an agent deviates', async () => {
  const peer = await startPeer((_got, response) => json(response, { id: 1, result: task() }));
  let warned = 0;
  const agent = await connected(peer.url, { onWarning: () => void warned++ });
  for (let calls = 0; calls < 150; calls++) await agent.get('t1');
  expect(warned).toBe(150);
  expect(agent.warnings).toHaveLength(100);
});

test('connect to an agent in this process times out if the agent does not open, and closes it when it does', async () => {
  const opening = deferred<InProcessHandler>();
  const closed = deferred<void>();
  const agent = { [IN_PROCESS]: () => opening.promise };
  await expect(connected(agent, { timeoutMs: 20 })).rejects.toMatchObject({ code: 'TIMEOUT' });
  opening.resolve({
    fetch: async () => new Response(),
    close: async () => closed.resolve(),
  });
  await closed.promise;
});

test('ask sends a message of several parts', async () => {
  const { url } = await startServer();
  const agent = await connected(url);
  expect(await agent.ask({ text: 'hello', parts: [{ data: { a: 1 } }] })).toBe('hello\n{"a":1}');
});

test(verifies('D-07', 'a request carries the tenant of the interface in the card, or none'), async () => {
  for (const more of [{ tenant: 'acme' }, {}]) {
    const peer = await startPeer((_got, response) => result(response, { task: task() }), {
      card: (_got, response, { url }) =>
        json(response, {
          ...cardAt(url),
          supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', ...more }],
        }),
    });
    await (await connected(peer.url)).send('hi');
    expect(peer.got[0]?.rpc?.params['tenant']).toBe(more.tenant);
  }
});

test(
  verifies(
    ['C-04', 'C-05', 'C-10', 'C-13'],
    'the client sends context and task ids of the agent unchanged, and creates none',
  ),
  async () => {
    const contextId = ' c/ü?%20 ';
    const peer = await startPeer((_got, response) => result(response, { task: task('COMPLETED', { contextId }) }));
    const agent = await connected(peer.url);
    const first = await agent.send('hi');
    await agent.send({ text: 'more', referenceTaskIds: [first.task?.id ?? ''] }, { contextId: first.contextId ?? '' });
    const messages = peer.got.map(({ rpc }) => rpc?.params['message']);
    expect(messages[0]).not.toHaveProperty('contextId');
    expect(messages[0]).not.toHaveProperty('taskId');
    expect(messages[1]).toMatchObject({ contextId, referenceTaskIds: ['t1'] });
    expect(messages[1]).not.toHaveProperty('taskId');
  },
);

test(
  verifies(['B-09', 'B-10'], 'over REST, parameters of reads are sent in the path and the query, messages in the body'),
  async () => {
    const peer = await startPeer(
      ({ method, path }, response) =>
        method === 'POST'
          ? json(response, { task: task() })
          : json(response, path.startsWith('/rest/tasks?') ? { tasks: [] } : task()),
      {
        card: (_got, response, { url }) =>
          json(response, {
            ...cardAt(url),
            capabilities: {},
            supportedInterfaces: [{ url: `${url}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' }],
          }),
      },
    );
    const agent = await connected(peer.url);
    await agent.send('hi', { metadata: { deep: { er: 1 } } });
    await agent.get('a/b c', { historyLength: 0 });
    await agent.list({ contextId: 'a&b', status: 'TASK_STATE_WORKING', pageSize: 2, includeArtifacts: true });
    expect(peer.got.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /rest/message:send',
      'GET /rest/tasks/a%2Fb%20c?historyLength=0',
      'GET /rest/tasks?contextId=a%26b&status=TASK_STATE_WORKING&pageSize=2&includeArtifacts=true',
    ]);
    expect(JSON.parse(peer.got[0]?.body ?? '')).toMatchObject({ metadata: { deep: { er: 1 } } });
    expect(peer.got.slice(1).map(({ body }) => body)).toEqual(['', '']);
  },
);
