/** Push configurations are stored with their credentials and returned without them. */
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/store/memory/store.ts';
import { dialectFor, rawCall, type WireFormat, WIRE_FORMATS } from '../helpers/raw-call.ts';
import { verifies } from '../helpers/verifies.ts';
import type { Ask } from './kit/exchange.ts';
import { startServer } from './kit/server.ts';

const MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
const HOOK = { id: 'c', url: 'https://example.com/hook', token: 'token' };

function rpc(version: string, method: string, params: object): Ask {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  return { method: 'POST', path: '/a2a', headers: { 'a2a-version': version }, body };
}

test('a push configuration is returned with its token and without its credentials', async () => {
  const store = memoryStore();
  const { ask } = await startServer({ store, pushNotifications: true });
  const sent = await ask({ method: 'POST', path: '/message:send', body: { message: MESSAGE } });
  const { id: taskId } = (sent.json as { task: { id: string } }).task;
  const path = `/tasks/${taskId}/pushNotificationConfigs`;
  const authentication = { scheme: 'Bearer', credentials: 'secret' };
  const stored = async (): Promise<unknown> =>
    (await store.pushConfigs({ tenant: '', owner: 'anonymous' }, taskId, { limit: 1 }))?.[0]?.config.authentication;

  const created = await ask({ method: 'POST', path, body: { ...HOOK, authentication } });
  expect(created.json).toEqual({ ...HOOK, taskId, authentication });

  const shown = { ...HOOK, taskId, authentication: { scheme: 'Bearer' } };
  const read = await ask({ method: 'GET', path: `${path}/c` });
  expect(read.json).toEqual(shown);
  expect((await ask({ method: 'GET', path })).json).toEqual({ configs: [shown], nextPageToken: '' });
  const older = await ask(
    rpc('0.3', 'tasks/pushNotificationConfig/get', { id: taskId, pushNotificationConfigId: 'c' }),
  );
  expect(older.json).toMatchObject({
    result: { pushNotificationConfig: { token: 'token', authentication: { schemes: ['Bearer'] } } },
  });
  expect(older.text).not.toContain('credentials');
  expect(await stored()).toEqual(authentication);

  // A returned configuration can be sent again, which removes the credentials.
  expect((await ask({ method: 'POST', path, body: read.json })).json).toEqual(shown);
  expect(await stored()).toEqual({ scheme: 'Bearer' });
});

function interfaceOf(url: string, { binding, version }: WireFormat): string {
  if (binding === 'JSONRPC') return `${url}/a2a`;
  return version === '0.3' ? `${url}/v1` : url;
}

test.each(WIRE_FORMATS)(
  verifies(
    'P-13',
    '$version over $binding: only the response to the creation has the credentials; later ones have the token',
  ),
  async (format) => {
    const { ask, url } = await startServer({ pushNotifications: true });
    const sent = await ask({ method: 'POST', path: '/message:send', body: { message: MESSAGE } });
    const { id: taskId } = (sent.json as { task: { id: string } }).task;
    const place = interfaceOf(url, format);
    const authentication = { scheme: 'Bearer', credentials: 'top-secret' };
    const config = { ...HOOK, taskId, token: 'for-the-receiver', authentication };

    const created = await (await rawCall(format, place, 'CreateTaskPushNotificationConfig', config)).text();
    expect(created).toContain('for-the-receiver');
    expect(created).toContain('top-secret');

    const id = format.version === '0.1' ? taskId : 'c';
    const read = [await rawCall(format, place, 'GetTaskPushNotificationConfig', { taskId, id })];
    if ('ListTaskPushNotificationConfigs' in dialectFor(format).operations)
      read.push(await rawCall(format, place, 'ListTaskPushNotificationConfigs', { taskId }));
    for (const response of read) {
      expect(response.status).toBe(200);
      const text = await response.text();
      expect(text).toContain('for-the-receiver');
      expect(text).toContain('Bearer');
      expect(text).not.toContain('top-secret');
    }
  },
);
