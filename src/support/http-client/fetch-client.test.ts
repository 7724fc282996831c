import { expect, test } from 'vitest';
import { startReceiver } from '../../../test/e2e/push/receiver.ts';
import { BodyTooLarge } from '../bytes.ts';
import { globalFetch } from './create-http-client.ts';
import { FetchClient } from './fetch-client.ts';
import { type OutboundRequest, TransportFailure } from './http-client.ts';

const http = new FetchClient(globalFetch);

function post(address: string, signal = new AbortController().signal): OutboundRequest {
  const headers = { 'content-type': 'application/json', 'x-a2a-notification-token': 'abc' };
  return { method: 'POST', url: new URL(address), guarded: true, headers, body: '{"a":1}', signal };
}

test('the fetch client posts the body and returns the response', async () => {
  const receiver = await startReceiver((response) => void response.writeHead(201, { 'x-one': '1' }).end('thanks'));
  const answer = await http.call(post(receiver.url));
  expect([answer.status, answer.header('x-one'), answer.header('x-two')]).toEqual([201, '1', undefined]);
  expect(new TextDecoder().decode(await answer.bytes(6))).toBe('thanks');
  expect(receiver.received).toMatchObject([{ json: { a: 1 }, headers: { 'x-a2a-notification-token': 'abc' } }]);
});

test('the fetch client does not follow redirects', async () => {
  const target = await startReceiver();
  const receiver = await startReceiver((response) => void response.writeHead(307, { location: target.url }).end());
  const answer = await http.call(post(receiver.url));
  answer.discard();
  expect(answer.status).toBe(307);
  expect(target.connections()).toBe(0);
});

test('the fetch client stops reading at maxBytes', async () => {
  const receiver = await startReceiver((response) => void response.end('too long'));
  const answer = await http.call(post(receiver.url));
  await expect(answer.bytes(7)).rejects.toThrow(BodyTooLarge);
});

test('an empty response of the fetch client has no bytes', async () => {
  const receiver = await startReceiver();
  expect(await (await http.call(post(receiver.url))).bytes(0)).toHaveLength(0);
});

test('aborting the signal ends the request of the fetch client', async () => {
  const receiver = await startReceiver(() => {});
  const abort = new AbortController();
  const calling = http.call(post(receiver.url, abort.signal));
  await receiver.until(1);
  abort.abort(new Error('enough'));
  await expect(calling).rejects.toThrow(TransportFailure);
});
