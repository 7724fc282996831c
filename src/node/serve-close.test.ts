import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { agent } from '../agent/agent.ts';
import { memoryStore } from '../store/memory/store.ts';
import { serve } from './serve.ts';

test('close() ends the connection of a stream that it has just ended', async () => {
  const waiting = agent({
    name: 'Waiting',
    description: 'Waits until it is stopped.',
    async *run({ signal }) {
      yield { status: 'working', text: 'Waiting…' };
      await once(signal, 'abort');
    },
  });
  const server = await serve(waiting, { port: 0, store: memoryStore(), insecurePublic: true });
  const body = JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'wait' }] } });
  const headers = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  // A client that never closes its connection.
  const socket = connect(server.port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString()));
  socket.write(`POST /message:stream HTTP/1.1\r\n${headers}\r\n\r\n${body}`);
  while (!received.includes('Waiting…')) await once(socket, 'data');
  await Promise.all([server.close({ finishMs: 0 }), once(socket, 'close')]);
  expect(received).toContain('stream interrupted');
});
