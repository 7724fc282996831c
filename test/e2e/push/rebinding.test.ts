/** DNS rebinding: a host name that resolves to a public address at first, and to a private one at the delivery. */
import { expect, test } from 'vitest';
import { recordingLog } from '../../helpers/recording-log.ts';
import { rawCall, type WireFormat, WIRE_FORMATS } from '../../helpers/raw-call.ts';
import { verifies } from '../../helpers/verifies.ts';
import { startServer } from '../kit/server.ts';
import { startReceiver } from './receiver.ts';

const PUBLIC = '93.184.216.34';
const PRIVATE = '127.0.0.1';
const QUESTION = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'ask' }] } as const;

function interfaceOf(url: string, { binding, version }: WireFormat): string {
  if (binding === 'JSONRPC') return `${url}/a2a`;
  return version === '0.3' ? `${url}/v1` : url;
}

/** A resolver whose address changes on command. */
function rebindingResolver() {
  let address = PUBLIC;
  const resolved: string[] = [];
  const resolve = async () => {
    resolved.push(address);
    return [{ address, family: 4 }];
  };
  return { resolve, resolved, rebind: () => void (address = PRIVATE) };
}

test.each(WIRE_FORMATS)(
  verifies(
    'P-12',
    '$version over $binding: a rebound host name gets no notification, and the log, metrics and dead letters show it',
  ),
  async (format) => {
    const privateReceiver = await startReceiver();
    const names = rebindingResolver();
    const log = recordingLog();
    const push = { allowHttp: true, resolve: names.resolve, maxAttempts: 1 };
    const server = await startServer({ pushNotifications: true, push, log, metrics: true });
    const sent = await server.ask({ method: 'POST', path: '/message:send', body: { message: QUESTION } });
    const { id: taskId } = (sent.json as { task: { id: string } }).task;
    const url = `http://rebinding.example.com:${new URL(privateReceiver.url).port}/hook`;

    const config = { taskId, id: 'c', url, token: 'for the receiver' };
    const created = await rawCall(format, interfaceOf(server.url, format), 'CreateTaskPushNotificationConfig', config);
    expect(created.status).toBeLessThan(300);
    expect(await created.text()).toContain(url);
    // The name is not resolved yet: at this time the address would be public.
    expect(names.resolved).toEqual([]);
    names.rebind();
    const answer = { ...QUESTION, messageId: 'answer', taskId, parts: [{ text: 'Lyon' }] };
    const done = await server.ask({ method: 'POST', path: '/message:send', body: { message: answer } });

    expect(done.text).toContain('TASK_STATE_COMPLETED');
    const { handler } = server.server;
    await expect.poll(() => handler.deadLetters()).not.toEqual([]);
    const letters = await handler.deadLetters();
    const reason = 'The push URL must be a public address that this agent is allowed to call';
    for (const letter of letters) expect(letter).toMatchObject({ taskId, reason, attempts: 1 });
    const { text } = await server.ask({ method: 'GET', path: '/metrics' });
    expect(text).toMatch(/tandem_push_deliveries_total\{outcome="dead"\} [1-9]/);
    expect(log.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'Did not send push notification: its URL resolves to a private network',
        fields: expect.objectContaining({ taskId }),
      }),
    );
    // Once per attempt, so that no second resolution can give another address.
    await expect.poll(async () => names.resolved.length - (await handler.deadLetters()).length).toBe(0);
    expect(new Set(names.resolved)).toEqual(new Set([PRIVATE]));
    expect(privateReceiver.connections()).toBe(0);
  },
);
