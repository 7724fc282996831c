import { expect, test, vi } from 'vitest';
import { call, JSON_TYPE, VERSION_1 } from './malformed/case.ts';
import { bytesOf, readAnswers, takeAnswers, Wire } from './malformed/exchange.ts';
import { assertAnswer, bare } from './malformed/expected.ts';
import { openTarget } from './malformed/run-cases.ts';
import { expectIdle } from './malformed/expect-idle.ts';

/** Bytes that are not valid HTTP: Node responds by itself, and nothing may reach the agent or stay open. */

vi.setConfig({ testTimeout: 30_000 });

const HEAD = 'POST /a2a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
const LIST = '{"jsonrpc":"2.0","id":1,"method":"ListTasks"}';
const VALID = bytesOf({ ...call('ListTasks', {}), headers: [JSON_TYPE, VERSION_1, ['Connection', 'keep-alive']] });

/** The bytes, and the status of the response of Node; 0 if it only closes the connection. */
const BROKEN: readonly (readonly [name: string, bytes: string, status: number])[] = [
  ['garbage', 'hello\r\n\r\n', 400],
  ['a method alone', 'GET\r\n\r\n', 400],
  ['an unknown method', 'GRAB /tasks HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
  ['a method in lower case', 'get /tasks HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
  ['HTTP 9.9', 'GET /tasks HTTP/9.9\r\nHost: localhost\r\n\r\n', 400],
  ['HTTP 2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 400],
  ['another protocol', 'RTSP/1.0 200 OK\r\n\r\n', 400],
  ['a path with a space', 'GET /tasks/a b HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
  ['a path without a slash', 'GET tasks HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
  ['a NUL in the path', 'GET /tasks/\0 HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
  ['no Host', 'GET /tasks HTTP/1.1\r\n\r\n', 400],
  ['a header without a colon', 'GET /tasks HTTP/1.1\r\nHost: localhost\r\nnonsense\r\n\r\n', 400],
  ['a header without a name', 'GET /tasks HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\n', 400],
  ['a header with a space in its name', `${HEAD}Content Length: 5\r\n\r\nhello`, 400],
  ['a space before the colon', `${HEAD}Content-Length : 5\r\n\r\nhello`, 400],
  ['a NUL in a header', 'GET /tasks HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\0\r\n\r\n', 400],
  ['a carriage return in a header', 'GET /tasks HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1\r0\r\n\r\n', 400],
  ['two lengths', `${HEAD}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`, 400],
  ['the same length twice', `${HEAD}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`, 400],
  ['a list of lengths', `${HEAD}Content-Length: 5, 5\r\n\r\nhello`, 400],
  ['a negative length', `${HEAD}Content-Length: -1\r\n\r\n`, 400],
  ['a length that is not a number', `${HEAD}Content-Length: five\r\n\r\nhello`, 400],
  ['a length in hexadecimal', `${HEAD}Content-Length: 0x5\r\n\r\nhello`, 400],
  ['a length with a sign', `${HEAD}Content-Length: +5\r\n\r\nhello`, 400],
  ['a length over 2 ** 64', `${HEAD}Content-Length: 99999999999999999999\r\n\r\n`, 400],
  ['a length and chunks', `${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  ['a coding that is not chunked', `${HEAD}Transfer-Encoding: gzip\r\n\r\nhello`, 400],
  ['chunked, but not last', `${HEAD}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`, 400],
  ['a chunk size that is not a number', `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n`, 400],
  ['a negative chunk size', `${HEAD}Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n`, 400],
  ['a chunk size over 2 ** 64', `${HEAD}Transfer-Encoding: chunked\r\n\r\n${'f'.repeat(20)}\r\nhello`, 400],
  ['a chunk longer than its size', `${HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n`, 400],
  ['a chunk with a long extension', `${HEAD}Transfer-Encoding: chunked\r\n\r\n5;${'x'.repeat(20_000)}`, 413],
  ['a very long header', `${HEAD}A2A-Extensions: ${'x'.repeat(100_000)}\r\n\r\n`, 431],
  ['very many headers', `${HEAD}${'X-Y: z\r\n'.repeat(10_000)}\r\n`, 431],
  ['a very long path', `GET /tasks/${'x'.repeat(100_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431],
  ['a CONNECT request', 'CONNECT example.com:80 HTTP/1.1\r\nHost: localhost\r\n\r\n', 0],
];

test('invalid HTTP gets the status of Node, and valid requests still work', async () => {
  await using target = await openTarget();
  const wrong: unknown[] = [];
  for (const [name, bytes, status] of BROKEN) {
    const received = await new Wire(target.server.port).send(Buffer.from(bytes, 'latin1')).ended;
    const [answer, ...others] = readAnswers(received);
    if ((answer?.status ?? 0) !== status || others.length > 0) wrong.push([name, status, received]);
    else if (answer !== undefined) assertAnswer(answer, bare(status));
  }
  expect(wrong).toEqual([]);
  await expectIdle(target);
});

test('pipelined requests get their responses in order', async () => {
  await using target = await openTarget();
  const ids = Array.from({ length: 50 }, (_, i) => i);
  const all = ids.map((id, i) =>
    bytesOf({
      headers: [JSON_TYPE, VERSION_1, ['Connection', i === 49 ? 'close' : 'keep-alive']],
      body: JSON.stringify({ jsonrpc: '2.0', id, method: id % 3 === 0 ? 'Nothing' : 'ListTasks' }),
    }),
  );
  const received = await new Wire(target.server.port).send(Buffer.concat(all)).ended;
  const answers = readAnswers(received).map(({ text }) => JSON.parse(text) as { id: number; error?: object });
  expect(answers.map(({ id }) => id)).toEqual(ids);
  expect(answers.filter(({ error }) => error !== undefined).map(({ id }) => id)).toEqual(
    ids.filter((id) => id % 3 === 0),
  );
  await expectIdle(target);
});

test('garbage after a valid request on the same connection gets 400 or a closed connection', async () => {
  await using target = await openTarget();
  const received = await new Wire(target.server.port).send(Buffer.concat([VALID, Buffer.from('hello\r\n\r\n')])).ended;
  // Node closes the connection at the garbage, before or after the response to the valid request.
  for (const { status } of readAnswers(received)) expect([200, 400]).toContain(status);
  await expectIdle(target);
});

test('a request inside an unread body is never executed', async () => {
  await using target = await openTarget({ maxBodyBytes: 1000 });
  const inner = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
  for (const bytes of [
    // Bodies that the server does not read: too large, without a type, and two for an unknown path.
    `${HEAD}Content-Length: 5000\r\n\r\n${inner.repeat(50)}`,
    `POST /a2a HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${inner.length}\r\n\r\n${inner}${inner}`,
    `POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n${inner.repeat(10)}`,
    `GET /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n${inner.repeat(10)}`,
  ]) {
    const wire = new Wire(target.server.port).send(bytes);
    const received = await wire.until((text) => text.includes('\r\n\r\n') && text.endsWith('}'));
    expect(received).not.toContain('{"status":"ok"}');
    wire.socket.destroy();
    await wire.ended;
  }
  await expectIdle(target);
});

test('clients that end their side of the connection before the response leave no open socket', async () => {
  await using target = await openTarget();
  for (const bytes of [VALID, HEAD, `${HEAD}Content-Length: 500\r\n\r\n${LIST}`, '']) {
    const wire = new Wire(target.server.port);
    wire.socket.end(bytes);
    for (const { status } of takeAnswers(await wire.ended).answers) expect([200, 400]).toContain(status);
  }
  await expectIdle(target);
});

test.each(['destroy', 'resetAndDestroy'] as const)(
  'clients that close the connection at once (%s) leave no open socket',
  async (leave) => {
    await using target = await openTarget();
    const stream = bytesOf(
      call('SendStreamingMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } }),
    );
    for (const bytes of ['', 'POST', HEAD, `${HEAD}Content-Length: 500\r\n\r\n${LIST}`, VALID, stream]) {
      const wires = Array.from({ length: 20 }, () => new Wire(target.server.port).send(bytes));
      await Promise.all(
        wires.map(async (wire) => {
          await new Promise<void>((resolve) => void wire.socket.once('connect', () => resolve()));
          wire.socket[leave]();
          await wire.ended;
        }),
      );
    }
    await expectIdle(target);
  },
);

test.each([
  [
    'an upgrade to WebSocket',
    [
      ['Connection', 'Upgrade, close'],
      ['Upgrade', 'websocket'],
    ],
  ],
  [
    'an upgrade to HTTP 2',
    [
      ['Connection', 'Upgrade, HTTP2-Settings, close'],
      ['Upgrade', 'h2c'],
      ['HTTP2-Settings', ''],
    ],
  ],
] as const)('%s is ignored, and the request gets its response', async (_, headers) => {
  await using target = await openTarget();
  const wire = new Wire(target.server.port).send(bytesOf({ method: 'GET', path: '/tasks', headers }));
  expect(readAnswers(await wire.ended).map(({ status }) => status)).toEqual([200]);
  await expectIdle(target);
});
