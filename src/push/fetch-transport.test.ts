import { expect, test } from 'vitest';
import { startReceiver } from '../../test/e2e/push/receiver.ts';
import { FetchOutboundTransport } from './fetch-transport.ts';
import { BodyTooLarge, type OutboundRequest } from './transport.ts';

const transport = new FetchOutboundTransport();

function post(address: string, signal = new AbortController().signal): OutboundRequest {
  const headers = { 'content-type': 'application/json', 'x-a2a-notification-token': 'abc' };
  return { method: 'POST', url: new URL(address), isTrusted: false, headers, body: '{"a":1}', signal };
}

test('the fetch transport posts the body and returns the response', async () => {
  const receiver = await startReceiver((response) => void response.writeHead(201, { 'x-one': '1' }).end('thanks'));
  const answer = await transport.call(post(receiver.url));
  expect([answer.status, answer.header('x-one'), answer.header('x-two')]).toEqual([201, '1', undefined]);
  expect(new TextDecoder().decode(await answer.bytes(6))).toBe('thanks');
  expect(receiver.received).toMatchObject([{ json: { a: 1 }, headers: { 'x-a2a-notification-token': 'abc' } }]);
});

test('the fetch transport does not follow redirects', async () => {
  const target = await startReceiver();
  const receiver = await startReceiver((response) => void response.writeHead(307, { location: target.url }).end());
  const answer = await transport.call(post(receiver.url));
  answer.discard(0);
  expect(answer.status).toBe(307);
  expect(target.connections()).toBe(0);
});

test('the fetch transport stops reading at maxBytes', async () => {
  const receiver = await startReceiver((response) => void response.end('too long'));
  const answer = await transport.call(post(receiver.url));
  await expect(answer.bytes(7)).rejects.toThrow(BodyTooLarge);
});

test('an empty response has no bytes', async () => {
  const receiver = await startReceiver();
  expect(await (await transport.call(post(receiver.url))).bytes(0)).toHaveLength(0);
});

test('aborting the signal ends the request of the fetch transport', async () => {
  const receiver = await startReceiver(() => {});
  const abort = new AbortController();
  const calling = transport.call(post(receiver.url, abort.signal));
  await receiver.until(1);
  abort.abort(new Error('enough'));
  await expect(calling).rejects.toThrow('enough');
});
