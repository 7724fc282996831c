import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test, vi } from 'vitest';

import { connect } from '../../../src/index.ts';
import type { AgentClient } from '../../../src/client/client.ts';
import type { ConnectOptions } from '../../../src/client/options.ts';
import { type Responder, cardAt, chunk, json, result, startPeer, status, stream as eventsOn, task } from './peer.ts';

/** Peers that violate the protocol, and interceptors or handlers that fail: the client must not misread any of them. */

async function connected(url: string, options: ConnectOptions = {}): Promise<AgentClient> {
  const client = await connect(url, { cache: false, ...options });
  onTestFinished(() => client.close());
  return client;
}

const SHORT = { timeoutMs: 300 };
const JSON_TYPE = { 'content-type': 'application/json' };

test('a call whose response is 101 Switching Protocols fails', async () => {
  const peer = await startPeer((_got, response) => {
    response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
  });
  const client = await connected(peer.url);

  await expect(client.get('t1', SHORT)).rejects.toMatchObject({ name: 'A2AError' });
});

test('a call with an interceptor that never resolves times out', async () => {
  const peer = await startPeer((_got, response) => result(response, task('COMPLETED')));
  const client = await connected(peer.url, {
    interceptors: [(request, next) => (request.operation === 'GetTask' ? new Promise(() => {}) : next(request))],
  });

  await expect(client.get('t1', SHORT)).rejects.toMatchObject({ code: 'TIMEOUT' });
});

test('a call whose response breaks off while an interceptor runs fails at once', async () => {
  const peer = await startPeer((_got, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"js', () => response.destroy());
  });
  let last: IncomingMessage | undefined;
  const onResponse = (message: unknown): void => void ({ response: last } = message as { response: IncomingMessage });
  subscribe('http.client.response.finish', onResponse);
  onTestFinished(() => void unsubscribe('http.client.response.finish', onResponse));
  const client = await connected(peer.url, {
    retries: 0,
    interceptors: [
      async (request, next) => {
        const response = await next(request);
        if (request.operation === 'GetTask') await vi.waitFor(() => expect(last?.closed).toBe(true), 20_000);
        return response;
      },
    ],
  });

  await expect(client.get('t1', { timeoutMs: 5000 })).rejects.toMatchObject({ code: 'TRANSPORT_FAILED' });
});

test.each(['payment refused by the bank', 'dns error in my own code'])(
  'a message to an agent in this process that throws %j is not sent again',
  async (message) => {
    const sent: string[] = [];
    const fetch = async (request: Request): Promise<Response> => {
      if (request.method === 'GET')
        return Response.json({ ...cardAt('http://agent.example'), capabilities: { streaming: false } });
      sent.push(request.url);
      throw new Error(message);
    };
    const client = await connect({ fetch });
    onTestFinished(() => client.close());

    await expect(client.send('pay 5')).rejects.toMatchObject({ details: { sent: 'maybe' } });
    expect(sent).toHaveLength(1);
  },
);

test('a 404 about a resource of the agent does not make the client search for another address', async () => {
  const peer = await startPeer((_got, response) => json(response, { detail: 'Customer 17 not found' }, 404), {
    card: { capabilities: { streaming: false } },
  });
  const client = await connected(peer.url);

  await expect(client.send('charge customer 17')).rejects.toMatchObject({ code: 'INVALID_AGENT_RESPONSE' });
  expect(peer.got).toHaveLength(1);
});

const withText = (text: string) => ({ artifacts: [{ artifactId: 'a', parts: [{ text }] }] });

test.each([
  ['restart with each connection', (n: number) => n],
  ['are timestamps', (n: number, connection: number) => 1_700_000_000_000 + connection * 1000 + n * 7],
])('a stream whose event numbers %s is resumed without losing text', async (_, numberOf) => {
  let connections = 0;
  const peer = await startPeer((got, response) => {
    const connection = ++connections;
    let n = 0;
    const send = eventsOn(response);
    const next = (value: unknown): void => send(value, numberOf(++n, connection));
    if (got.rpc?.method === 'SendStreamingMessage') {
      next({ task: task('WORKING') });
      next(chunk('1 ', false));
      for (const part of ['2 ', '3 ']) next(chunk(part));
      response.write(': cut', () => response.destroy());
    } else if (got.rpc?.method === 'SubscribeToTask') {
      next({ task: task('WORKING', withText('1 2 3 4 ')) });
      for (const part of ['5 ', '6 ', '7']) next(chunk(part));
      next(status('COMPLETED'));
      response.end();
    }
  });
  const client = await connected(peer.url);

  expect(await client.ask('count')).toBe('1 2 3 4 5 6 7');
});

test('a resumed stream whose event numbers have gaps is completed from the task', async () => {
  const peer = await startPeer((got, response) => {
    if (got.rpc?.method === 'GetTask') return result(response, task('COMPLETED', withText('one two three')));
    const send = eventsOn(response);
    if (got.rpc?.method === 'SendStreamingMessage') {
      send({ task: task('WORKING') }, 100);
      send(chunk('one ', false), 105);
      response.write(': cut', () => response.destroy());
    } else if (got.headers['last-event-id'] === undefined) {
      send({ task: task('COMPLETED', withText('one two three')) });
      response.end();
    } else {
      send(chunk('three'), 190);
      send(status('COMPLETED'), 200);
      response.end();
    }
  });
  const client = await connected(peer.url);

  expect(await client.ask('count')).toBe('one two three');
});

test('a download that times out half-way throws, and returns no partial file', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\n\r\nhalf of it'),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = await connect(cardAt(url), { allowOrigins: [url] });
  onTestFinished(() => client.close());

  await expect(client.download({ url: `${url}/file` }, SHORT)).rejects.toMatchObject({ code: 'TIMEOUT' });
});

test('headers that interceptors add are not sent to the target of a redirect to another origin', async () => {
  const seen: Headers[] = [];
  const peer = await startPeer((_got, response) => {
    response.writeHead(307, { location: 'http://other.example/rpc' }).end();
  });
  const client = await connected(peer.url, {
    fetch: async (request) => {
      if (!request.url.startsWith('http://other.example')) return globalThis.fetch(request);
      seen.push(request.headers);
      return Response.json({ jsonrpc: '2.0', id: 1, result: task('COMPLETED') });
    },
    interceptors: [(request, next) => next({ ...request, headers: { ...request.headers, 'x-tenant-key': 'secret' } })],
  });

  await client.get('t1');

  expect(seen.map((headers) => [headers.get('x-tenant-key'), headers.get('a2a-version')])).toEqual([[null, '1.0']]);
});

test('closing a client ends its streams and sends nothing more', async () => {
  const peer = await startPeer((_got, response) => eventsOn(response)({ task: task('WORKING') }, 1));
  const client = await connected(peer.url);
  const stream = client.stream('go');
  const states: string[] = [];
  const reading = (async () => {
    for await (const event of stream) states.push(event.type);
  })();
  await vi.waitFor(() => expect(states).toHaveLength(1), 20_000);

  await client.close();

  await expect(reading).rejects.toMatchObject({
    code: 'TRANSPORT_FAILED',
    message: expect.stringContaining('This client was closed while the call was in flight'),
  });
  expect(peer.got).toHaveLength(1);
});

test('a client that changes its card does not change the cached card', async () => {
  const peer = await startPeer((_got, response) => result(response, task('COMPLETED')));
  const [first, second] = [await connect(peer.url), await connect(peer.url)];
  for (const client of [first, second]) onTestFinished(() => client.close());

  Object.assign(first.card.supportedInterfaces[0] ?? {}, { url: 'http://elsewhere.example' });
  const third = await connect(peer.url);
  onTestFinished(() => third.close());

  expect(third.card.supportedInterfaces[0]?.url).toBe(`${peer.url}/rpc`);
  expect(peer.cardsGot).toHaveLength(1);
});

test('a message id that does not fit into a header is sent without an Idempotency-Key', async () => {
  const peer = await startPeer((_got, response) => result(response, { task: task('COMPLETED') }), {
    card: { capabilities: { streaming: false } },
  });
  const client = await connected(peer.url);

  await client.send({ messageId: 'Frage→1', parts: [{ text: 'hi' }] });

  expect(peer.got[0]?.headers['idempotency-key']).toBeUndefined();
});

test('maxAnswerBytes limits the sum of the chunks of a stream', async () => {
  const peer = await startPeer((_got, response) => {
    const send = eventsOn(response);
    send({ task: task('WORKING') }, 1);
    for (let n = 2; n < 40; n++) send(chunk('x'.repeat(1000), n > 2), n);
  });
  const client = await connected(peer.url, { limits: { maxAnswerBytes: 10_000 } });

  await expect(client.ask('long')).rejects.toMatchObject({
    code: 'INVALID_AGENT_RESPONSE',
    details: { handle: expect.stringMatching(/^task1_/) as string },
  });
});

test('connect rejects a card that nests too deeply, also the second time', async () => {
  const deep = `{"name":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
  const peer = await startPeer((_got, response) => result(response, { task: task() }), {
    card: (_got, response) => void response.writeHead(200, JSON_TYPE).end(deep),
  });
  for (const _ of ['first', 'second']) {
    await expect(connect(peer.url)).rejects.toMatchObject({
      code: 'DISCOVERY_FAILED',
      message: expect.stringContaining('The JSON nests deeper than 80 levels') as string,
    });
  }
});

test.each([
  [
    'a response',
    (text: string): Responder =>
      (_got, response) =>
        void response.writeHead(200, JSON_TYPE).end(text),
  ],
  [
    'an event',
    (text: string): Responder =>
      (_got, response) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${text}\n\n`),
  ],
])('%s that nests too deeply is rejected before it is parsed', async (_what, answering) => {
  const peer = await startPeer(answering(`{"jsonrpc":"2.0","id":1,"result":${'['.repeat(100_000)}`));
  const client = await connected(peer.url);
  await expect(client.send('hi')).rejects.toMatchObject({
    code: 'INVALID_AGENT_RESPONSE',
    message: 'The JSON nests deeper than 80 levels',
  });
});
