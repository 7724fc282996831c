/** Push notifications in traces, metrics, dead letters and the audit log. */
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../src/client/entry.ts';
import type { AuditRecord } from '../../../src/observe/audit.ts';
import { agent } from '../../../src/agent/agent.ts';
import { openTelemetry, type SeenSpan } from '../../helpers/open-telemetry.ts';
import { verifies } from '../../helpers/verifies.ts';
import { serveOnSocket, startServer, type TestServer } from '../kit/server.ts';
import { type Responder, startReceiver } from './receiver.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACED = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, tracestate: 'vendor=1' };

const ECHO = agent({ name: 'Echo', id: 'echo', description: 'Repeats the message.', run: ({ text }) => text });

/** Responds with 503 until it recovers. */
function unavailable(): { readonly respond: Responder; recover(): void } {
  let status = 503;
  return { respond: (response) => void response.writeHead(status).end(), recover: () => void (status = 204) };
}

async function metricLines({ ask }: Pick<TestServer, 'ask'>): Promise<readonly string[]> {
  return (await ask({ method: 'GET', path: '/metrics' })).text.split('\n');
}

async function client(url: string): Promise<Awaited<ReturnType<typeof connect>>> {
  const connected = await connect(url);
  onTestFinished(() => connected.close());
  return connected;
}

test(verifies('O-03', 'a notification carries the trace of its task and the tracestate'), async () => {
  const receiver = await startReceiver();
  const { url } = await startServer({ pushNotifications: true, push: { allowPrivate: [receiver.origin] } });
  const agentClient = await client(url);

  await agentClient.send('hello', { ...TRACED, pushNotification: { url: receiver.url } });

  const [first] = await receiver.until(1);
  expect(first?.headers['traceparent']).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  expect(first?.headers['tracestate']).toBe('vendor=1');
});

test(verifies('O-03', 'every attempt is a span, whose id is in the notification'), async () => {
  const sdk = openTelemetry();
  const receiver = await startReceiver((response) => void response.writeHead(410).end());
  const second = await startReceiver();
  const allowPrivate = [receiver.origin, second.origin];
  const { url } = await serveOnSocket(ECHO, { pushNotifications: true, push: { allowPrivate }, tracing: sdk.api });
  const agentClient = await client(url);

  await agentClient.send('hello', { ...TRACED, pushNotification: { id: 'gone', url: receiver.url } });
  const { task } = await agentClient.send('hello', { ...TRACED, pushNotification: { id: 'kept', url: second.url } });

  await expect.poll(() => second.received.at(-1)?.text).toContain('TASK_STATE_COMPLETED');
  await expect.poll(() => sdk.named('a2a.push').length).toBe(second.received.length + 1);
  const attemptsOf = (id: string): readonly SeenSpan[] =>
    sdk.named('a2a.push').filter(({ attributes }) => attributes['a2a.push.config.id'] === id);
  const [gone] = attemptsOf('gone');
  const kept = attemptsOf('kept');
  expect(gone).toMatchObject({
    kind: sdk.api.SpanKind.CLIENT,
    traceId: TRACE,
    status: { code: sdk.api.SpanStatusCode.ERROR, message: 'The receiver responded with status 410' },
    attributes: { 'error.type': 'DeliveryFailed', 'a2a.push.attempt': 1 },
  });
  const operations = sdk.spans().filter(({ kind }) => kind === sdk.api.SpanKind.SERVER);
  const operation = operations.find(({ spanId }) => spanId === kept[0]?.parentId);
  expect(operation).toMatchObject({ traceId: TRACE });
  expect(kept.map(({ spanId }) => spanId)).toEqual(
    second.received.map(({ headers }) => headers['traceparent']?.split('-')[2]),
  );
  expect(kept[0]?.attributes).toMatchObject({
    'a2a.agent': 'echo',
    'a2a.task.id': task?.id,
    'a2a.push.delivery.id': second.received[0]?.headers['webhook-id'],
    'server.address': new URL(second.origin).host,
  });
  expect(JSON.stringify(kept)).not.toContain('/hook');
});

test(
  verifies(['O-04', 'P-11'], 'attempts are counted by outcome, and limited by maxAttempts and disableAfter'),
  async () => {
    const responses = unavailable();
    const receiver = await startReceiver(responses.respond);
    const server = await serveOnSocket(ECHO, {
      pushNotifications: true,
      push: { allowPrivate: [receiver.origin], maxAttempts: 1, disableAfter: 1 },
      metrics: true,
    });
    const agentClient = await client(server.url);

    await agentClient.send('hello', { pushNotification: { url: receiver.url } });

    await expect.poll(() => server.server.handler.deadLetters()).toHaveLength(1);
    expect(receiver.received).toHaveLength(1);
    expect(await metricLines(server)).toContain('tandem_push_deliveries_total{outcome="dead"} 1');
    await expect.poll(() => metricLines(server)).toContain('tandem_pushes 0');
    const [letter] = await server.server.handler.deadLetters();
    expect(letter?.disabled).toBe('1 events in a row could not be delivered: The receiver responded with status 503');
  },
);

test('an attempt that will be repeated is counted as failed and is not a dead letter', async () => {
  const responses = unavailable();
  const receiver = await startReceiver(responses.respond);
  const push = { allowPrivate: [receiver.origin] };
  const server = await serveOnSocket(ECHO, { pushNotifications: true, push, metrics: true });
  const agentClient = await client(server.url);

  await agentClient.send('hello', { pushNotification: { url: receiver.url } });

  await expect.poll(() => metricLines(server)).toContain('tandem_push_deliveries_total{outcome="failed"} 1');
  expect(await server.server.handler.deadLetters()).toEqual([]);
});

test(verifies('O-01', 'redelivery of dead letters is recorded in the audit log'), async () => {
  const responses = unavailable();
  const records: AuditRecord[] = [];
  const receiver = await startReceiver(responses.respond);
  const server = await serveOnSocket(ECHO, {
    pushNotifications: true,
    push: { allowPrivate: [receiver.origin], maxAgeMs: 0, disableAfter: 1 },
    metrics: true,
    audit: (record) => void records.push(record),
  });
  const { handler } = server.server;
  const agentClient = await client(server.url);
  const { task } = await agentClient.send('hello', { pushNotification: { id: 'hook', url: receiver.url } });
  await expect.poll(() => handler.deadLetters()).toHaveLength(1);
  const [letter] = await handler.deadLetters();
  responses.recover();

  await handler.redeliver(letter?.id ?? '');
  await handler.redeliver({ taskId: task?.id ?? '', configId: 'hook' });
  await expect(handler.redeliver('unknown')).rejects.toMatchObject({ code: 'INVALID_PARAMS' });

  expect(records).toMatchObject([
    { outcome: 'done', reason: 'redelivery', detail: letter?.id },
    { outcome: 'done', reason: 'redelivery', taskId: task?.id, detail: 'hook' },
  ]);
  expect(records).toHaveLength(2);
  await expect.poll(() => receiver.received.at(-1)?.text).toContain('TASK_STATE_COMPLETED');
  const delivered = `tandem_push_deliveries_total{outcome="delivered"} ${receiver.received.length - 1}`;
  await expect.poll(() => metricLines(server)).toContain(delivered);
});

test(verifies('O-01', 'an authorization of a task is recorded in the audit log, without the credential'), async () => {
  const records: AuditRecord[] = [];
  const waiting = agent({
    name: 'Waiting',
    description: 'Waits for a credential.',
    run: async ({ authorize }) => `${(await authorize('Sign in')).length} characters`,
  });
  const { url, server } = await serveOnSocket(waiting, { audit: (record) => void records.push(record) });
  const agentClient = await client(url);
  const { task } = await agentClient.send('hello');
  const taskId = task?.id ?? '';

  await server.handler.authorize({ taskId, callerId: 'anonymous' }, 'top-secret');
  await expect(server.handler.authorize({ taskId: 'other', callerId: 'anonymous' })).rejects.toMatchObject({
    code: 'TASK_NOT_FOUND',
  });

  expect(records).toMatchObject([{ outcome: 'done', reason: 'authorization', taskId, caller: 'anonymous' }]);
  expect(records).toHaveLength(1);
  expect(JSON.stringify(records)).not.toContain('top-secret');
});
