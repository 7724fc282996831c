/** Options of a server that change its paths, versions and REST style. */
import { describe, expect, test } from 'vitest';

import { startServer } from './kit/server.ts';
import { eventsOf } from './kit/sse-text.ts';
import { sendTask } from './kit/tasks.ts';
import { RPC_01, RPC_02, RPC_03, RPC_1, WIRE_FORMATS } from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

const KIND = { message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hello' }] } };
const PROTO = { message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hello' }] } };
const V1 = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } };

describe('rpcPaths', () => {
  test('every path serves JSON-RPC, with or without a slash at the end, and the card has the first one', async () => {
    const server = await startServer({ rpcPaths: ['/api/a2a', '/_agent-native/a2a', '/'] });

    for (const path of ['/api/a2a', '/api/a2a/', '/_agent-native/a2a', '/']) {
      const { json } = await server.ask({ ...rpc('1.0', 'GetTask', { id: 't' }), path });
      expect(json).toMatchObject({ error: { code: -32001 } });
    }
    const card = await server.ask({ method: 'GET', path: '/.well-known/agent.json' });
    expect(card.json).toMatchObject({ url: `${server.url}/api/a2a` });
    expect((await server.ask(rpc('1.0', 'GetTask', { id: 't' }))).status).toBe(404);
  });

  test('are /a2a and / by default', async () => {
    const server = await startServer();

    for (const path of ['/a2a', '/a2a/', '/']) {
      expect((await server.ask({ ...RPC_1.get('t'), path })).json).toMatchObject({ error: { code: -32001 } });
    }
  });
});

describe('versions', () => {
  test.each([RPC_1, RPC_03, RPC_02, RPC_01])(
    'with only $version, requests of other versions get VERSION_NOT_SUPPORTED',
    async (own) => {
      const server = await startServer({ versions: [own.version] });

      for (const format of WIRE_FORMATS) {
        const answer = await server.ask(format.send({ text: 'hello' }));
        if (format.version === own.version) expect(format.sent(answer)).toMatchObject({ task: { state: 'completed' } });
        else expect(answer.text).toContain('VERSION_NOT_SUPPORTED');
      }
    },
  );

  test.each([
    { version: '1.0' as const, path: 'agent-card.json', url: undefined },
    { version: '0.3' as const, path: 'agent-card.json', url: '/a2a' },
    { version: '0.2' as const, path: 'agent.json', url: '/a2a' },
    { version: '0.1' as const, path: 'agent.json', url: '/a2a' },
  ])('with only $version, the card at $path has the form of this version', async ({ version, path, url }) => {
    const server = await startServer({ versions: [version] });

    const { status, json } = await server.ask({ method: 'GET', path: `/.well-known/${path}` });

    expect(status).toBe(200);
    const { url: shown, protocolVersion } = json as { url?: string; protocolVersion?: string };
    expect(shown).toBe(url && `${server.url}${url}`);
    expect(protocolVersion?.slice(0, 3)).toBe(
      { '1.0': undefined, '0.3': '0.3', '0.2': '0.2', '0.1': undefined }[version],
    );
  });

  test('with only 0.1, methods that several versions have get responses of 0.1', async () => {
    const server = await startServer({ versions: ['0.1'] });
    await sendTask(server, RPC_01, { text: 'hello', taskId: 'mine' });

    const { json } = await server.ask(rpc(undefined, 'tasks/get', { id: 'mine' }));

    expect(json).toMatchObject({ result: { id: 'mine', sessionId: expect.any(String) } });
  });

  test('with 0.2 and without 0.3, requests without a version are requests of 0.2', async () => {
    const server = await startServer({ versions: ['1.0', '0.2'] });

    const sent = await server.ask(rpc(undefined, 'message/send', KIND));
    const card = await server.ask(rpc(undefined, 'agent/getAuthenticatedExtendedCard'));

    expect(sent.json).toMatchObject({ result: { kind: 'task' } });
    expect(card.json).toMatchObject({ error: { code: -32601, message: expect.stringContaining('A2A 0.2') } });
  });
});

describe('restStyle of 0.3', () => {
  const send = (body: unknown): Parameters<Awaited<ReturnType<typeof startServer>>['ask']>[0] => ({
    method: 'POST',
    path: '/v1/message:send',
    body,
  });

  test('the response to a message has the style of the message', async () => {
    const server = await startServer();

    expect((await server.ask(send(PROTO))).json).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });
    expect((await server.ask(send(KIND))).json).toMatchObject({
      task: { kind: 'task', status: { state: 'completed' } },
    });
  });

  test('a message of 1.0 below /v1 gets a response of 1.0, because the agent may be mounted there', async () => {
    const server = await startServer();

    const { headers, json } = await server.ask(send(V1));

    expect(headers['content-type']).toBe('application/a2a+json');
    expect(json).toMatchObject({ task: { history: [{ parts: [{ text: 'hello' }] }] } });
  });

  test.each([
    { restStyle: undefined, state: 'TASK_STATE_COMPLETED', kind: undefined },
    { restStyle: 'proto' as const, state: 'TASK_STATE_COMPLETED', kind: undefined },
    { restStyle: 'kind' as const, state: 'completed', kind: 'task' },
    { restStyle: 'kind-bare' as const, state: 'completed', kind: 'task' },
  ])(
    'the response to a request without a body has the configured style: $restStyle',
    async ({ restStyle, state, kind }) => {
      const server = await startServer(restStyle === undefined ? {} : { restStyle });
      const { id } = await sendTask(server, RPC_1, { text: 'hello' });

      const { json } = await server.ask({ method: 'GET', path: `/v1/tasks/${id}` });

      expect(json).toMatchObject({ id, status: { state } });
      expect((json as { kind?: string }).kind).toBe(kind);
    },
  );

  test('kind-bare: responses and events have no wrapper', async () => {
    const server = await startServer({ restStyle: 'kind-bare' });

    const sent = await server.ask(send(KIND));
    const stream = await server.ask({ method: 'POST', path: '/v1/message:stream', body: KIND });

    expect(sent.json).toMatchObject({ kind: 'task', status: { state: 'completed' } });
    expect(eventsOf(stream.text).map(({ json }) => (json as { kind: string }).kind)).toEqual([
      'task',
      'status-update',
      'artifact-update',
      'status-update',
    ]);
  });
});

test('/healthz and /readyz report that the server runs and is ready', async () => {
  const server = await startServer();

  expect((await server.ask({ method: 'GET', path: '/healthz' })).json).toEqual({ status: 'ok' });
  expect((await server.ask({ method: 'GET', path: '/readyz' })).json).toEqual({ status: 'ready' });
  expect((await server.ask({ method: 'POST', path: '/readyz' })).status).toBe(405);
});
