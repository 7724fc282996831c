/** Push notifications on a serverless host, where no process outlives its response. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { agent } from '../../../src/server/index.ts';
import { CRON_SECRET, type Host, messageOf, startHost } from './host.ts';

const echo = agent({ name: 'Echo', description: 'Returns the text.', run: ({ text }) => `${text}!` });

interface Receiver {
  readonly url: string;
  readonly received: string[];
  isDown: boolean;
}

async function startReceiver(): Promise<Receiver> {
  const http = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      if (!receiver.isDown) receiver.received.push(...(/TASK_STATE_\w+|artifactUpdate/.exec(body) ?? []));
      response.writeHead(receiver.isDown ? 503 : 200).end();
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    received: [],
    isDown: false,
  };
  return receiver;
}

function hostFor({ url }: Receiver): Host {
  return startHost(echo, { pushNotifications: true, push: { allowPrivate: [url] } });
}

async function send(host: Host, receiver: Receiver, returnImmediately: boolean): Promise<Response> {
  const taskPushNotificationConfig = { url: `${receiver.url}/hook` };
  const configuration = { returnImmediately, taskPushNotificationConfig };
  return host.post('/message:send', { message: messageOf('hello'), configuration });
}

test.each([
  ['does not wait', true],
  ['waits', false],
])('a push receiver gets every event of a task whose sender %s', async (_, returnImmediately) => {
  const receiver = await startReceiver();
  const host = hostFor(receiver);
  expect((await send(host, receiver, returnImmediately)).status).toBe(200);
  await vi.waitFor(() => expect(receiver.received.at(-1)).toBe('TASK_STATE_COMPLETED'));
  await host.settled();
  expect(receiver.received).toEqual(expect.arrayContaining(['TASK_STATE_SUBMITTED', 'artifactUpdate']));
  expect(new Set(receiver.received).size).toBe(receiver.received.length);
});

test('a push receiver is notified when a task is canceled while its question is open', async () => {
  const receiver = await startReceiver();
  const clerk = agent({ name: 'Clerk', description: 'Asks back.', run: ({ ask }) => ask('Where to?') });
  const host = startHost(clerk, { pushNotifications: true, push: { allowPrivate: [receiver.url] } });
  const { task } = (await (await send(host, receiver, true)).json()) as { readonly task: { readonly id: string } };
  await vi.waitFor(() => expect(receiver.received.at(-1)).toBe('TASK_STATE_INPUT_REQUIRED'));
  await host.settled();
  expect((await host.post(`/tasks/${task.id}:cancel`, {})).status).toBe(200);
  await vi.waitFor(() => expect(receiver.received.at(-1)).toBe('TASK_STATE_CANCELED'));
});

test('a sweep repeats the push notifications that an unavailable receiver missed', { timeout: 20_000 }, async () => {
  const receiver = await startReceiver();
  receiver.isDown = true;
  const host = hostFor(receiver);
  await send(host, receiver, true);
  await host.settled();
  expect(receiver.received).toEqual([]);
  receiver.isDown = false;
  // The first retry is due in about two seconds.
  await vi.waitFor(
    async () => {
      await host.post('/_tandem/sweep', {}, { authorization: `Bearer ${CRON_SECRET}` });
      expect(receiver.received.at(-1)).toBe('TASK_STATE_COMPLETED');
    },
    { timeout: 15_000, interval: 200 },
  );
});
