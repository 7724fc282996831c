import { expect, onTestFinished, test } from 'vitest';
import { startReceiver } from '../../test/e2e/push/receiver.ts';
import { PrivateAddressError } from '../support/net/guarded-lookup.ts';
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

// An IP address is not resolved, so the check of resolved addresses does not run.
test('the transport sends nothing to a private IP address, even if the guard missed it', async () => {
  const receiver = await startReceiver();
  await expect(transport().call(post(receiver.url, false))).rejects.toThrow(PrivateAddressError);
  expect(receiver.received).toEqual([]);
});

test('an untrusted request does not reuse the connection of a trusted one', async () => {
  const receiver = await startReceiver();
  const calls = transport();
  const answer = await calls.call(post(receiver.url, true));
  await answer.bytes(10);
  await expect(calls.call(post(receiver.url, false))).rejects.toThrow(PrivateAddressError);
  expect(receiver.received).toHaveLength(1);
});

test('aborting the signal ends the request of the Node transport', async () => {
  const receiver = await startReceiver(() => {});
  const abort = new AbortController();
  const calling = transport().call({ ...post(receiver.url, true), signal: abort.signal });
  await receiver.until(1);
  abort.abort(new Error('enough'));
  await expect(calling).rejects.toThrow('enough');
  await expect(transport().call({ ...post(receiver.url, true), signal: AbortSignal.abort() })).rejects.toThrow('abort');
});
