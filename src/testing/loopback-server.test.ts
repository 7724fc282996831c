import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { fakePeer } from './fake-peer.ts';
import type { FakePeerOptions } from './fake-peer/peer.ts';

const BODY = JSON.stringify({ message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] } });

/** One request of `node:http`, on a connection of its own. */
async function post(options: FakePeerOptions, path: string): Promise<IncomingMessage> {
  const peer = await fakePeer({ binding: 'HTTP+JSON', script: [['a', 'b']], ...options });
  onTestFinished(() => peer.close());
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  const outgoing = request(`${peer.url}/a2a${path}`, { method: 'POST', headers, agent: false });
  outgoing.end(BODY);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response;
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
  return text;
}

test('a complete response has a Content-Length', async () => {
  const response = await post({}, '/message:send');
  const text = await textOf(response);
  expect(response.headers['content-length']).toBe(String(text.length));
});

test('a dropped connection is reset before the response', async () => {
  await expect(post({ faults: [{ fault: 'drop' }] }, '/message:send')).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('a cut stream contains whole events and does not end cleanly', async () => {
  const response = await post({ faults: [{ fault: 'cut-stream', afterEvents: 2 }] }, '/message:stream');
  let seen = '';
  response.setEncoding('utf8').on('data', (piece: string) => (seen += piece));

  const [error] = (await once(response, 'error')) as [NodeJS.ErrnoException];

  expect(error.code).toBe('ECONNRESET');
  expect(response.complete).toBe(false);
  expect(seen.match(/^data: .*\n\n/gm)).toHaveLength(2);
  expect(seen.endsWith('\n\n')).toBe(true);
});

test('the error of a script that throws is returned with status 500', async () => {
  const script = [
    () => {
      throw new Error('no such city');
    },
  ];
  const response = await post({ script }, '/message:send');
  expect([response.statusCode, await textOf(response)]).toEqual([500, '{"error":"no such city"}']);
});
