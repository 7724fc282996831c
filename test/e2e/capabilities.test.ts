/** Capabilities that an agent does not offer: their operations get the specified error, and the card declares it (1.0 §3.3.4). */
import { describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import type { Ask } from './kit/exchange.ts';
import { startServer } from './kit/server.ts';
import { sendTask } from './kit/tasks.ts';
import { REST_03, REST_1, RPC_01, RPC_02, RPC_03, RPC_1, WIRE_FORMATS, type WireFormat } from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

interface Operation {
  readonly name: string;
  readonly format: WireFormat;
  readonly ask: (taskId: string) => Ask;
}

const operation = (format: WireFormat, what: string, ask: Operation['ask']): Operation => ({
  name: `${format.name} ${what}`,
  format,
  ask,
});

const call =
  (version: string, method: string, params: (id: string) => unknown): Operation['ask'] =>
  (id) =>
    rpc(version, method, params(id));

const rest =
  (version: string, method: string, path: (id: string) => string, body?: unknown): Operation['ask'] =>
  (id) => ({ method, path: path(id), headers: { 'a2a-version': version }, ...(body !== undefined && { body }) });

const HOOK = { url: 'https://example.com/hook' };
const CONFIGS = 'pushNotificationConfigs';

const PUSH: readonly Operation[] = [
  operation(
    RPC_1,
    'create',
    call('1.0', 'CreateTaskPushNotificationConfig', (taskId) => ({ taskId, ...HOOK })),
  ),
  operation(
    RPC_1,
    'get',
    call('1.0', 'GetTaskPushNotificationConfig', (taskId) => ({ taskId, id: 'c' })),
  ),
  operation(
    RPC_1,
    'list',
    call('1.0', 'ListTaskPushNotificationConfigs', (taskId) => ({ taskId })),
  ),
  operation(
    RPC_1,
    'delete',
    call('1.0', 'DeleteTaskPushNotificationConfig', (taskId) => ({ taskId, id: 'c' })),
  ),
  operation(
    REST_1,
    'create',
    rest('1.0', 'POST', (id) => `/tasks/${id}/${CONFIGS}`, HOOK),
  ),
  operation(
    REST_1,
    'get',
    rest('1.0', 'GET', (id) => `/tasks/${id}/${CONFIGS}/c`),
  ),
  operation(
    REST_1,
    'list',
    rest('1.0', 'GET', (id) => `/tasks/${id}/${CONFIGS}`),
  ),
  operation(
    REST_1,
    'delete',
    rest('1.0', 'DELETE', (id) => `/tasks/${id}/${CONFIGS}/c`),
  ),
  ...[RPC_03, RPC_02].flatMap((format) => {
    const push = (verb: string, more: object): Operation =>
      operation(
        format,
        verb,
        call(format.version, `tasks/pushNotificationConfig/${verb}`, (id) => ({ id, ...more })),
      );
    return [
      operation(
        format,
        'set',
        call(format.version, 'tasks/pushNotificationConfig/set', (taskId) => ({
          taskId,
          pushNotificationConfig: HOOK,
        })),
      ),
      push('get', {}),
      push('list', {}),
      push('delete', { pushNotificationConfigId: 'c' }),
    ];
  }),
  operation(
    REST_03,
    'get',
    rest('0.3', 'GET', (id) => `/v1/tasks/${id}/${CONFIGS}/c`),
  ),
  operation(
    REST_03,
    'list',
    rest('0.3', 'GET', (id) => `/v1/tasks/${id}/${CONFIGS}`),
  ),
  operation(
    RPC_01,
    'set',
    call('0.1', 'tasks/pushNotification/set', (id) => ({ id, pushNotificationConfig: HOOK })),
  ),
  operation(
    RPC_01,
    'get',
    call('0.1', 'tasks/pushNotification/get', (id) => ({ id })),
  ),
];

describe('an agent without push notifications', () => {
  test.each(PUSH)(
    verifies('K-01', '$name of a push configuration gets PushNotificationNotSupported'),
    async ({ format, ask }) => {
      const server = await startServer();
      const { id } = await sendTask(server, format, { text: 'hello' });

      const known = format.error(await server.ask(ask(id)));
      const unknown = format.error(await server.ask(ask('no-such-task')));

      // The error is the same whether the task exists or not.
      for (const error of [known, unknown]) {
        expect(error).toMatchObject({
          reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
          code: format === REST_1 ? undefined : -32003,
          status: format.binding === 'REST' ? 400 : 200,
        });
      }
    },
  );

  test(verifies('K-01', 'a message with a push configuration is rejected before a task starts'), async () => {
    const server = await startServer();
    const configuration = { taskPushNotificationConfig: HOOK };
    const { body } = RPC_1.send({ text: 'hello' });
    const { params } = body as { params: object };

    const error = RPC_1.error(await server.ask(rpc('1.0', 'SendMessage', { ...params, configuration })));

    expect(error.reason).toBe('PUSH_NOTIFICATION_NOT_SUPPORTED');
    expect(server.runs()).toBe(0);
  });

  test('declares pushNotifications: false on its card, and an agent with them accepts the same request', async () => {
    const without = await startServer();
    const withThem = await startServer({ pushNotifications: true });
    const [create] = PUSH;
    const { id } = await sendTask(withThem, RPC_1, { text: 'ask' });

    const card = { method: 'GET', path: '/.well-known/agent-card.json' };
    expect((await without.ask(card)).json).toMatchObject({ capabilities: { pushNotifications: false } });
    expect((await withThem.ask(card)).json).toMatchObject({ capabilities: { pushNotifications: true } });
    expect((await withThem.ask(create?.ask(id) ?? card)).json).toMatchObject({ result: { taskId: id, ...HOOK } });
  });
});

describe('an agent without streams', () => {
  test.each(WIRE_FORMATS)(verifies('K-02', '$name: stream and subscribe get UnsupportedOperation'), async (format) => {
    const server = await startServer({ streaming: false });
    const { id } = await sendTask(server, format, { text: 'ask' });

    const stream = format.error(await server.ask(format.stream({ text: 'hello' })));
    const subscribe = format.error(await server.ask(format.subscribe(id)));

    for (const error of [stream, subscribe]) {
      expect(error).toMatchObject({
        reason: 'UNSUPPORTED_OPERATION',
        // 0.1 has another code for this error.
        code: format === REST_1 ? undefined : format === RPC_01 ? -32006 : -32004,
        status: format.binding === 'REST' ? 400 : 200,
      });
    }
    expect(server.runs()).toBe(1);
  });

  test('declares streaming: false on its card', async () => {
    const server = await startServer({ streaming: false });

    const { json } = await server.ask({ method: 'GET', path: '/.well-known/agent-card.json' });

    expect(json).toMatchObject({ capabilities: { streaming: false } });
  });
});

describe('an agent without an extended card', () => {
  test.each([
    operation(
      RPC_1,
      'GetExtendedAgentCard',
      call('1.0', 'GetExtendedAgentCard', () => ({})),
    ),
    operation(
      RPC_1,
      'GetExtendedAgentCard without params',
      call('1.0', 'GetExtendedAgentCard', () => undefined),
    ),
    operation(
      REST_1,
      'GET /extendedAgentCard',
      rest('1.0', 'GET', () => '/extendedAgentCard'),
    ),
    operation(
      REST_03,
      'GET /v1/card',
      rest('0.3', 'GET', () => '/v1/card'),
    ),
    operation(
      RPC_03,
      'its method',
      call('0.3', 'agent/getAuthenticatedExtendedCard', () => undefined),
    ),
  ])(verifies('K-03', '$name gets UnsupportedOperation'), async ({ format, ask }) => {
    const server = await startServer();

    const error = format.error(await server.ask(ask('')));

    expect(error).toMatchObject({
      reason: 'UNSUPPORTED_OPERATION',
      code: format === REST_1 ? undefined : -32004,
      status: format.binding === 'REST' ? 400 : 200,
    });
  });

  test(verifies('K-03', 'does not declare one on its public card'), async () => {
    const server = await startServer();

    const { json, text } = await server.ask({
      method: 'GET',
      path: '/.well-known/agent-card.json',
      headers: { 'a2a-version': '1.0' },
    });

    expect(json).toMatchObject({ capabilities: { streaming: true } });
    expect(text).not.toContain('extendedAgentCard');
  });
});
