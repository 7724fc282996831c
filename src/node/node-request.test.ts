import { createServer, type IncomingMessage, request as httpRequest } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import type { A2AError } from '../errors.ts';
import type { HttpBody } from '../host/http.ts';
import { NodeRequest } from './node-request.ts';

interface Arrived {
  readonly incoming: IncomingMessage;
  readonly own: NodeRequest;
  answer(): Promise<void>;
}

/** A server that resolves `arrived` with its next request and does not respond to it. */
async function listening() {
  const server = createServer();
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const arrived = new Promise<Arrived>((resolve) => {
    server.once('request', (incoming, outgoing) => {
      const answer = async (): Promise<void> => {
        const closed = once(outgoing, 'close');
        outgoing.end('done');
        await closed;
      };
      resolve({ incoming, own: new NodeRequest(incoming, outgoing, { basePath: '', trustProxy: false }), answer });
    });
  });
  return { port: (server.address() as AddressInfo).port, arrived };
}

function bodyOrError(own: NodeRequest, maxBytes = 1000): Promise<HttpBody | A2AError> {
  return own.body(maxBytes).catch((error: unknown) => error as A2AError);
}

test('a client that has the whole response does not count as disconnected', async () => {
  const { port, arrived } = await listening();
  const call = httpRequest({ host: '127.0.0.1', port, method: 'POST' });
  call.on('response', (response) => response.resume());
  call.end('{}');
  const { own, answer } = await arrived;
  const { signal } = own;
  expect(await bodyOrError(own)).toEqual({ text: '{}' });
  await answer();
  expect(signal.aborted).toBe(false);
});

test('a client that closes the connection before the response counts as disconnected', async () => {
  const { port, arrived } = await listening();
  const call = httpRequest({ host: '127.0.0.1', port, method: 'POST' });
  call.on('error', () => {});
  call.end('{}');
  const { own } = await arrived;
  const { signal } = own;
  await own.body(1000);
  const left = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  call.destroy();
  await left;
  expect(signal.aborted).toBe(true);
});

test('a body whose connection closes early is INVALID_REQUEST', async () => {
  const { port, arrived } = await listening();
  const socket = connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"half":');
  const { own } = await arrived;
  const body = bodyOrError(own);
  socket.destroy();
  expect(await body).toMatchObject({
    code: 'INVALID_REQUEST',
    message: 'The connection closed before the request body was complete',
  });
});

test('a body with a Content-Length above the limit is rejected', async () => {
  const { port, arrived } = await listening();
  const call = httpRequest({ host: '127.0.0.1', port, method: 'POST' });
  call.on('error', () => {});
  call.end('x'.repeat(2000));
  const { own } = await arrived;
  expect(await bodyOrError(own)).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
});

test.each([
  { what: 'read', maxBytes: 1000, body: 'x'.repeat(500) },
  { what: 'too large', maxBytes: 100, body: 'x'.repeat(500) },
  { what: 'not UTF-8', maxBytes: 1000, body: Buffer.from([0xff]) },
])('a request removes its listeners once the body is $what', async ({ maxBytes, body }) => {
  const { port, arrived } = await listening();
  // Without Content-Length, so that the size is known only after reading.
  const call = httpRequest({ host: '127.0.0.1', port, method: 'POST', headers: { 'transfer-encoding': 'chunked' } });
  call.on('error', () => {});
  call.end(body);
  const { incoming, own } = await arrived;
  const counts = (): readonly number[] => ['data', 'end', 'error', 'close'].map((name) => incoming.listenerCount(name));
  const before = counts();

  const reading = bodyOrError(own, maxBytes);
  const during = counts();
  await reading;

  expect(during).toEqual(before.map((count) => count + 1));
  expect(counts()).toEqual(before);
});
