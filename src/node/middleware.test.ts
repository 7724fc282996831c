import { createServer, ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { agent } from '../agent/agent.ts';
import { createHandler } from '../server/handler.ts';
import { memoryStore } from '../store/memory/store.ts';
import { deferred } from '../support/deferred.ts';
import { listenerWith, type NodeListener, toNodeListener } from './listener.ts';
import { NodeRequest } from './node-request.ts';

const TALKER = agent({
  name: 'Talker',
  description: 'Talks as much as it is asked to.',
  async *run({ text, signal }) {
    yield 'x'.repeat(text === 'much' ? 2 ** 20 : 1);
    if (text === 'little') return;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  },
});

async function listening(listener: NodeListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function talker() {
  const handler = createHandler(TALKER, { store: memoryStore() });
  onTestFinished(() => handler.close());
  return handler;
}

function messageOf(text: string): string {
  return JSON.stringify({ message: { messageId: text, role: 'ROLE_USER', parts: [{ text }] } });
}

function post(port: number, path: string, text: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: messageOf(text) });
}

/** Like on-headers before 1.1, which compression still uses: it reads a list of headers as pairs. */
function readsHeaders(outgoing: ServerResponse): void {
  const plain = (status: number): ServerResponse => ServerResponse.prototype.writeHead.call(outgoing, status);
  const writeHead = (status: number, headers: Readonly<Record<string, string>> | readonly string[]): ServerResponse => {
    const pairs: readonly Iterable<string>[] = Array.isArray(headers) ? headers : Object.entries(headers);
    for (const [name = '', value = ''] of pairs) outgoing.setHeader(name, value);
    return plain(status);
  };
  Object.assign(outgoing, { writeHead });
}

test('headers are complete after middleware that reads them', async () => {
  const listener = toNodeListener(talker());
  const port = await listening((incoming, outgoing) => {
    readsHeaders(outgoing);
    listener(incoming, outgoing);
  });

  const answer = await post(port, '/message:send', 'little');

  expect(answer.headers.get('content-type')).toMatch(/json/);
  expect(answer.headers.get('content-length')).toBe(String((await answer.text()).length));
});

test('a write that throws ends its stream', async () => {
  const handler = talker();
  const listener = toNodeListener(handler);
  const port = await listening((incoming, outgoing) => {
    outgoing.write = () => {
      throw new Error('broken middleware');
    };
    listener(incoming, outgoing);
  });

  await expect(post(port, '/message:stream', 'for ever').then((answer) => answer.text())).rejects.toThrow(
    /fetch|terminated/,
  );

  expect(handler.heartbeats.size).toBe(0);
});

test('a pipelined stream ends with its connection', async () => {
  const handler = talker();
  const port = await listening(listenerWith(handler, 50));
  const socket = connect(port, '127.0.0.1');
  const requests = ['for ever', 'much'].map((text) => {
    const body = messageOf(text);
    return `POST /message:stream HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  });
  socket.on('error', () => {}).pause();
  socket.write(requests.join(''));
  await vi.waitFor(() => expect(handler.heartbeats.size).toBe(2), 20_000);

  socket.destroy();

  await vi.waitFor(() => expect(handler.heartbeats.size).toBe(0), 20_000);
});

test('body() rejects after the client has disconnected', async () => {
  const asked = deferred<unknown>();
  const port = await listening((incoming, outgoing) => {
    const request = new NodeRequest(incoming, outgoing, { basePath: '', trustProxy: false });
    incoming.on('error', () => {}).on('close', () => void request.body(1000).then(asked.resolve, asked.reject));
    incoming.socket.destroy();
  });

  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc');

  await expect(asked.promise).rejects.toMatchObject({ name: 'A2AError' });
});
