/** Calls whose peer notifies the calling host, over sockets. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { agent } from '../../../src/server/index.ts';
import type { CallProgress } from '../../../src/engine/calls/call-request.ts';
import type { ServeOptions } from '../../../src/node/serve.ts';
import { memoryStore } from '../../../src/store/memory/store.ts';
import type { CallRecord, Store } from '../../../src/store/store.ts';
import { exchange } from '../../e2e/kit/exchange.ts';
import { serveOnSocket, startServer } from '../../e2e/kit/server.ts';
import { getTask, sendTask } from '../../e2e/kit/tasks.ts';
import { REST_1 } from '../../e2e/kit/wire-formats.ts';

interface Notification {
  readonly path: string;
  readonly token: string;
  readonly status: number;
}

/** The public address of a host: passes notifications on to one of its nodes. */
async function startGateway() {
  const state = { url: '', target: '', received: [] as Notification[] };
  const server = createServer((incoming, outgoing) => {
    const { url: path = '', method = 'POST', headers } = incoming;
    const onward = request(new URL(path, state.target), { method, headers }, (response) => {
      const { statusCode: status = 0 } = response;
      response.resume();
      state.received.push({ path, token: String(headers['x-a2a-notification-token']), status });
      outgoing.writeHead(status).end();
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
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

/** A host that calls a peer which works until it is released, and notifies the host. */
async function startCall(more: Partial<ServeOptions> = {}) {
  const gateway = await startGateway();
  const child = await startServer({ pushNotifications: true, push: { allowPrivate: [gateway.url] } });
  const store = memoryStore();
  const front = agent({
    id: 'front',
    name: 'Front',
    description: 'Calls the other agent.',
    run: async ({ call }) => (await call('crm', 'hold')).text,
  });
  const options: ServeOptions = { store, peers: { crm: child.url }, publicUrl: gateway.url, insecurePublic: true };
  const startNode = (): ReturnType<typeof serveOnSocket> => serveOnSocket(front, { ...options, ...more });
  const caller = await serveOnSocket(front, options);
  gateway.target = caller.url;
  const { id } = await sendTask(caller, REST_1, { text: 'go', returnImmediately: true });
  const row = await hinted(store);
  const isDone = async (): Promise<void> => {
    await expect.poll(async () => (await getTask(caller, REST_1, id)).state).toBe('completed');
  };
  return { gateway, child, store, row, isDone, startNode };
}

/** The row of the call, once its node waits for notifications. */
async function hinted(store: Store): Promise<CallRecord> {
  for (;;) {
    const [row] = await store.listCalls({ limit: 1 });
    const { isHinted } = (row?.progress ?? {}) as CallProgress;
    if (row?.dueAt !== undefined && isHinted === true) return row;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function notify(url: string, callId: string, token: string): Promise<{ readonly status: number }> {
  const headers = { 'x-a2a-notification-token': token };
  return exchange(url, { method: 'POST', path: `/_tandem/calls/${callId}`, headers });
}

test('a call ends when its peer notifies the host, which stores no token', async () => {
  const { gateway, child, row, isDone } = await startCall();
  // Without the notification it would be polled in minutes.
  expect((row.dueAt ?? 0) - Date.now()).toBeGreaterThan(60_000);
  child.release();
  await isDone();
  const [first] = gateway.received;
  expect(first).toMatchObject({ path: `/_tandem/calls/${row.id}`, status: 204 });
  expect(JSON.stringify(row)).not.toContain(first?.token);
});

test('a notification that arrives at another node of the host makes the calling node continue', async () => {
  const { gateway, child, isDone, startNode } = await startCall({ role: 'web' });
  gateway.target = (await startNode()).url;
  child.release();
  await isDone();
  expect(gateway.received[0]).toMatchObject({ status: 204 });
});

test('a notification with another token gets 410 and does not make its call due', async () => {
  const { gateway, store, row } = await startCall();
  expect((await notify(gateway.target, row.id, 'wrong')).status).toBe(410);
  expect(await store.listCalls({ limit: 1 })).toEqual([row]);
});

test('a notification about a call that has ended gets 410', async () => {
  const { gateway, child, row, isDone } = await startCall();
  child.release();
  await isDone();
  const { token = '' } = gateway.received[0] ?? {};
  expect((await notify(gateway.target, row.id, token)).status).toBe(410);
});
