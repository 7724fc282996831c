/** Requests on which the official conformance kits differ from the specification, and the responses that we keep. */
import { describe, expect, test } from 'vitest';

import type { Answer } from './kit/exchange.ts';
import { rest, rpc, rpcOf } from './kit/raw-requests.ts';
import { startServer } from './kit/server.ts';

describe('a card for the kit of 1.0, whose schema allows no other members', () => {
  test.each([
    { cardForm: '1.0' as const, others: [] },
    { cardForm: undefined, others: ['additionalInterfaces', 'preferredTransport', 'protocolVersion', 'url'] },
  ])('with cardForm: $cardForm has the members of 0.3: $others', async ({ cardForm, others }) => {
    const server = await startServer(cardForm === undefined ? {} : { cardForm });

    const { json } = await server.ask({ method: 'GET', path: '/.well-known/agent-card.json' });

    const ofOld = ['additionalInterfaces', 'preferredTransport', 'protocolVersion', 'security', 'url'];
    expect(
      Object.keys(json as object)
        .filter((name) => ofOld.includes(name))
        .toSorted(),
    ).toEqual(others);
    const { capabilities } = json as { readonly capabilities: object };
    expect(Object.hasOwn(capabilities, 'stateTransitionHistory')).toBe(others.length > 0);
  });
});

describe('requests whose response the kits expect to differ from the specification', () => {
  test('a part of an undeclared media type gets 400 over REST of 1.0 and -32005 over JSON-RPC', async () => {
    const server = await startServer({ agent: { inputModes: ['text/plain'] } });
    const message =
      '{"messageId":"tck-1","role":"ROLE_USER","parts":[{"raw":"AAAA","mediaType":"application/x-unsupported-type"}]}';
    const version = { 'a2a-version': '1.0' };

    const overRest = await server.ask(rest('/message:send', `{"message":${message}}`, version));
    const overRpc = await server.ask(
      rpc(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":${message}}}`, version),
    );

    expect(overRest.status).toBe(400);
    expect(overRest.headers['content-type']).toBe('application/a2a+json');
    expect(overRest.json).toMatchObject({
      error: { status: 'INVALID_ARGUMENT', details: [{ reason: 'CONTENT_TYPE_NOT_SUPPORTED' }, {}] },
    });
    expect(overRpc.json).toMatchObject({ error: { code: -32005 } });
    expect(server.runs()).toBe(0);
  });

  test('a follow-up in another context gets -32602 over REST of 0.3, and none in its own context', async () => {
    const server = await startServer();
    const bodyOf = (more: string): string =>
      `{"request":{"message_id":"m-1","role":"ROLE_USER","content":[{"text":"ask"}]${more}}}`;
    const { task } = (await server.ask(rest('/v1/message:send', bodyOf('')))).json as {
      readonly task: { readonly id: string; readonly contextId: string };
    };

    const wrong = await server.ask(rest('/v1/message:send', bodyOf(`,"task_id":"${task.id}","context_id":"made up"`)));
    const right = await server.ask(
      rest('/v1/message:send', bodyOf(`,"task_id":"${task.id}","context_id":"${task.contextId}"`)),
    );

    expect([wrong.status, right.status]).toEqual([400, 200]);
    expect(wrong.json).toMatchObject({ code: -32602 });
  });

  test('a first message of 0.2 with a taskId of its own gets -32001', async () => {
    const server = await startServer();
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m-1","taskId":"tck-made-up","role":"user","parts":[{"kind":"text","text":"x"}]}}}';

    const answer = await server.ask(rpc(body, { 'a2a-version': '0.2' }));

    expect(rpcOf(answer).error?.code).toBe(-32001);
    expect(server.runs()).toBe(0);
  });

  test('a push configuration of 0.3 that is set without an id goes by the id of its task', async () => {
    const server = await startServer({ pushNotifications: true });
    const ask =
      '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m-1","role":"user","parts":[{"kind":"text","text":"ask"}]}}}';
    const id = rpcOf(await server.ask(rpc(ask))).result?.id ?? '';
    const call = (name: string, params: string): Promise<Answer> =>
      server.ask(rpc(`{"jsonrpc":"2.0","id":1,"method":"tasks/pushNotificationConfig/${name}","params":${params}}`));
    await call('set', `{"taskId":"${id}","pushNotificationConfig":{"url":"https://example.com/webhook"}}`);

    const byDefault = await call('get', `{"id":"${id}","pushNotificationConfigId":"default"}`);
    const byTask = await call('get', `{"id":"${id}","pushNotificationConfigId":"${id}"}`);
    const only = await call('get', `{"id":"${id}"}`);

    expect(rpcOf(byDefault).error).toBeDefined();
    for (const got of [byTask, only]) {
      expect(got.json).toMatchObject({
        result: { taskId: id, pushNotificationConfig: { id, url: 'https://example.com/webhook' } },
      });
    }
  });
});
