import { expect, onTestFinished, test } from 'vitest';
import { startReceiver } from '../../../test/e2e/push/receiver.ts';
import { PrivateAddressError } from '../net/guarded-lookup.ts';
import type { OutboundRequest } from './http-client.ts';
import { NodeClient, type NodeClientOptions } from './node-client.ts';

function client(options?: NodeClientOptions): NodeClient {
  const made = new NodeClient(process, options);
  onTestFinished(() => made.close());
  return made;
}

function post(address: string, guarded: boolean): OutboundRequest {
  const { signal } = new AbortController();
  return { method: 'POST', url: new URL(address), guarded, headers: {}, body: '{"secret":1}', signal };
}

// An IP address is not resolved, so the check of resolved addresses does not run.
test('a guarded request sends nothing to a private IP address', async () => {
  const receiver = await startReceiver();
  const refused = { sent: 'no', cause: expect.any(PrivateAddressError) };
  await expect(client().call(post(receiver.url, true))).rejects.toMatchObject(refused);
  expect(receiver.received).toEqual([]);
});

test('a guarded request reaches a private address that is allowed', async () => {
  const receiver = await startReceiver();
  const http = client({ mayCall: (address) => address === '127.0.0.1' });
  expect((await http.call(post(receiver.url, true))).status).toBe(204);
});

test('a guarded request does not reuse the connection of another one', async () => {
  const receiver = await startReceiver();
  const http = client();
  await (await http.call(post(receiver.url, false))).bytes(10);
  await expect(http.call(post(receiver.url, true))).rejects.toThrow('The connection reached the private address');
  expect(receiver.received).toHaveLength(1);
});

test('aborting the signal ends a request of the Node client', async () => {
  const receiver = await startReceiver(() => {});
  const abort = new AbortController();
  const calling = client().call({ ...post(receiver.url, false), signal: abort.signal });
  await receiver.until(1);
  abort.abort();
  await expect(calling).rejects.toMatchObject({ name: 'TransportFailure', sent: 'maybe' });
  const aborted = { ...post(receiver.url, false), signal: AbortSignal.abort() };
  await expect(client().call(aborted)).rejects.toMatchObject({ name: 'TransportFailure', sent: 'no' });
});

test('aborting the signal ends a request that waits for a connection', async () => {
  const receiver = await startReceiver(() => {});
  const http = client({ maxSockets: 1 });
  const first = http.call(post(receiver.url, false));
  await receiver.until(1);
  const abort = new AbortController();
  const second = http.call({ ...post(receiver.url, false), signal: abort.signal });
  abort.abort();
  await expect(second).rejects.toMatchObject({ name: 'TransportFailure', sent: 'no' });
  expect(receiver.received).toHaveLength(1);
  http.close();
  await expect(first).rejects.toMatchObject({ name: 'TransportFailure', sent: 'maybe' });
});
