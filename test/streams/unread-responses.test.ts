/** Clients that do not read their responses: how much is buffered, for how long, and the effect on other callers. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { agent } from '../../src/agent/agent.ts';
import { bearerTokens } from '../../src/host/auth/bearer-tokens.ts';
import type { HandlerOptions } from '../../src/server/options/handler-options.ts';
import { eventually } from './eventually.ts';
import { type InspectableServer, startInspectable } from './inspectable-server.ts';
import { RawSocket, rawRequest } from './raw-socket.ts';
import { requestOf, REST_1, RPC_1, userMessage, type WireRequest } from './wire-formats.ts';

const MEBIBYTE = 2 ** 20;
/** More than the operating system buffers of a response that is not read. */
const LARGE = 7 * MEBIBYTE;

const AUTH = { auth: bearerTokens({ alice: 'token-of-alice', bob: 'token-of-bob' }) };

let runs = 0;
const filler = agent({
  name: 'Filler',
  description: 'Responds with the requested number of characters.',
  run: ({ text }) => {
    runs += 1;
    return 'x'.repeat(Number(text));
  },
});

function startServer(options: HandlerOptions = {}, stallMs?: number): Promise<InspectableServer> {
  return startInspectable(filler, { ...AUTH, ...options }, stallMs);
}

function as(caller: string, request: WireRequest): WireRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer token-of-${caller}` } };
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function call(port: number, { method, path, headers, body }: WireRequest): Promise<Reply> {
  const init = { method, headers, ...(body !== undefined && { body }) };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function sendOf(size: number, messageId?: string): WireRequest {
  const { message } = userMessage(String(size));
  const params = { message: messageId === undefined ? message : { ...message, messageId } };
  return requestOf(REST_1, 'SendMessage', params);
}

/** Creates a task without a connection, because a slow connection would affect the test. */
async function createTask({ handler }: InspectableServer, caller: string, size: number): Promise<string> {
  const { method, path, headers, body = '' } = as(caller, sendOf(size));
  const response = await handler.fetch(new Request(`http://localhost${path}`, { method, headers, body }));
  return ((await response.json()) as { task: { id: string } }).task.id;
}

/** Sends a request and reads no byte of its response. */
function sendUnread(port: number, request: WireRequest): RawSocket {
  const client = new RawSocket(port);
  client.socket.pause();
  return client.write(rawRequest(request));
}

/** Waits until the total of unread response bytes meets a condition. */
async function untilHeld({ handler }: InspectableServer, condition: (total: number) => boolean): Promise<void> {
  await eventually(() => condition(handler.edge.inFlight.responses.total));
}

test('the server closes the connection of a client that does not read a large response, and frees its memory', async () => {
  const server = await startServer({}, 100);
  const id = await createTask(server, 'alice', LARGE);
  await eventually(() => server.responses.size === 0);
  const client = sendUnread(server.port, as('alice', requestOf(REST_1, 'GetTask', { id })));

  await untilHeld(server, (total) => total >= LARGE);
  await untilHeld(server, (total) => total === 0);
  await eventually(() => server.responses.size === 0);

  client.socket.resume();
  await client.closed;
  expect(client.text.length).toBeLessThan(LARGE);
});

test('the server closes the connection of a client that does not read small responses', async () => {
  const server = await startServer({}, 100);
  const card = rawRequest({ method: 'GET', path: '/.well-known/agent-card.json', headers: {}, body: undefined });
  const client = sendUnread(server.port, { method: 'GET', path: '/healthz', headers: {}, body: undefined });

  // As many as it takes to fill the connection in both directions.
  const pump = (): void => {
    while (!client.socket.destroyed && client.socket.write(card.repeat(100)));
  };
  client.socket.on('drain', pump);
  pump();

  await eventually(() => server.responses.size > 0);
  await eventually(() => server.responses.size === 0);
  client.socket.destroy();
});

test('a caller with too many unread bytes gets 429 until it reads them, and other callers are served', async () => {
  const server = await startServer({ limits: { responseBytesPerCaller: 16 * MEBIBYTE } });
  const id = await createTask(server, 'alice', LARGE);
  const get = requestOf(REST_1, 'GetTask', { id });
  const clients = Array.from({ length: 2 }, () => sendUnread(server.port, as('alice', get)));
  await untilHeld(server, (total) => total >= 2 * LARGE);

  // Two fit; a third would not.
  const third = await call(server.port, as('alice', get));
  expect([third.status, third.headers.get('retry-after')]).toEqual([429, '2']);
  expect(JSON.parse(third.text)).toMatchObject({
    error: { details: [{ metadata: { limit: 'responseBytesPerCaller' } }, {}] },
  });
  expect((await call(server.port, as('bob', sendOf(LARGE)))).status).toBe(200);
  expect((await call(server.port, as('alice', sendOf(10)))).status).toBe(200);

  for (const { socket } of clients) socket.resume();
  await untilHeld(server, (total) => total === 0);
  expect((await call(server.port, as('alice', get))).status).toBe(200);
});

test('a message of a caller over the limit for unread bytes gets 429 and does not run', async () => {
  const server = await startServer({ limits: { responseBytesPerCaller: 1 } });
  const id = await createTask(server, 'alice', LARGE);
  sendUnread(server.port, as('alice', requestOf(REST_1, 'GetTask', { id })));
  await untilHeld(server, (total) => total >= LARGE);
  const before = runs;

  const rejected = await call(server.port, as('alice', sendOf(1)));

  expect([rejected.status, rejected.headers.get('retry-after'), runs]).toEqual([429, '2', before]);
});

test('a message whose result exceeds the limit for unread bytes gets 429 that reports its task, and a repeat gets the result', async () => {
  const server = await startServer({ limits: { responseBytesPerCaller: 8 * MEBIBYTE } });
  const id = await createTask(server, 'alice', LARGE);
  const client = sendUnread(server.port, as('alice', requestOf(REST_1, 'GetTask', { id })));
  await untilHeld(server, (total) => total >= LARGE);
  const before = runs;

  const rejected = await call(server.port, as('alice', sendOf(2 * MEBIBYTE, 'the-message')));
  const { message, details } = (
    JSON.parse(rejected.text) as { error: { message: string; details: { metadata?: Record<string, string> }[] } }
  ).error;
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '2']);
  expect(details[0]?.metadata).toMatchObject({ accepted: 'true', limit: 'responseBytesPerCaller' });
  const taskId = details[0]?.metadata?.['taskId'] ?? '';
  expect(message).toMatch(
    /The message was accepted and processed; get task \S+, or repeat the request with the same messageId, which does not run it again$/,
  );

  client.socket.destroy();
  await untilHeld(server, (total) => total === 0);
  const repeated = await call(server.port, as('alice', sendOf(2 * MEBIBYTE, 'the-message')));
  expect([repeated.status, runs]).toEqual([200, before + 1]);
  expect(JSON.parse(repeated.text)).toMatchObject({ task: { id: taskId, status: { state: 'TASK_STATE_COMPLETED' } } });
});

test('an anonymous caller over the limit for unread bytes is asked to repeat a message only if it has an Idempotency-Key', async () => {
  const server = await startInspectable(filler, { limits: { responseBytesPerCaller: 8 * MEBIBYTE } });
  const { text } = await call(server.port, sendOf(LARGE));
  const { id } = (JSON.parse(text) as { task: { id: string } }).task;
  sendUnread(server.port, requestOf(REST_1, 'GetTask', { id }));
  await untilHeld(server, (total) => total >= LARGE);

  const rejected = await call(server.port, sendOf(2 * MEBIBYTE));
  const keyed = sendOf(2 * MEBIBYTE);
  const withKey = await call(server.port, { ...keyed, headers: { ...keyed.headers, 'idempotency-key': 'k' } });

  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, null]);
  expect(rejected.text).toMatch(/The message was accepted and processed; get task [\w-]+"/);
  expect([withKey.status, withKey.headers.get('retry-after')]).toEqual([429, '2']);
  expect(withKey.text).toContain('repeat the request with the same Idempotency-Key');
});

test('a process over its limit for unread bytes responds to large results with 503 and to small ones with 200', async () => {
  const limits = { responseBytesPerProcess: 8 * MEBIBYTE };
  const server = await startServer({ limits });
  const id = await createTask(server, 'alice', LARGE);
  const bobs = await createTask(server, 'bob', 2 * MEBIBYTE);
  sendUnread(server.port, as('alice', requestOf(RPC_1, 'GetTask', { id })));
  await untilHeld(server, (total) => total >= LARGE);

  const large = await call(server.port, as('bob', requestOf(RPC_1, 'GetTask', { id: bobs })));
  const small = await call(server.port, as('bob', requestOf(RPC_1, 'SendMessage', userMessage('10'))));

  expect([large.status, large.headers.get('retry-after')]).toEqual([503, '2']);
  expect(large.text).toContain('The server cannot buffer more responses at the moment: retry later');
  expect([small.status, small.text.includes('TASK_STATE_COMPLETED')]).toEqual([200, true]);
});

test('a stream whose next event would exceed the limit for unread bytes is closed, and can resume by number', async () => {
  const server = await startServer({ limits: { responseBytesPerCaller: 8 * MEBIBYTE } });
  const id = await createTask(server, 'alice', LARGE);
  const subscribe = as('alice', requestOf(REST_1, 'SubscribeToTask', { id }, 0));
  const first = sendUnread(server.port, subscribe);
  await untilHeld(server, (total) => total >= LARGE);

  const second = new RawSocket(server.port).write(rawRequest(subscribe));
  await second.closed;
  expect(second.text).not.toContain('TASK_STATE_COMPLETED');

  first.socket.destroy();
  await untilHeld(server, (total) => total === 0);
  const resumed = await call(server.port, subscribe);
  expect(resumed.text).toContain('TASK_STATE_COMPLETED');
});

test('concurrent requests for one large result get 200 until the limit for unread bytes is reached, and then 429', async () => {
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const slow = agent({
    name: 'Slow',
    description: 'Responds to all messages at the same time.',
    async *run({ inbox }) {
      yield { status: 'working', text: 'Waiting' };
      for await (const { text } of inbox) if (text === 'end') break;
      await gate;
      yield 'x'.repeat(LARGE);
    },
  });
  const server = await startInspectable(slow, { ...AUTH, limits: { responseBytesPerCaller: 16 * MEBIBYTE } });
  const begun = await call(
    server.port,
    as(
      'alice',
      requestOf(REST_1, 'SendMessage', { ...userMessage('begin'), configuration: { returnImmediately: true } }),
    ),
  );
  const { id } = (JSON.parse(begun.text) as { task: { id: string } }).task;
  const stringify = vi.spyOn(JSON, 'stringify');
  onTestFinished(() => stringify.mockRestore());
  const waiting = ['one', 'two', 'three', 'four', 'five', 'end'].map((text) =>
    call(server.port, as('alice', requestOf(REST_1, 'SendMessage', userMessage(text, id)))),
  );
  await eventually(() => server.responses.size === waiting.length);
  release();

  const replies = await Promise.all(waiting);

  const statuses = replies.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  // A result over the limit is not serialized.
  const written = stringify.mock.results.filter(({ value }) => typeof value === 'string' && value.length > LARGE);
  expect(written.length).toBeLessThan(waiting.length);
});

test('over fetch, a large response counts until it is read or canceled', async () => {
  const server = await startServer({ limits: { responseBytesPerCaller: 8 * MEBIBYTE } });
  const id = await createTask(server, 'alice', LARGE);
  await untilHeld(server, (total) => total === 0);
  const { path, headers } = as('alice', requestOf(REST_1, 'GetTask', { id }));
  const get = (): Promise<Response> => server.handler.fetch(new Request(`http://localhost${path}`, { headers }));

  const first = await get();
  expect((await get()).status).toBe(429);
  expect((await first.text()).length).toBe(Number(first.headers.get('content-length')));
  const second = await get();
  expect(second.status).toBe(200);
  await second.body?.cancel();
  const third = await get();
  expect(third.status).toBe(200);
  await third.body?.cancel();

  expect(server.handler.edge.inFlight.responses.total).toBe(0);
});

test('over fetch, a response that is not read for 30 s is released, and reading it fails', async () => {
  const server = await startServer();
  const id = await createTask(server, 'alice', LARGE);
  await untilHeld(server, (total) => total === 0);
  const { path, headers } = as('alice', requestOf(REST_1, 'GetTask', { id }));
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const response = await server.handler.fetch(new Request(`http://localhost${path}`, { headers }));
  const subscriber = response.body?.getReader();
  await subscriber?.read();

  await vi.advanceTimersByTimeAsync(29_999);
  expect(server.handler.edge.inFlight.responses.total).toBeGreaterThan(LARGE);
  await vi.advanceTimersByTimeAsync(1);

  expect(server.handler.edge.inFlight.responses.total).toBe(0);
  await expect(subscriber?.read()).rejects.toThrow('The response was not read for 30 s');
});

/** Responds with numbers, whose size is overestimated: they are shorter than 64 KiB as JSON. */
const counter = agent({
  name: 'Counter',
  description: 'Responds with 20,000 digits, as numbers.',
  async run({ artifact }) {
    const digits = Array.from({ length: 10_000 }, () => 1);
    await artifact('digits').append({ data: { first: digits, second: digits } });
  },
});

/** A caller with an unread response and a task of numbers: results for this caller are estimated before they are written. */
async function startWithUnreadResponse() {
  const server = await startInspectable(counter, AUTH);
  const id = await createTask(server, 'alice', 0);
  const { responses } = server.handler.edge.inFlight;
  const unreadResponse = responses.open({ caller: { id: 'alice', isVerified: true } });
  unreadResponse.take(1);
  onTestFinished(() => unreadResponse.release());
  const before = responses.total;
  return { server, added: () => responses.total - before, get: as('alice', requestOf(REST_1, 'GetTask', { id })) };
}

test('over fetch, a response that is smaller than its estimate does not count as unread once it is returned', async () => {
  const { server, added, get } = await startWithUnreadResponse();

  const request = new Request(`http://localhost${get.path}`, { headers: get.headers });
  const response = await server.handler.fetch(request);

  expect((await response.text()).length).toBeLessThan(64 * 2 ** 10);
  expect(added()).toBe(0);
});

test('over Node, a response that is smaller than its estimate does not count as unread once it is sent', async () => {
  const { server, added, get } = await startWithUnreadResponse();

  const { status, text } = await call(server.port, get);

  expect([status, text.length < 64 * 2 ** 10, added()]).toEqual([200, true, 0]);
});

test('a result that cannot be serialized does not count as unread after its request failed', async () => {
  const { server, added, get } = await startWithUnreadResponse();
  const write = JSON.stringify;
  const stringify = vi.spyOn(JSON, 'stringify');
  onTestFinished(() => stringify.mockRestore());
  stringify.mockImplementation((value: unknown) => {
    // As V8 does for a string above 512 MiB.
    if (typeof value === 'object' && value !== null && 'artifacts' in value)
      throw new RangeError('Invalid string length');
    return write(value);
  });

  const { status } = await call(server.port, get);

  expect([status, added()]).toEqual([500, 0]);
});

/** An agent whose card and extended card have about 200 KiB. */
const versatile = agent({
  name: 'Versatile',
  description: 'Has many skills.',
  skills: Array.from({ length: 400 }, (_, i) => ({
    id: `skill-${i}`,
    name: `Skill ${i}`,
    description: 'x'.repeat(400),
    tags: ['many'],
  })),
  run: () => 'done',
});

const CARDS: readonly (readonly [string, WireRequest])[] = [
  ['the agent card', { method: 'GET', path: '/.well-known/agent-card.json', headers: {}, body: undefined }],
  ['the extended card', as('alice', requestOf(REST_1, 'GetExtendedAgentCard', {}))],
  [
    'the extended card of 0.2',
    as('alice', { method: 'GET', path: '/agent/authenticatedExtendedCard', headers: {}, body: undefined }),
  ],
];

/** Serves large cards. `holdUnread` adds unread responses of this many bytes for alice and for this machine. */
async function startWithLargeCards(limits: NonNullable<HandlerOptions['limits']>) {
  const server = await startInspectable(versatile, { ...AUTH, extendedCard: true, limits });
  const { responses } = server.handler.edge.inFlight;
  const before = responses.total;
  const holders = [{ caller: { id: 'alice', isVerified: true } }, { remoteAddress: '127.0.0.1', isLocal: true }];
  const holdUnread = (bytes: number): void => {
    for (const holder of holders) {
      const hold = responses.open(holder);
      hold.take(bytes);
      onTestFinished(() => hold.release());
    }
  };
  const overFetch = ({ path, headers }: WireRequest): Promise<Response> =>
    server.handler.fetch(new Request(`http://localhost${path}`, { headers }), { remoteAddress: '127.0.0.1' });
  return { server, added: () => responses.total - before, holdUnread, overFetch };
}

test.each(CARDS)('over fetch, %s counts as unread until it is read', async (_card, request) => {
  const { added, overFetch } = await startWithLargeCards({});

  const response = await overFetch(request);

  expect([response.status, added() > 100_000]).toEqual([200, true]);
  expect((await response.text()).length).toBeGreaterThan(100_000);
  expect(added()).toBe(0);
});

test.each(CARDS)(
  '%s gets 429 with an error for a caller over the limit for unread bytes, on Node and over fetch',
  async (_card, request) => {
    const { server, holdUnread, overFetch } = await startWithLargeCards({ responseBytesPerCaller: 150_000 });
    expect((await call(server.port, request)).status).toBe(200);
    holdUnread(100_000);

    const onNode = await call(server.port, request);
    const fetched = await overFetch(request);

    for (const { status, headers } of [onNode, fetched]) {
      expect([status, headers.get('retry-after')]).toEqual([429, '2']);
    }
    for (const text of [onNode.text, await fetched.text()]) {
      expect(text).toContain('Your unread responses exceed 150000 bytes in total');
    }
  },
);

test('a large card gets 503 with an error while the process is at its limit for unread bytes', async () => {
  const { server, holdUnread } = await startWithLargeCards({ responseBytesPerProcess: 150_000 });
  holdUnread(70_000);

  const { status, headers, text } = await call(server.port, CARDS[0]?.[1] as WireRequest);

  expect([status, headers.get('retry-after')]).toEqual([503, '2']);
  expect(text).toContain('The server cannot buffer more responses at the moment: retry later');
});

test('over fetch, a response that is large only with its envelope counts as unread until it is read', async () => {
  const server = await startServer();
  const { responses } = server.handler.edge.inFlight;
  const resultOf = async (size: number): Promise<Response> => {
    const id = await createTask(server, 'alice', size);
    const { path, headers, body = '' } = as('alice', requestOf(RPC_1, 'GetTask', { id }));
    return server.handler.fetch(new Request(`http://localhost${path}`, { method: 'POST', headers, body }));
  };
  const envelope = '{"jsonrpc":"2.0","id":7,"result":}'.length;
  const around = (await (await resultOf(10_000)).text()).length - 10_000;
  const before = responses.total;

  const response = await resultOf(64 * 2 ** 10 - (around - envelope));

  expect(responses.total - before).toBe(64 * 2 ** 10 + envelope);
  await response.text();
  expect(responses.total).toBe(before);
});
