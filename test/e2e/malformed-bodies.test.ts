import { expect, test, vi } from 'vitest';
import { call, JSON_TYPE, jsonText, VERSION_1 } from './malformed/case.ts';
import { type Answer, bytesOf, exchange, readAnswers, takeAnswers, Wire } from './malformed/exchange.ts';
import { assertAnswer, type Expected, rest, rpc } from './malformed/expected.ts';
import { openTarget } from './malformed/run-cases.ts';
import { expectIdle, watchRequests } from './malformed/expect-idle.ts';

/** Bodies that are too large, slow or incomplete. */

vi.setConfig({ testTimeout: 30_000 });

const MAX = 64 * 1024;
const MESSAGE = `The request body exceeds ${MAX} bytes`;

const PLACES = [
  ['JSON-RPC 1.0', '/a2a', [JSON_TYPE, VERSION_1], rpc('PAYLOAD_TOO_LARGE', MESSAGE, { id: null })],
  ['JSON-RPC 0.3', '/a2a', [JSON_TYPE], rpc('PAYLOAD_TOO_LARGE', MESSAGE, { id: null, errorFormat: 'old' })],
  ['REST 1.0', '/message:send', [JSON_TYPE], rest('PAYLOAD_TOO_LARGE', MESSAGE)],
  ['REST 0.3', '/v1/message:send', [JSON_TYPE], rest('PAYLOAD_TOO_LARGE', MESSAGE, { errorFormat: 'old' })],
] as const satisfies readonly (readonly [string, string, readonly (readonly [string, string])[], Expected])[];

/** A valid call of exactly this many bytes. */
function callOf(bytes: number): string {
  const text = String(call('ListTasks', { extra: '' }).body);
  return text.replace('"extra":""', `"extra":"${'x'.repeat(bytes - text.length)}"`);
}

test.each(PLACES)(
  '%s: a Content-Length over maxBodyBytes is rejected before the body arrives',
  async (_, path, headers, expected) => {
    await using target = await openTarget({ maxBodyBytes: MAX });
    const wire = new Wire(target.server.port).send(
      bytesOf({ path, headers: [...headers, ['Content-Length', '10000000000'], ['Connection', 'keep-alive']] }),
    );
    const [answer] = await firstAnswers(wire);
    expect(answer?.headers['connection']).toBe('close');
    assertAnswer(answer ?? fail(), expected);
    await expectIdle(target);
  },
);

test.each(PLACES)(
  '%s: a chunked body is rejected at maxBodyBytes, and the server stops reading',
  async (_, path, headers, expected) => {
    await using target = await openTarget({ maxBodyBytes: MAX });
    const seen = watchRequests();
    const wire = new Wire(target.server.port).send(
      bytesOf({ path, headers: [...headers, ['Transfer-Encoding', 'chunked'], ['Connection', 'keep-alive']] }),
    );
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    // Writes without end, as fast as the socket accepts it.
    const pump = (): void => {
      while (!wire.socket.destroyed && wire.socket.write(chunk));
    };
    wire.socket.on('drain', pump);
    pump();
    const [answer] = readAnswers(await wire.ended);
    assertAnswer(answer ?? fail(), expected);
    expect(seen[0]?.request.socket.bytesRead).toBeLessThan(64 * 2 ** 20);
    await expectIdle(target);
  },
);

test.each(PLACES)(
  '%s: a client that reads only after it has sent everything gets the error, too',
  async (_, path, headers, expected) => {
    await using target = await openTarget({ maxBodyBytes: MAX });
    const wire = new Wire(target.server.port);
    wire.socket.pause();
    const failure = await new Promise<unknown>((resolve) => {
      wire.socket.write(bytesOf({ path, headers, body: ' '.repeat(64 * MAX) }), resolve);
    });
    expect(failure ?? undefined).toBeUndefined();
    wire.socket.resume();
    const [answer] = readAnswers(await wire.ended);
    assertAnswer(answer ?? fail(), expected);
    await expectIdle(target);
  },
);

test.each(PLACES)(
  '%s: over fetch, the server cancels a body stream at maxBodyBytes',
  async (_, path, headers, expected) => {
    await using target = await openTarget({ maxBodyBytes: MAX });
    let pulled = 0;
    let isCanceled = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 0x4000;
        controller.enqueue(new Uint8Array(0x4000).fill(32));
      },
      cancel() {
        isCanceled = true;
      },
    });
    const response = await target.server.handler.fetch(
      new Request(`http://localhost${path}`, {
        method: 'POST',
        // The declared length is smaller than the body.
        headers: [...headers, ['content-length', '5']].map(([name = '', value = '']): [string, string] => [
          name,
          value,
        ]),
        body,
        duplex: 'half',
      }),
    );
    const answer = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.text(),
    };
    assertAnswer(answer, expected);
    expect(pulled).toBeLessThan(2 * MAX);
    expect(isCanceled).toBe(true);
    expect(target.faults).toEqual([]);
  },
);

test('a body of exactly maxBodyBytes is accepted, and one byte more is rejected', async () => {
  await using target = await openTarget({ maxBodyBytes: MAX });
  const { port, handler, url } = target.server;
  const headers = [JSON_TYPE, VERSION_1];
  const asked = (body: string): Request =>
    new Request(`${url}/a2a`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  for (const [size, isFit] of [
    [MAX, true],
    [MAX + 1, false],
  ] as const) {
    const overSocket = await exchange(port, { headers, body: callOf(size) });
    const inProcess = await handler.fetch(asked(callOf(size)));
    expect(overSocket.text.includes('"result"')).toBe(isFit);
    expect((await inProcess.text()).includes('"result"')).toBe(isFit);
  }
});

test('a request with Expect: 100-continue gets 413 or 415 before its body is requested', async () => {
  await using target = await openTarget({ maxBodyBytes: MAX });
  const { port } = target.server;
  const expecting = [JSON_TYPE, VERSION_1, ['Expect', '100-continue']] as const;
  const tooMuch = ['Content-Length', String(MAX + 1)] as const;
  const small = new Wire(port).send(bytesOf({ headers: expecting, body: callOf(200) }));
  expect(readAnswers(await small.ended).map(({ status }) => status)).toEqual([100, 200]);
  const large = new Wire(port).send(bytesOf({ path: '/message:send', headers: [...expecting, tooMuch] }));
  expect((await firstAnswers(large)).map(({ status }) => status)).toEqual([413]);
  const wrong = new Wire(port).send(bytesOf({ headers: [...expecting.slice(1), tooMuch] }));
  expect((await firstAnswers(wrong)).map(({ status }) => status)).toEqual([415]);
  await expectIdle(target);
});

test('a body that arrives in single bytes is decoded correctly', async () => {
  await using target = await openTarget();
  const wire = new Wire(target.server.port);
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Grüße 😀' }] };
  for (const byte of bytesOf(call('SendMessage', { message }))) wire.send(Uint8Array.of(byte));
  expect(await wire.ended).toContain('Grüße 😀');
});

test('the HTTP server has timeouts of at most 60 seconds for headers and requests', async () => {
  const seen = watchRequests();
  await using target = await openTarget();
  await expectIdle(target);
  const http = seen[0]?.server;
  expect(http?.headersTimeout).toBeGreaterThan(0);
  expect(http?.headersTimeout).toBeLessThanOrEqual(60_000);
  expect(http?.requestTimeout).toBeGreaterThan(0);
  expect(http?.requestTimeout).toBeLessThanOrEqual(60_000);
});

test.each([
  ['inside the body', bytesOf({ headers: [JSON_TYPE, VERSION_1, ['Content-Length', '1000']], body: '{"jsonrpc":' })],
  ['before the body', bytesOf({ headers: [JSON_TYPE, VERSION_1, ['Content-Length', '1000']] })],
  ['inside a chunk', bytesOf({ headers: [JSON_TYPE, ['Transfer-Encoding', 'chunked']], body: 'ff\r\n{"json' })],
  ['between chunks', bytesOf({ headers: [JSON_TYPE, ['Transfer-Encoding', 'chunked']], body: '2\r\n{"\r\n' })],
  ['inside the head', Buffer.from('POST /a2a HTTP/1.1\r\nHost: local')],
  ['inside a REST body', bytesOf({ path: '/message:send', headers: [JSON_TYPE, ['Content-Length', '9']], body: '{' })],
] as const)('a connection that ends %s leaves no open socket and no log line', async (_, bytes) => {
  await using target = await openTarget();
  for (const end of ['end', 'destroy', 'resetAndDestroy'] as const) {
    const wire = new Wire(target.server.port);
    await new Promise<void>((resolve) => void wire.socket.write(bytes, () => resolve()));
    wire.socket[end]();
    const received = await wire.ended;
    // A client that only stops sending may get 400.
    if (received !== '') expect(readAnswers(received)[0]?.status).toBe(400);
  }
  await expectIdle(target);
});

test('over fetch, a body stream that fails gets INVALID_REQUEST and logs no error', async () => {
  await using target = await openTarget();
  for (const [path, expected] of [
    [
      '/a2a',
      rpc('INVALID_REQUEST', 'The connection closed before the request body was complete', {
        id: null,
        errorFormat: 'old',
      }),
    ],
    ['/message:send', rest('INVALID_REQUEST', 'The connection closed before the request body was complete')],
  ] as const) {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(jsonText({ jsonrpc: '2.0' }).slice(0, 5))),
      pull: (controller) => controller.error(new Error('gone')),
    });
    const response = await target.server.handler.fetch(
      new Request(`http://localhost${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        duplex: 'half',
      }),
    );
    const answer = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.text(),
    };
    assertAnswer(answer, expected);
  }
  expect(target.faults).toEqual([]);
});

/** Waits for the first response, and closes the connection. */
async function firstAnswers(wire: Wire): Promise<readonly Answer[]> {
  const received = await wire.until((text) => takeAnswers(text).answers.length > 0);
  wire.socket.destroy();
  return readAnswers(received);
}

function fail(): never {
  throw new Error('The connection ended without an answer');
}
