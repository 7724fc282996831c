/** Calls to other agents on a serverless host, where no process outlives its response. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { CallProgress } from '../../../src/engine/calls/call-request.ts';
import { agent, type HandlerOptions, memoryStore } from '../../../src/server/index.ts';
import { startServer, type TestServer } from '../kit/server.ts';
import { CRON_SECRET, type Host, type Network, startHost } from './host.ts';

const front = agent({
  name: 'Front',
  description: 'Calls another agent.',
  run: async ({ call }) => `front: ${(await call('crm', 'hold')).outcome}`,
});

/** The public address of a host, at which peers notify it. */
async function startGateway() {
  const state: { url: string; host: Host | undefined; statuses: number[] } = { url: '', host: undefined, statuses: [] };
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    const headers = { 'x-a2a-notification-token': String(incoming.headers['x-a2a-notification-token']) };
    const answer = async (): Promise<void> => {
      const { status = 503 } = (await state.host?.fetch(incoming.url ?? '', { method: 'POST', headers })) ?? {};
      state.statuses.push(status);
      outgoing.writeHead(status).end();
    };
    void answer();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

/** A host that calls a peer whose task works until it is released. */
function callingHost(child: TestServer, options: HandlerOptions = {}, network?: Network) {
  const store = memoryStore();
  const host = startHost(front, { store, peers: { crm: child.url }, ...options }, network);
  const row = async () => (await store.listCalls({ limit: 1 }))[0];
  return { host, row };
}

function sweep(host: Host): Promise<Response> {
  return host.post('/_tandem/sweep', {}, { authorization: `Bearer ${CRON_SECRET}` });
}

test('a notification of the peer gives a task its result after its process was frozen', async () => {
  const gateway = await startGateway();
  const child = await startServer({ pushNotifications: true, push: { allowPrivate: [gateway.url] } });
  const { host, row } = callingHost(child, { publicUrl: gateway.url });
  gateway.host = host;
  const { id } = await host.send('go');
  await host.settled();
  // No request is in progress, and none waits for the call.
  expect((await row())?.progress).toMatchObject({ isHinted: true });
  expect(await host.stateOf(id)).toBe('working');
  child.release();
  await expect.poll(() => host.stateOf(id)).toBe('completed');
  expect(gateway.statuses[0]).toBe(204);
});

test('a sweep gives a task the result of its call after its process was frozen', async () => {
  const child = await startServer();
  const { host, row } = callingHost(child, { serverless: { runMs: 150 } });
  const { id } = await host.send('go');
  await host.settled();
  expect((await row())?.dueAt).toBeDefined();
  expect(await host.stateOf(id)).toBe('working');
  child.release();
  await expect
    .poll(async () => {
      await sweep(host);
      return host.stateOf(id);
    })
    .toBe('completed');
});

test('a self-request gives a task the result of a call that ends within its time', async () => {
  const child = await startServer();
  const { host, row } = callingHost(child);
  const { id } = await host.send('go');
  await expect.poll(async () => ((await row())?.progress as CallProgress | undefined)?.taskId).toBeDefined();
  child.release();
  await host.settled();
  expect(await host.stateOf(id)).toBe('completed');
});

test('the cancel of a task whose process was frozen cancels its call', async () => {
  const gateway = await startGateway();
  const child = await startServer({ pushNotifications: true, push: { allowPrivate: [gateway.url] } });
  const { host, row } = callingHost(child, { publicUrl: gateway.url });
  gateway.host = host;
  const { id } = await host.send('go');
  await host.settled();
  expect((await host.post(`/tasks/${id}:cancel`, {})).status).toBe(200);
  await expect.poll(row).toBeUndefined();
  expect(await host.stateOf(id)).toBe('canceled');
});
