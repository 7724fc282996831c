import { describe, expect, onTestFinished, test } from 'vitest';

import { connect } from '../../../src/index.ts';
import type { AgentClient } from '../../../src/client/client.ts';
import type { ConnectOptions } from '../../../src/client/options.ts';
import { type Responder, cardAt, json, type Peer, startPeer } from './peer.ts';

/** Responses of other SDKs and agents that deviate from the protocol, byte for byte. Ids and histories are invented. */

const PATHS = { JSONRPC: '/rpc', 'HTTP+JSON': '' } as const;

interface Interface {
  readonly binding: keyof typeof PATHS;
  readonly version: string;
}

const RPC_1: Interface = { binding: 'JSONRPC', version: '1.0' };
const RPC_03: Interface = { binding: 'JSONRPC', version: '0.3' };
const REST_03: Interface = { binding: 'HTTP+JSON', version: '0.3' };

async function connectTo(
  { binding, version }: Interface,
  answer: Responder,
  options: ConnectOptions = {},
): Promise<{ client: AgentClient; peer: Peer; warned: () => readonly string[] }> {
  const peer = await startPeer(answer, {
    card: (_got, response, { url }) =>
      json(response, {
        ...cardAt(url),
        supportedInterfaces: [{ url: `${url}${PATHS[binding]}`, protocolBinding: binding, protocolVersion: version }],
      }),
  });
  const client = await connect(peer.url, { cache: false, ...options });
  onTestFinished(() => client.close());
  return { client, peer, warned: () => client.warnings.map(({ code }) => code) };
}

function answerWith(body: string, status = 200): Responder {
  return (_got, response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

describe('the deletion of a push configuration', () => {
  test.each([
    ['the Python SDK 0.2, 0.3 and 1.3', RPC_03, '{"id":1,"jsonrpc":"2.0"}'],
    ['the Go SDK 2.4 in 1.0', RPC_1, '{"jsonrpc":"2.0","id":1}'],
    ['the Go SDK 2.4 in 0.3', RPC_03, '{"jsonrpc":"2.0","id":1}'],
  ])('succeeds if the response has no result, as that of %s', async (_, spoken, body) => {
    const { client, warned } = await connectTo(spoken, answerWith(body));

    await expect(client.pushConfigs.delete('t1', 'a')).resolves.toBeUndefined();
    expect(warned()).toEqual(['rpc-result-missing']);
  });

  test.each([
    ['has another id', '{"jsonrpc":"2.0","id":2}', {}],
    ['is not JSON-RPC', '{"id":1}', {}],
    ['has no result and the client is strict', '{"jsonrpc":"2.0","id":1}', { strict: true }],
  ])('fails if the response %s', async (_, body, options) => {
    const { client } = await connectTo(RPC_1, answerWith(body), options);

    await expect(client.pushConfigs.delete('t1', 'a')).rejects.toMatchObject({ code: 'INVALID_AGENT_RESPONSE' });
  });

  test('is the only operation whose response needs no result', async () => {
    const { client } = await connectTo(RPC_1, answerWith('{"jsonrpc":"2.0","id":1}'));

    await expect(client.get('t1')).rejects.toMatchObject({ code: 'INVALID_AGENT_RESPONSE' });
  });
});

describe('a stream of the LangGraph API 0.16', () => {
  const CONTEXT = '4e15c0a4-51f0-4d0a-9df2-1f2b5a5f7a10';
  const TASK = `${CONTEXT}:01a1e7c1-2b6f-7c3e-8d11-0f5c2f1f9a77`;
  const STREAM = [
    `{"jsonrpc":"2.0","id":1,"result":{"task":{"kind":"task","id":"${TASK}","contextId":"${CONTEXT}","history":[],"status":{"state":"TASK_STATE_SUBMITTED"}}}}`,
    `{"jsonrpc":"2.0","id":1,"result":{"taskId":"${TASK}","contextId":"${CONTEXT}","kind":"status-update","status":{"state":"TASK_STATE_WORKING","message":{"kind":"message","messageId":"m1","role":"ROLE_AGENT","parts":[{"kind":"text","text":"Hello, hi!"}]}},"final":false}}`,
    `{"jsonrpc":"2.0","id":1,"result":{"taskId":"${TASK}","contextId":"${CONTEXT}","kind":"artifact-update","artifact":{"artifactId":"42ee","name":"Assistant Response","parts":[{"kind":"text","text":"Hello, hi!"}]},"append":false,"lastChunk":true}}`,
    `{"jsonrpc":"2.0","id":1,"result":{"taskId":"${TASK}","kind":"status-update","status":{"state":"TASK_STATE_COMPLETED"},"final":true}}`,
  ];
  const streaming: Responder = (_got, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(STREAM.map((data) => `data: ${data}\n\n`).join(''));
  };

  test('is decoded although its events have no wrapper', async () => {
    const { client, warned } = await connectTo(RPC_1, streaming);
    const reply = await client.send('hi');

    expect(reply).toMatchObject({ state: 'completed', text: 'Hello, hi!', task: { id: TASK } });
    expect(warned().filter((code) => code === 'event-wrapper-missing')).toHaveLength(3);
  });

  test('is rejected in strict mode', async () => {
    const { client } = await connectTo(RPC_1, streaming, { strict: true });

    await expect(client.send('hi')).rejects.toMatchObject({ code: 'INVALID_AGENT_RESPONSE' });
  });
});

test('a task of aimock is decoded although its artifacts have no id', async () => {
  const body =
    '{"jsonrpc":"2.0","id":1,"result":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"name":"response","parts":[{"text":"Task!"}]}]}}';
  const { client, warned } = await connectTo(RPC_1, answerWith(body));

  expect((await client.get('t1')).artifacts).toEqual([
    { artifactId: 'artifact-0', name: 'response', parts: [{ text: 'Task!' }] },
  ]);
  expect(warned()).toEqual(['member-missing']);
});

test('an artifact of the Go SDK 2.4 over REST of 0.3 is decoded although its data is a list', async () => {
  const body =
    '{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"data":{"data":[1,2,3]}}]}]}';
  const { client, warned } = await connectTo(REST_03, answerWith(body));

  expect((await client.get('t1')).artifacts).toEqual([{ artifactId: 'a', parts: [{ data: [1, 2, 3] }] }]);
  expect(warned()).toEqual(['data-not-object']);
});

describe('a 404 of the Python SDK 0.3 over REST', () => {
  const NOT_FOUND = '{"message":"Task not found"}';

  test('means that the task does not exist', async () => {
    const { client, peer } = await connectTo(REST_03, answerWith(NOT_FOUND, 404));

    await expect(client.get('nope')).rejects.toMatchObject({ code: 'TASK_NOT_FOUND', message: 'Task not found' });
    await expect(client.cancel('nope')).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    expect(peer.got.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/tasks/nope',
      'POST /v1/tasks/nope:cancel',
    ]);
  });

  test.each([
    ['a gateway has no route', '{"message":"no Route matched with those values"}', 'INVALID_AGENT_RESPONSE'],
    ['a framework has no route', '{"message":"Not Found"}', 'DISCOVERY_FAILED'],
    ['a path about tasks is missing', '{"message":"Cannot GET /v1/tasks/task-1"}', 'DISCOVERY_FAILED'],
  ])('does not mean that if %s', async (_, body, code) => {
    const { client } = await connectTo(REST_03, answerWith(body, 404));

    await expect(client.get('task-1')).rejects.toMatchObject({ code });
  });

  test('does not mean that in response to a message', async () => {
    const { client } = await connectTo(REST_03, answerWith(NOT_FOUND, 404));

    await expect(client.send('hi', { wait: 'none' })).rejects.toMatchObject({ code: 'INVALID_AGENT_RESPONSE' });
  });
});

describe('an agent of the Python SDK 0.3 over REST', () => {
  const DONE =
    '{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"},"final":true}}';
  const notAllowed =
    (allow?: string): Responder =>
    (_got, response) => {
      const headers = { 'content-type': 'application/json', ...(allow !== undefined && { allow }) };
      response.writeHead(405, headers).end('{"detail":"Method Not Allowed"}');
    };
  const byGet =
    (allow?: string): Responder =>
    (got, response, peer) => {
      if (got.method !== 'GET') return notAllowed(allow)(got, response, peer);
      if (!got.path.endsWith(':subscribe'))
        return answerWith('{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}')(got, response, peer);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${DONE}\n\n`);
    };
  const requests = (peer: Peer): readonly string[] => peer.got.map(({ method, path }) => `${method} ${path}`);

  test.each(['GET', undefined])(
    'gets a subscription by GET after it responded to POST with 405 and Allow: %s',
    async (allow) => {
      const { client, peer } = await connectTo(REST_03, byGet(allow));
      for (let i = 0; i < 2; i++) {
        const events = [];
        for await (const event of client.task('t1').subscribe()) events.push(event);
        expect(events).toMatchObject([{ type: 'status', state: 'completed' }]);
      }

      expect(requests(peer)).toEqual([
        'POST /v1/tasks/t1:subscribe',
        'GET /v1/tasks/t1:subscribe',
        'GET /v1/tasks/t1:subscribe',
      ]);
    },
  );

  test('gets no GET if it allows only another method', async () => {
    const { client, peer } = await connectTo(REST_03, byGet('PUT'));

    await expect(client.task('t1').subscribe().next()).rejects.toMatchObject({ name: 'A2AError' });
    expect(requests(peer)).not.toContain('GET /v1/tasks/t1:subscribe');
  });

  test('does not support an operation if it responds with 405', async () => {
    const { client } = await connectTo(REST_03, byGet('GET'));
    await client.get('t1');

    await expect(client.pushConfigs.delete('t1', 'a')).rejects.toMatchObject({ code: 'UNSUPPORTED_OPERATION' });
  });
});
