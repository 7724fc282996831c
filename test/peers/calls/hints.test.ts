/** Notifications that a peer is asked for. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { fakePeer } from '../../../src/testing/index.ts';
import { exchange } from '../../e2e/kit/exchange.ts';
import { startServer } from '../../e2e/kit/server.ts';
import { callOf, NEVER, peerAt, taskOf } from './kit.ts';

/** The notifications that arrive at an address. */
async function startReceiver() {
  const received: Pick<IncomingMessage, 'url' | 'headers'>[] = [];
  const server = createServer((incoming, outgoing) => {
    received.push({ url: incoming.url, headers: incoming.headers });
    incoming.resume();
    outgoing.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

test.each([['1.0'], ['0.3'], ['0.2']] as const)(
  'a peer of %s notifies the host about the task of a call',
  async (version) => {
    const receiver = await startReceiver();
    const { url, release } = await startServer({ pushNotifications: true, push: { allowPrivate: [receiver.url] } });
    const peer = peerAt({ url, version }, { hintUrl: `${receiver.url}/_tandem/calls/` });
    const call = callOf('hold');
    const { id } = taskOf(await peer.start(call, NEVER));
    const hint = { callId: call.id, token: 'secret' };
    expect(await peer.requestHints(call, id, hint, NEVER)).toBe(true);
    release();
    await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
    const [first] = receiver.received;
    expect(first?.url).toBe(`/_tandem/calls/${call.id}`);
    expect(first?.headers['x-a2a-notification-token']).toBe('secret');
  },
);

test('a peer that does not accept the address for notifications still has the task', async () => {
  const { url, release } = await startServer({ pushNotifications: true });
  const peer = peerAt(url, { hintUrl: 'http://127.0.0.1:4999/_tandem/calls/' });
  const call = callOf('hold');
  const { id } = taskOf(await peer.start(call, NEVER));
  expect(await peer.requestHints(call, id, { callId: call.id, token: 'secret' }, NEVER)).toBe(false);
  expect(taskOf(await peer.get(call, id, NEVER)).id).toBe(id);
  release();
});

test.each([
  ['a peer without notifications', false, 'https://us.example/_tandem/calls/'],
  ['a host without a public URL', true, undefined],
])('%s is not asked for them', async (_, pushNotifications, hintUrl) => {
  const peer = await fakePeer({ pushNotifications, script: [[{ status: 'working' }]] });
  onTestFinished(() => peer.close());
  const crm = peerAt(peer.url, { hintUrl });
  const call = callOf('hi');
  const { id } = taskOf(await crm.start(call, NEVER));
  expect(await crm.requestHints(call, id, { callId: call.id, token: 'secret' }, NEVER)).toBe(false);
  expect(peer.requests.map(({ operation }) => operation)).not.toContain('CreateTaskPushNotificationConfig');
});

test('a host serves the path of hints', async () => {
  const { url } = await startServer();
  const path = '/_tandem/calls/unknown';
  expect(
    (await exchange(url, { method: 'POST', path, headers: { 'x-a2a-notification-token': 'secret' } })).status,
  ).toBe(410);
});
