/** Incomplete request bodies: how many bytes of them the server buffers, and how slowly they may arrive. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { agent } from '../../src/agent/agent.ts';
import { bearerTokens } from '../../src/host/auth/bearer-tokens.ts';
import type { ServeOptions } from '../../src/node/serve.ts';
import { serveOnSocket } from './kit/server.ts';
import { JSON_TYPE, VERSION_1 } from './malformed/case.ts';
import { type Answer, bytesOf, exchange, takeAnswers, Wire } from './malformed/exchange.ts';

const KIBIBYTE = 2 ** 10;

const counter = agent({ name: 'Counter', description: 'Counts.', run: ({ text }) => String(text.length) });
const AUTH = { auth: bearerTokens({ alice: 'token-of-alice', bob: 'token-of-bob' }) };

type Header = readonly [string, string];

function headersOf(caller: string, ...more: readonly Header[]): readonly Header[] {
  return [JSON_TYPE, VERSION_1, ['Authorization', `Bearer token-of-${caller}`], ...more];
}

/** The connections of a test. */
const wires: Wire[] = [];
let messages = 0;

function messageOf(size: number): string {
  const messageId = `m${++messages}`;
  return JSON.stringify({ message: { messageId, role: 'ROLE_USER', parts: [{ text: 'x'.repeat(size) }] } });
}

/** A request of which only the first `sent` bytes are sent. */
function unfinished(port: number, caller: string, sent: number, length = 8 * 2 ** 20, path = '/message:send'): Wire {
  const wire = new Wire(port);
  wires.push(wire);
  const head = bytesOf({
    path,
    headers: headersOf(caller, ['Content-Length', String(length)], ['Connection', 'keep-alive']),
  });
  return wire.send(head).send(messageOf(sent).slice(0, sent));
}

async function responseOn(wire: Wire): Promise<Answer> {
  const [answer] = takeAnswers(await wire.until((text) => takeAnswers(text).answers.length > 0)).answers;
  if (answer === undefined) throw new Error('The connection ended without a response');
  return answer;
}

async function serving(options: ServeOptions = {}) {
  const { server } = await serveOnSocket(counter, { ...AUTH, ...options });
  const { requests } = server.handler.edge.inFlight;
  // The server reads on for a while after it has responded, until it notices the end of the connection.
  onTestFinished(async () => {
    for (const { socket } of wires.splice(0)) socket.destroy();
    await vi.waitFor(() => expect(process.getActiveResourcesInfo()).not.toContain('TCPSocketWrap'), 20_000);
  });
  const held = (holds: (total: number) => boolean): Promise<void> =>
    vi.waitFor(() => expect(holds(requests.total)).toBe(true), 20_000);
  const send = (caller: string, size: number): Promise<Answer> =>
    exchange(server.port, { path: '/message:send', headers: headersOf(caller), body: messageOf(size) });
  return { server, port: server.port, held, send };
}

test('a caller whose unfinished bodies exceed its bound gets 429, and others are not affected', async () => {
  const { port, held, send } = await serving({ limits: { requestBytesPerCaller: 512 * KIBIBYTE } });
  const first = [1, 2].map(() => unfinished(port, 'alice', 250 * KIBIBYTE));
  await held((total) => total === 500 * KIBIBYTE);

  const refused = await responseOn(unfinished(port, 'alice', 250 * KIBIBYTE));
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '2']);
  expect(refused.text).toContain(
    `Your incomplete request bodies exceed ${512 * KIBIBYTE} bytes in total: send fewer at a time`,
  );
  const overRpc = await responseOn(unfinished(port, 'alice', 250 * KIBIBYTE, undefined, '/a2a'));
  expect([overRpc.status, overRpc.text.includes('requestBytesPerCaller')]).toEqual([429, true]);
  expect((await send('bob', 500 * KIBIBYTE)).status).toBe(200);
  expect((await send('alice', 10)).status).toBe(200);

  for (const { socket } of first) socket.destroy();
  await held((total) => total === 0);
  expect((await send('alice', 500 * KIBIBYTE)).status).toBe(200);
});

test('declared lengths without bytes do not count against the bound', async () => {
  const { port, held, send } = await serving();
  for (let i = 0; i < 50; i++) unfinished(port, 'alice', 1);

  expect((await send('alice', 4 * 2 ** 20)).status).toBe(200);
  await held((total) => total === 0);
});

test('a single body may exceed the bound of its caller', async () => {
  const { send } = await serving({ limits: { requestBytesPerCaller: 512 * KIBIBYTE } });
  expect((await send('alice', 2 ** 20)).status).toBe(200);
});

test('large bodies get 503 while the process has buffered its maximum of bytes', async () => {
  const { port, held, send } = await serving({ limits: { requestBytesPerProcess: 512 * KIBIBYTE } });
  unfinished(port, 'alice', 500 * KIBIBYTE);
  await held((total) => total === 500 * KIBIBYTE);

  const refused = await send('bob', 250 * KIBIBYTE);
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '2']);
  expect(refused.text).toContain('The server cannot buffer more request bodies at the moment');
  expect((await send('bob', 10 * KIBIBYTE)).status).toBe(200);
});

test.each(['/message:send', '/a2a'])('a body to %s that arrives too slowly gets 408', async (path) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { port, held, send } = await serving();
  const slow = unfinished(port, 'alice', 100 * KIBIBYTE, undefined, path);
  await held((total) => total === 100 * KIBIBYTE);

  await vi.advanceTimersByTimeAsync(7000);
  expect(slow.received).toBe('');
  await vi.advanceTimersByTimeAsync(1000);

  const answer = await responseOn(slow);
  expect([answer.status, answer.headers['connection']]).toEqual([408, 'close']);
  expect(answer.text).toContain('The request body arrived too slowly: send at least 64 KiB per second');
  await held((total) => total === 0);
  expect((await send('alice', 10)).status).toBe(200);
});

test('over fetch, bodies have the same bounds and the same minimum rate', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { server, held } = await serving({ limits: { requestBytesPerCaller: 512 * KIBIBYTE } });
  const post = (sent: number): Promise<Response> => {
    const start = new TextEncoder().encode(messageOf(sent).slice(0, sent));
    const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(start) });
    const headers = headersOf('alice').map(([name, value]): [string, string] => [name, value]);
    return server.handler.fetch(
      new Request('http://localhost/message:send', { method: 'POST', headers, body, duplex: 'half' }),
    );
  };
  const slow = post(400 * KIBIBYTE);
  await held((total) => total === 400 * KIBIBYTE);

  expect((await post(200 * KIBIBYTE)).status).toBe(429);
  await vi.advanceTimersByTimeAsync(20_000);

  expect((await slow).status).toBe(408);
  expect(server.handler.edge.inFlight.requests.total).toBe(0);
});
