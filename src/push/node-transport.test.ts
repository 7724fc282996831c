import { expect, onTestFinished, test } from 'vitest';
import { startReceiver } from '../../test/e2e/push/receiver.ts';
import { PrivateAddressError } from '../support/guarded-lookup.ts';
import { AddressGuard } from './address-guard.ts';
import { NodeOutboundTransport } from './node-transport.ts';
import type { OutboundRequest } from './transport.ts';

function transport(): NodeOutboundTransport {
  const made = new NodeOutboundTransport(process, new AddressGuard());
  onTestFinished(() => made.close());
  return made;
}

function post(address: string, isTrusted: boolean): OutboundRequest {
  const { signal } = new AbortController();
  return { method: 'POST', url: new URL(address), isTrusted, headers: {}, body: '{"secret":1}', signal };
}

// Names are not looked up where an address stands, so no check of names sees this one.
test('nothing is sent to a private address that got past everything else', async () => {
  const receiver = await startReceiver();
  await expect(transport().call(post(receiver.url, false))).rejects.toThrow(PrivateAddressError);
  expect(receiver.received).toEqual([]);
});

test('a connection that was made with leave is not used without', async () => {
  const receiver = await startReceiver();
  const calls = transport();
  const answer = await calls.call(post(receiver.url, true));
  await answer.bytes(10);
  await expect(calls.call(post(receiver.url, false))).rejects.toThrow(PrivateAddressError);
  expect(receiver.received).toHaveLength(1);
});

test('an answer that is left is over', async () => {
  const receiver = await startReceiver(() => {});
  const abort = new AbortController();
  const calling = transport().call({ ...post(receiver.url, true), signal: abort.signal });
  await receiver.until(1);
  abort.abort(new Error('enough'));
  await expect(calling).rejects.toThrow('enough');
  await expect(transport().call({ ...post(receiver.url, true), signal: AbortSignal.abort() })).rejects.toThrow('abort');
});
