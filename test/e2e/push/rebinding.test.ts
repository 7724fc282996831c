/** A name that leads to a public address when it is registered, and into the own network when it is told. */
import { expect, test } from 'vitest';
import { keptLog } from '../../helpers/kept-log.ts';
import { rawCall, type Way, WAYS } from '../../helpers/raw-call.ts';
import { verifies } from '../../helpers/verifies.ts';
import { startServer } from '../kit/server.ts';
import { startReceiver } from './receiver.ts';

const PUBLIC = '93.184.216.34';
const PRIVATE = '127.0.0.1';
const QUESTION = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'ask' }] } as const;

function interfaceOf(url: string, { binding, version }: Way): string {
  if (binding === 'JSONRPC') return `${url}/a2a`;
  return version === '0.3' ? `${url}/v1` : url;
}

/** A name server that says something else once its owner wants it to. */
function fickleNames() {
  let address = PUBLIC;
  const said: string[] = [];
  const resolve = async () => {
    said.push(address);
    return [{ address, family: 4 }];
  };
  return { resolve, said, rebind: () => void (address = PRIVATE) };
}

test.each(WAYS)(
  verifies('P-12', '$version over $binding: nothing is sent there, and who runs the server can see it'),
  async (way) => {
    const inside = await startReceiver();
    const names = fickleNames();
    const log = keptLog();
    const push = { allowHttp: true, resolve: names.resolve, maxAttempts: 1 };
    const server = await startServer({ pushNotifications: true, push, log, metrics: true });
    const sent = await server.ask({ method: 'POST', path: '/message:send', body: { message: QUESTION } });
    const { id: taskId } = (sent.json as { task: { id: string } }).task;
    const url = `http://rebinding.example.com:${new URL(inside.url).port}/hook`;

    const config = { taskId, id: 'c', url, token: 'for the receiver' };
    const created = await rawCall(way, interfaceOf(server.url, way), 'CreateTaskPushNotificationConfig', config);
    expect(created.status).toBeLessThan(300);
    expect(await created.text()).toContain(url);
    // Whoever asked now would hear that all is well.
    expect(names.said).toEqual([]);
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
    // Once for each attempt: there is no second answer that could be another.
    await expect.poll(async () => names.said.length - (await handler.deadLetters()).length).toBe(0);
    expect(new Set(names.said)).toEqual(new Set([PRIVATE]));
    expect(inside.connections()).toBe(0);
  },
);
