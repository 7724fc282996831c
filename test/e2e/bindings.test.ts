/** JSON-RPC and REST return the same, each in its own envelope (1.0 §5.1, §9, §11). */
import { describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { Mask } from './kit/mask.ts';
import { startServer } from './kit/server.ts';
import { eventsOf } from './kit/sse-text.ts';
import { sendTask } from './kit/tasks.ts';
import { REST_1, RPC_1, WIRE_FORMATS } from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

describe('JSON-RPC and REST of 1.0', () => {
  test.each(['hello', 'reply hi', 'ask', 'story', 'refine', 'reject no', 'authorize', 'about'])(
    verifies('B-01', 'the response to "%s" is the same over both bindings, except for the envelope'),
    async (text) => {
      const server = await startServer();
      const input = { text, messageId: 'm', contextId: 'our talk' };

      const overRpc = (await server.ask(RPC_1.send(input))).json as { result: unknown };
      const overRest = await (await startServer()).ask(REST_1.send(input));

      expect(new Mask().json(overRest.json)).toEqual(new Mask().json(overRpc.result));
    },
  );

  test.each(['hello', 'reply hi', 'ask', 'story'])(
    verifies('B-01', 'the stream for "%s" has the same events over both bindings'),
    async (text) => {
      const input = { text, messageId: 'm', contextId: 'our talk' };

      const [overRpc, overRest] = await Promise.all(
        [RPC_1, REST_1].map(async (format) => (await (await startServer()).ask(format.stream(input))).text),
      );

      const bare = (stream: string | undefined): unknown =>
        new Mask().json(
          eventsOf(stream ?? '').map(({ id, json }) => [id, (json as { result?: unknown }).result ?? json]),
        );
      expect(bare(overRest)).toEqual(bare(overRpc));
    },
  );

  test(verifies('B-01', 'a task that was created over one binding can be used over the other'), async () => {
    const server = await startServer();
    const overRpc = await sendTask(server, RPC_1, { text: 'ask' });
    const overRest = await sendTask(server, REST_1, { text: 'ask' });

    const seen = REST_1.task(await server.ask(REST_1.get(overRpc.id)));
    const canceled = RPC_1.task(await server.ask(RPC_1.cancel(overRest.id)));
    const answered = await sendTask(server, REST_1, { text: 'Paris', taskId: overRpc.id });

    expect(seen).toEqual(overRpc);
    expect(canceled).toMatchObject({ id: overRest.id, state: 'canceled' });
    expect(answered).toMatchObject({ id: overRpc.id, artifacts: { trip: 'Off to Paris' } });
  });

  test(verifies('B-01', 'both bindings have every operation, with the same result'), async () => {
    const server = await startServer({ pushNotifications: true });
    const { id } = await sendTask(server, RPC_1, { text: 'ask' });
    const hook = { url: 'https://example.com/hook', id: 'c' };
    const configs = `/tasks/${id}/pushNotificationConfigs`;

    const pairs = [
      [rpc('1.0', 'ListTasks', {}), { method: 'GET', path: '/tasks' }],
      [
        rpc('1.0', 'CreateTaskPushNotificationConfig', { taskId: id, ...hook }),
        { method: 'POST', path: configs, body: hook },
      ],
      [rpc('1.0', 'GetTaskPushNotificationConfig', { taskId: id, id: 'c' }), { method: 'GET', path: `${configs}/c` }],
      [rpc('1.0', 'ListTaskPushNotificationConfigs', { taskId: id }), { method: 'GET', path: configs }],
      [rpc('1.0', 'GetTask', { id }), { method: 'GET', path: `/tasks/${id}` }],
      [rpc('1.0', 'CancelTask', { id }), { method: 'POST', path: `/tasks/${id}:cancel` }],
    ] as const;
    for (const [overRpc, overRest] of pairs) {
      const { result } = (await server.ask(overRpc)).json as { result: unknown };
      expect((await server.ask(overRest)).json).toEqual(result);
    }
    const gone = await server.ask({ method: 'DELETE', path: `${configs}/c` });
    const goneAgain = await server.ask(rpc('1.0', 'DeleteTaskPushNotificationConfig', { taskId: id, id: 'c' }));
    expect([gone.status, gone.text]).toEqual([200, '{}']);
    expect(goneAgain.json).toEqual({ jsonrpc: '2.0', id: 1, result: null });
  });
});

describe('the envelope of a binding', () => {
  test.each(WIRE_FORMATS)(
    verifies(
      ['B-05', 'B-08'],
      '$name: responses and errors have the media type of the binding, and streams text/event-stream',
    ),
    async (format) => {
      const server = await startServer();
      const type = format === REST_1 ? 'application/a2a+json' : 'application/json';

      const answer = await server.ask(format.send({ text: 'Grüße, 你好, 🙂' }));
      const error = await server.ask(format.get('unknown'));
      const stream = await server.ask(format.stream({ text: 'Grüße, 你好, 🙂' }));

      expect(answer.headers['content-type']).toBe(type);
      expect(error.headers['content-type']).toBe(type);
      expect(stream.headers['content-type']).toBe('text/event-stream');
      // The text survives because every body is UTF-8.
      expect(format.sent(answer)).toMatchObject({ task: { artifacts: { echo: 'Grüße, 你好, 🙂' } } });
      expect(stream.text).toContain('Grüße, 你好, 🙂');
      expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.text)));
    },
  );

  test.each([1, 0, -7, 'seven', '', null, 1.5])(
    verifies('B-05', 'JSON-RPC: responses, errors and events return the request id %j unchanged'),
    async (id) => {
      const server = await startServer();
      const params = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } };

      const answer = await server.ask(rpc('1.0', 'SendMessage', params, id));
      const error = await server.ask(rpc('1.0', 'GetTask', { id: 'unknown' }, id));
      const stream = await server.ask(rpc('1.0', 'SendStreamingMessage', params, id));

      const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`;
      expect(answer.text.startsWith(`${start}"result":`)).toBe(true);
      expect(error.text.startsWith(`${start}"error":`)).toBe(true);
      for (const line of stream.text.split('\n').filter((each) => each.startsWith('data'))) {
        expect(line.startsWith(`data: ${start}"result":`)).toBe(true);
      }
    },
  );

  test('REST: a wrong HTTP method gets 405 with the allowed methods', async () => {
    const server = await startServer();

    const { status, headers } = await server.ask({ method: 'PUT', path: '/tasks/t:subscribe' });
    const rpcPath = await server.ask({ method: 'GET', path: '/a2a' });

    expect([status, headers['allow']]).toEqual([405, 'POST, GET']);
    expect([rpcPath.status, rpcPath.headers['allow']]).toEqual([405, 'POST']);
  });

  test('REST: an id is one path segment, percent-decoded once', async () => {
    const server = await startServer();

    const answer = await server.ask({ method: 'GET', path: '/tasks/a%2Fb%3Ac%2525' });

    expect(answer.json).toMatchObject({ error: { message: 'Task a/b:c%25 does not exist' } });
  });

  test('REST: an id in the body that differs from the path is rejected', async () => {
    const server = await startServer();

    const { status, json } = await server.ask({ method: 'POST', path: '/tasks/one:cancel', body: { id: 'two' } });

    expect(status).toBe(400);
    expect(json).toMatchObject({
      error: { details: [{ reason: 'INVALID_PARAMS' }, { fieldViolations: [{ field: 'id' }] }] },
    });
  });
});
