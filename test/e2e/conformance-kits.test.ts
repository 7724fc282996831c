/** The requests on which the official conformance kits of 0.2, 0.3 and 1.0 found fault with the server, byte for byte. */
import { describe, expect, test } from 'vitest';

import type { Ask } from './kit/exchange.ts';
import { startServer } from './kit/server.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

function rpc(body: string, headers: Readonly<Record<string, string>> = {}): Ask {
  return { method: 'POST', path: '/a2a', headers: { ...JSON_TYPE, ...headers }, body };
}

function rest(path: string, body: string, headers: Readonly<Record<string, string>> = {}): Ask {
  return { method: 'POST', path, headers: { ...JSON_TYPE, ...headers }, body };
}

describe('a request whose Content-Type is not JSON', () => {
  const body = '{"message":{"role":"ROLE_USER","parts":[{"text":"ct test"}],"messageId":"tck-status-ct-004"}}';
  const TEXT = { 'content-type': 'text/plain' };

  test('gets 400 over REST of 1.0, the status that 1.0.1 gives to ContentTypeNotSupportedError', async () => {
    const server = await startServer();

    const answer = await server.ask(rest('/message:send', body, { ...TEXT, 'a2a-version': '1.0' }));

    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        details: [{ reason: 'CONTENT_TYPE_NOT_SUPPORTED', domain: 'a2a-protocol.org' }],
      },
    });
    expect(server.runs()).toBe(0);
  });

  test('gets 415 over REST of 0.3 and over JSON-RPC', async () => {
    const server = await startServer();

    const old = await server.ask(rest('/v1/message:send', body, TEXT));
    const overRpc = await server.ask({ ...rpc(body, TEXT), headers: { ...TEXT, 'a2a-version': '1.0' } });

    expect([old.status, overRpc.status]).toEqual([415, 415]);
    expect(old.json).toMatchObject({ code: -32005 });
    expect(overRpc.json).toMatchObject({ error: { code: -32005 } });
  });
});

describe('a JSON-RPC request without an id', () => {
  test.each([
    { what: 'an unknown method', code: -32601, body: '{"jsonrpc":"2.0","method":"message/ssend","params":{}}' },
    {
      what: 'wrong params',
      code: -32602,
      body: '{"jsonrpc":"2.0","method":"message/send","params":{"":"not_a_dict"}}',
    },
    {
      what: 'nothing else wrong',
      code: -32600,
      body: '{"jsonrpc":"2.0","method":"message/send","params":{"message":{"kind":"message","messageId":"m-1","role":"user","parts":[{"kind":"text","text":"x"}]}}}',
    },
    {
      what: 'no params where there are none',
      code: -32600,
      body: '{"jsonrpc":"2.0","method":"agent/getAuthenticatedExtendedCard"}',
    },
  ])('with $what gets $code', async ({ body, code }) => {
    const server = await startServer();

    const answer = await server.ask(rpc(body));

    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code } });
    expect(server.runs()).toBe(0);
  });
});

describe('a push configuration of 0.3 over REST', () => {
  const configOf = (taskId: string, authentication: string): string =>
    `{"parent":"tasks/${taskId}","config_id":"default","config":{"name":"tasks/${taskId}/pushNotificationConfigs/default","push_notification_config":{"id":"default","url":"https://example.com/webhook","token":"","authentication":${authentication}}}}`;

  test.each(['{}', '{"schemes":[]}'])('with the authentication %s is stored without one', async (authentication) => {
    const server = await startServer({ pushNotifications: true });
    const { task } = (
      await server.ask(
        rest('/v1/message:send', '{"message":{"messageId":"m-1","role":"ROLE_USER","content":[{"text":"ask"}]}}'),
      )
    ).json as { readonly task: { readonly id: string } };
    const path = `/v1/tasks/${task.id}/pushNotificationConfigs`;

    const set = await server.ask(rest(path, configOf(task.id, authentication)));
    const got = await server.ask({ method: 'GET', path: `${path}/default` });

    const stored = {
      name: `tasks/${task.id}/pushNotificationConfigs/default`,
      pushNotificationConfig: { id: 'default', url: 'https://example.com/webhook' },
    };
    expect(set).toMatchObject({ status: 200, json: stored });
    expect(got).toMatchObject({ status: 200, json: stored });
    expect(got.text).not.toContain('authentication');
  });
});
