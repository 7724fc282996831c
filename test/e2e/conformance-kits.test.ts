/** The requests on which the official conformance kits of 0.2, 0.3 and 1.0 found fault with the server, byte for byte. */
import { describe, expect, test } from 'vitest';

import type { Log } from '../../src/observe/log.ts';

import type { Answer, Ask } from './kit/exchange.ts';
import { as, knownCallers } from './kit/callers.ts';
import { rest, rpc, type RpcAnswer, rpcOf } from './kit/raw-requests.ts';
import { startServer } from './kit/server.ts';

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
      what: 'valid params',
      code: -32600,
      body: '{"jsonrpc":"2.0","method":"message/send","params":{"message":{"kind":"message","messageId":"m-1","role":"user","parts":[{"kind":"text","text":"x"}]}}}',
    },
    {
      what: 'no params, which the method does not need',
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

describe('a message without a messageId before 1.0', () => {
  const params = '{"message":{"kind":"message","role":"user","parts":[{"kind":"text","text":"x"}]}}';
  const call = rpc(`{"jsonrpc":"2.0","id":1,"method":"message/send","params":${params}}`);
  const styles: readonly { readonly style: string; readonly ask: Ask }[] = [
    { style: '0.3 over JSON-RPC', ask: call },
    { style: '0.2 over JSON-RPC', ask: { ...call, headers: { ...call.headers, 'a2a-version': '0.2' } } },
    { style: '0.3 over REST with the objects of JSON-RPC', ask: rest('/v1/message:send', params) },
    {
      style: '0.3 over REST with the objects of the protocol definition',
      ask: rest('/v1/message:send', '{"message":{"role":"ROLE_USER","content":[{"text":"x"}]}}'),
    },
  ];

  test.each(styles)('is accepted in $style, with one warning in the log', async ({ ask }) => {
    const lines: unknown[] = [];
    const log: Log = { info() {}, warn: (text, fields) => void (fields && lines.push([text, fields])), error() {} };
    const server = await startServer({ log });

    const answers = [await server.ask(ask), await server.ask(ask)];

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(server.runs()).toBe(2);
    expect(lines).toEqual([
      [
        'Accepted a request that deviates from the protocol',
        expect.objectContaining({ deviation: 'message-id-missing', operation: 'SendMessage' }),
      ],
    ]);
  });

  test.each(styles)('is rejected in $style by a strict server', async ({ ask }) => {
    const server = await startServer({ strict: true });

    const answer = await server.ask(ask);

    expect(answer.text).toContain('-32602');
    expect(answer.text).toContain('message.messageId: expected the member messageId');
    expect(server.runs()).toBe(0);
  });
});

describe('a second cancel of a canceled task', () => {
  const ask =
    '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m-1","role":"user","parts":[{"kind":"text","text":"ask"}]}}}';
  const cancelOf = (id: string): string => `{"jsonrpc":"2.0","id":1,"method":"tasks/cancel","params":{"id":"${id}"}}`;

  test.each(['0.3', '0.2'])('succeeds in %s, and gets -32002 from a strict server', async (version) => {
    const answers: RpcAnswer[] = [];
    for (const strict of [false, true]) {
      const server = await startServer({ strict });
      const headers = { 'a2a-version': version };
      const id = rpcOf(await server.ask(rpc(ask, headers))).result?.id ?? '';

      expect(rpcOf(await server.ask(rpc(cancelOf(id), headers))).result?.status.state).toBe('canceled');
      answers.push(rpcOf(await server.ask(rpc(cancelOf(id), headers))));
    }

    expect(answers[0]?.result?.status.state).toBe('canceled');
    expect(answers[1]).toMatchObject({ id: 1, error: { code: -32002 } });
    expect(JSON.stringify(answers[1])).toContain('"state":"TASK_STATE_CANCELED"');
  });

  test('gets 409 over REST of 0.3 from a strict server', async () => {
    const server = await startServer({ strict: true });
    const id = rpcOf(await server.ask(rpc(ask))).result?.id ?? '';
    const cancel = rest(`/v1/tasks/${id}:cancel`, '');

    const statuses = [(await server.ask(cancel)).status, (await server.ask(cancel)).status];

    expect(statuses).toEqual([200, 409]);
  });

  test('succeeds in 1.0 from a strict server as well', async () => {
    const server = await startServer({ strict: true });
    const id = rpcOf(await server.ask(rpc(ask))).result?.id ?? '';
    const cancel = rest(`/tasks/${id}:cancel`, '', { 'a2a-version': '1.0' });

    const statuses = [(await server.ask(cancel)).status, (await server.ask(cancel)).status];

    expect(statuses).toEqual([200, 200]);
  });
});

describe('a stream that fails before its first event', () => {
  const resubscribe = '{"jsonrpc":"2.0","id":1,"method":"tasks/resubscribe","params":{"id":"nope"}}';
  const STREAM_ONLY = { accept: 'text/event-stream' };

  test('is one SSE event in 0.3 if the caller accepts nothing else', async () => {
    const server = await startServer();
    const noParams = '{"jsonrpc":"2.0","id":"s","method":"message/stream","params":{}}';

    for (const [body, id, code] of [
      [resubscribe, 1, -32001],
      [noParams, 's', -32602],
    ] as const) {
      const answer = await server.ask(rpc(body, STREAM_ONLY));
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toBe('text/event-stream');
      const [, data = ''] = /^data: (.*)\n\n$/.exec(answer.text) ?? [];
      expect(JSON.parse(data)).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
    }
  });

  test.each(['0.2', '0.1'])('is 404 with the error in its body in %s', async (version) => {
    const server = await startServer({ versions: [version as '0.2'] });

    const answer = await server.ask(rpc(resubscribe, STREAM_ONLY));

    expect(answer.status).toBe(404);
    expect(answer.json).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code: -32001 } });
  });

  test.each([{}, { accept: '*/*' }, { accept: 'text/event-stream, application/json' }])(
    'is JSON with status 200 for the headers %j',
    async (headers) => {
      for (const version of ['0.3', '0.2']) {
        const server = await startServer();
        const answer = await server.ask(rpc(resubscribe, { ...headers, 'a2a-version': version }));
        expect(answer.status).toBe(200);
        expect(answer.json).toMatchObject({ id: 1, error: { code: -32001 } });
      }
    },
  );

  test('is JSON with status 200 in 1.0', async () => {
    const server = await startServer();
    const body = '{"jsonrpc":"2.0","id":1,"method":"SubscribeToTask","params":{"id":"nope"}}';

    const answer = await server.ask(rpc(body, { ...STREAM_ONLY, 'a2a-version': '1.0' }));

    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ id: 1, error: { code: -32001 } });
  });

  test('keeps the status of an error of the HTTP exchange', async () => {
    const server = await startServer({ limits: { streamsPerCaller: 0 } });

    const answer = await server.ask(rpc(resubscribe, STREAM_ONLY));

    expect(answer.status).toBe(429);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers['retry-after']).toBeDefined();
  });
});

describe('a messageId that an authenticated caller uses again', () => {
  const auth = knownCallers({ id: 'kit', isVerified: true });
  const send = (body: string, headers: Readonly<Record<string, string>> = {}): Ask =>
    as('kit', rest('/message:send', body, headers));
  const one = send('{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"one"}]}}');
  const two = send('{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"two"}]}}');
  const elsewhere = send(
    '{"message":{"messageId":"m-1","contextId":"c-2","role":"ROLE_USER","parts":[{"text":"one"}]}}',
  );

  test('is a new message with another text or context, and a repeat with the same', async () => {
    const server = await startServer({ auth });

    const sent = [await server.ask(one), await server.ask(two), await server.ask(elsewhere), await server.ask(one)];

    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const ids = sent.map(({ json }) => (json as { readonly task: { readonly id: string } }).task.id);
    expect(new Set(ids.slice(0, 3)).size).toBe(3);
    expect(ids[3]).toBe(ids[0]);
    expect(server.runs()).toBe(3);
  });

  test('answers the question of a second task although it answered that of a first one', async () => {
    const server = await startServer({ auth });
    const idOf = ({ json }: Answer): string => (json as { readonly task: { readonly id: string } }).task.id;
    const asked = [1, 2].map((number) =>
      send(`{"message":{"messageId":"q-${number}","role":"ROLE_USER","parts":[{"text":"ask"}]}}`),
    );
    for (const ask of asked) {
      const taskId = idOf(await server.ask(ask));
      const followUp = `{"message":{"messageId":"m-2","taskId":"${taskId}","role":"ROLE_USER","parts":[{"text":"Lyon"}]}}`;
      const answer = await server.ask(send(followUp));
      expect([answer.status, idOf(answer)]).toEqual([200, taskId]);
      expect(answer.text).toContain('TASK_STATE_COMPLETED');
    }
  });

  test('is a new message every time with deduplicateByMessageId: false', async () => {
    const server = await startServer({ auth, deduplicateByMessageId: false });

    await server.ask(one);
    await server.ask(one);

    expect(server.runs()).toBe(2);
  });

  test.each([true, false])(
    'is rejected under one Idempotency-Key with another text, with deduplicateByMessageId: %j',
    async (deduplicateByMessageId) => {
      const server = await startServer({ auth, deduplicateByMessageId });
      const keyed = (ask: Ask): Ask => ({ ...ask, headers: { ...ask.headers, 'idempotency-key': 'k-1' } });

      const sent = [await server.ask(keyed(one)), await server.ask(keyed(two)), await server.ask(keyed(one))];

      expect(sent.map(({ status }) => status)).toEqual([200, 400, 200]);
      expect(sent[1]?.text).toContain('The Idempotency-Key was already used for another message');
      expect(server.runs()).toBe(1);
    },
  );
});
