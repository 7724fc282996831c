/** Push notifications from an agent to a receiver, with the public API: serve, connect and createWebhookHandler. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../src/client/entry.ts';
import { deferred } from '../../../src/support/deferred.ts';
import { createWebhookHandler, toExpressWebhook, type WebhookEvent } from '../../../src/webhooks/index.ts';
import { rawCall, type WireFormat, WIRE_FORMATS } from '../../helpers/raw-call.ts';
import { verifies } from '../../helpers/verifies.ts';
import { startServer } from '../kit/server.ts';
import { type Received, startReceiver } from './receiver.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

function summaryOf(event: WebhookEvent): string {
  return event.type === 'artifact' ? `artifact ${event.text}` : `${event.type} ${'state' in event ? event.state : ''}`;
}

test(verifies(['P-06', 'P-08', 'P-14'], 'every update of a task arrives once, signed, in order'), async () => {
  const events: WebhookEvent[] = [];
  const handler = createWebhookHandler({ secret: SECRET, onEvent: (event) => void events.push(event) });
  const mounted = toExpressWebhook(handler);
  const http = createServer(
    (request, response) => void mounted(request, response, (error) => expect(error).toBe(undefined)),
  );
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const server = await startServer({
    pushNotifications: true,
    push: { allowPrivate: [origin], signingSecret: SECRET },
  });
  const agent = await connect(server.url);
  onTestFinished(() => agent.close());

  await agent.send('story', { pushNotification: { url: `${origin}/hook`, token: 'abc' } });

  await expect.poll(() => events.map(summaryOf).at(-1)).toBe('status completed');
  expect(events.map(summaryOf)).toEqual([
    'task submitted',
    'status working',
    'artifact Roses ',
    'artifact Mind the thorns',
    'artifact are red',
    'status working',
    'status completed',
  ]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
});

function interfaceOf(url: string, { binding, version }: WireFormat): string {
  if (binding === 'JSONRPC') return `${url}/a2a`;
  return version === '0.3' ? `${url}/v1` : url;
}

test.each(WIRE_FORMATS)(
  verifies(
    ['P-06', 'P-07'],
    '$version over $binding: a receiver registered in a message is notified in the format of that version',
  ),
  async (format) => {
    const receiver = await startReceiver();
    const server = await startServer({ pushNotifications: true, push: { allowPrivate: [receiver.origin] } });
    const authentication = { scheme: 'Bearer', credentials: 'xyz' };
    await rawCall(format, interfaceOf(server.url, format), 'SendMessage', {
      message: {
        messageId: 'm',
        role: 'ROLE_USER',
        parts: [{ text: 'hello' }],
        ...(format.version === '0.1' && { taskId: 'mine' }),
      },
      configuration: { taskPushNotificationConfig: { url: receiver.url, token: 'abc', authentication } },
    });

    await expect.poll(() => receiver.received.at(-1)?.text).toMatch(/"(TASK_STATE_COMPLETED|completed)"/);
    const last = receiver.received.at(-1);
    expect(last?.headers).toMatchObject({ 'x-a2a-notification-token': 'abc', authorization: 'Bearer xyz' });
    expect(last?.json).toMatchObject(
      format.version === '1.0'
        ? { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } }
        : { status: { state: 'completed' }, ...(format.version === '0.1' ? { id: 'mine' } : { kind: 'task' }) },
    );
  },
);

const STATES = ['submitted', 'working', 'working', 'completed'];

/** The state in a notification, without the prefix of 1.0. */
function stateIn({ text }: Received): string {
  return /"state":"(?:TASK_STATE_)?(\w+)"/.exec(text)?.[1]?.toLowerCase() ?? 'none';
}

test.each(WIRE_FORMATS)(
  verifies(
    'P-06',
    '$version over $binding: a receiver that is slow gets each state of a task that has ended, and not only the last one',
  ),
  async (format) => {
    const isOver = deferred<void>();
    const receiver = await startReceiver((response) => void isOver.promise.then(() => response.writeHead(204).end()));
    const server = await startServer({ pushNotifications: true, push: { allowPrivate: [receiver.origin] } });
    await rawCall(format, interfaceOf(server.url, format), 'SendMessage', {
      message: {
        messageId: 'm',
        role: 'ROLE_USER',
        parts: [{ text: 'story' }],
        ...(format.version === '0.1' && { taskId: 'mine' }),
      },
      configuration: { taskPushNotificationConfig: { url: receiver.url } },
    });
    // The task has ended by now, and its first event is still being delivered.
    isOver.resolve();

    await expect
      .poll(() => receiver.received.map(stateIn).filter((state) => state !== 'none'), { timeout: 10_000 })
      .toEqual(STATES);
    const [first] = receiver.received;
    expect(first?.text).not.toContain('artifacts');
  },
);

test(verifies('P-05', 'a deleted receiver gets no notifications, while others still do'), async () => {
  const deleted = await startReceiver();
  const kept = await startReceiver();
  const allowPrivate = [deleted.origin, kept.origin];
  const server = await startServer({ pushNotifications: true, push: { allowPrivate } });
  const agent = await connect(server.url);
  onTestFinished(() => agent.close());
  const { task } = await agent.send('ask');
  const taskId = task?.id ?? '';
  await agent.pushConfigs.set(taskId, { id: 'gone', url: deleted.url });
  await agent.pushConfigs.set(taskId, { id: 'kept', url: kept.url });
  await agent.pushConfigs.delete(taskId, 'gone');
  const before = deleted.received.length;

  await agent.send('Lyon', { taskId });

  await expect.poll(() => kept.received.at(-1)?.text).toContain('TASK_STATE_COMPLETED');
  expect(deleted.received).toHaveLength(before);
});
