/** Which version of the protocol a request has, and the response to unsupported versions (1.0 §3.6). */
import { describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { startServer } from './kit/server.ts';
import { sendTask } from './kit/tasks.ts';
import { RPC_03, RPC_1, WIRE_FORMATS } from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

const SEND_1 = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } };
const SEND_03 = {
  message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hello' }] },
};

describe('the requested version', () => {
  test.each(WIRE_FORMATS)(verifies('V-03', '$name: is the version of the response'), async (format) => {
    const server = await startServer();

    const task = await sendTask(server, format, { text: 'hello' });

    expect(task).toMatchObject({ state: 'completed', artifacts: { echo: 'hello' } });
  });

  test.each([
    { version: '1.0', method: 'GetTask', state: 'TASK_STATE_COMPLETED', kind: undefined },
    { version: '0.3', method: 'tasks/get', state: 'completed', kind: 'task' },
    { version: '0.2', method: 'tasks/get', state: 'completed', kind: 'task' },
    { version: '0.1', method: 'tasks/get', state: 'completed', kind: undefined },
  ])(verifies('V-03', '$version: determines the format of the same task'), async (looks) => {
    const server = await startServer();
    const { id } = await sendTask(server, RPC_1, { text: 'hello' });

    const { json } = await server.ask(rpc(looks.version, looks.method, { id }));

    expect(json).toMatchObject({ result: { id, status: { state: looks.state } } });
    expect(json).toHaveProperty(['result', looks.version === '0.1' ? 'sessionId' : 'contextId']);
    expect((json as { result: { kind?: string } }).result.kind).toBe(looks.kind);
  });

  test.each([
    { version: '1.0', method: 'message/send', params: SEND_03 },
    { version: '1.0', method: 'tasks/send', params: { id: 't', ...SEND_03 } },
    { version: '0.3', method: 'SendMessage', params: SEND_1 },
    { version: '0.2', method: 'SendMessage', params: SEND_1 },
    { version: '0.2', method: 'agent/getAuthenticatedExtendedCard', params: {} },
    { version: '0.1', method: 'message/send', params: SEND_03 },
    { version: '0.3', method: 'tasks/send', params: { id: 't', ...SEND_03 } },
  ])(verifies('V-03', '$version has no method $method'), async ({ version, method, params }) => {
    const server = await startServer();

    const { status, json } = await server.ask(rpc(version, method, params));

    expect(status).toBe(200);
    expect(json).toMatchObject({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32601, message: `A2A ${version} has no method "${method}"` },
    });
    expect(server.runs()).toBe(0);
  });

  test(verifies('V-03', 'can be in the query if the header is empty or absent'), async () => {
    const server = await startServer();
    const ask = { ...rpc(undefined, 'tasks/get', { id: 'unknown' }), path: '/a2a?A2A-Version=0.1' };

    const byQuery = await server.ask(ask);
    const byHeader = await server.ask({ ...ask, headers: { 'a2a-version': '1.0' } });

    expect(byQuery.json).toMatchObject({ error: { code: -32001 } });
    expect(byHeader.json).toMatchObject({ error: { code: -32601, message: 'A2A 1.0 has no method "tasks/get"' } });
  });

  test.each(['1.0.0', '1.0.7', ' 1.0 '])(verifies('V-06', '%j means 1.0'), async (version) => {
    const server = await startServer();

    const { json } = await server.ask(rpc(version, 'SendMessage', SEND_1));

    expect(json).toMatchObject({ result: { task: { status: { state: 'TASK_STATE_COMPLETED' } } } });
  });
});

describe('an unsupported version', () => {
  const UNSUPPORTED = ['2.0', '1.1', '0.9', 'latest', '1', '1.0.0.0', '1.0, 0.3'];

  test.each(UNSUPPORTED)(
    verifies('V-04', '%j over JSON-RPC gets VersionNotSupported in the format of 1.0'),
    async (version) => {
      const server = await startServer();

      const { status, json } = await server.ask(rpc(version, 'SendMessage', SEND_1, 'seven'));

      expect(status).toBe(200);
      expect(json).toEqual({
        jsonrpc: '2.0',
        id: 'seven',
        error: {
          code: -32009,
          message: 'This agent supports A2A 0.1, 0.2, 0.3, 1.0; request one of these versions',
          data: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'VERSION_NOT_SUPPORTED',
              domain: 'a2a-protocol.org',
              metadata: { requestedVersion: version, supportedVersions: '0.1,0.2,0.3,1.0' },
            },
          ],
        },
      });
      expect(server.runs()).toBe(0);
    },
  );

  test.each([...UNSUPPORTED, '0.2', '0.1'])(
    verifies('V-04', '%j over REST gets VersionNotSupported with the versions that REST has'),
    async (version) => {
      const server = await startServer();
      const headers = { 'a2a-version': version };

      const { status, json } = await server.ask({ method: 'POST', path: '/message:send', headers, body: SEND_1 });

      expect(status).toBe(400);
      expect(json).toEqual({
        error: {
          code: 400,
          status: 'FAILED_PRECONDITION',
          message: 'This agent supports A2A 0.3, 1.0 over REST; request one of these versions',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'VERSION_NOT_SUPPORTED',
              domain: 'a2a-protocol.org',
              metadata: { requestedVersion: version, supportedVersions: '0.3,1.0' },
            },
          ],
        },
      });
      expect(server.runs()).toBe(0);
    },
  );

  test(verifies('V-04', 'that the options exclude gets VersionNotSupported in its own format'), async () => {
    const server = await startServer({ versions: ['1.0'] });

    const known = await server.ask(RPC_03.send({ text: 'hello' }));
    const unsaid = await server.ask(rpc(undefined, 'message/send', SEND_03));
    const rest = await server.ask({ method: 'GET', path: '/v1/tasks/t' });

    const facts = { requestedVersion: '0.3', supportedVersions: '1.0' };
    expect(known.json).toMatchObject({
      error: { code: -32009, data: [{ metadata: facts, reason: 'VERSION_NOT_SUPPORTED' }] },
    });
    expect(unsaid.json).toMatchObject({ error: { code: -32009, data: [{ metadata: facts }] } });
    expect(rest.status).toBe(400);
    expect(rest.text).toContain('VERSION_NOT_SUPPORTED');
    expect(server.runs()).toBe(0);
  });
});

describe('a request without a version', () => {
  test.each([{ headers: {} }, { headers: { 'a2a-version': '' } }, { headers: { 'a2a-version': '  ' } }])(
    verifies('V-05', 'is a request of 0.3: $headers'),
    async ({ headers }) => {
      const server = await startServer();

      const { json } = await server.ask({ ...rpc(undefined, 'message/send', SEND_03), headers });

      expect(json).toMatchObject({ result: { kind: 'task', status: { state: 'completed' } } });
    },
  );

  test(verifies('V-05', 'is a request of 0.3 over REST below /v1'), async () => {
    const server = await startServer();

    const { json } = await server.ask({ method: 'GET', path: '/v1/tasks/unknown' });

    expect(json).toMatchObject({ code: -32001 });
  });

  test('is a request of 1.0 if only 1.0 has its method, unless the server is strict', async () => {
    const kind = await startServer();
    const strict = await startServer({ strict: true });
    const strictNewest = await startServer({ strict: true, versions: ['1.0'] });
    const ask = rpc(undefined, 'SendMessage', SEND_1);

    expect((await kind.ask(ask)).json).toMatchObject({ result: { task: {} } });
    expect((await strict.ask(ask)).json).toMatchObject({
      error: { code: -32601, data: [{ metadata: { method: 'SendMessage' } }] },
    });
    expect((await strictNewest.ask(ask)).json).toMatchObject({ error: { code: -32009 } });
  });
});

describe('patch numbers', () => {
  test(verifies('V-07', 'are in no card of 1.0, error or header'), async () => {
    const server = await startServer();

    const card = await server.ask({
      method: 'GET',
      path: '/.well-known/agent-card.json',
      headers: { 'a2a-version': '1.0.7' },
    });
    const rejected = await server.ask(rpc('7.7.7', 'SendMessage', SEND_1));

    const { supportedInterfaces } = card.json as { supportedInterfaces: { protocolVersion: string }[] };
    expect(supportedInterfaces.map(({ protocolVersion }) => protocolVersion)).toEqual(['1.0', '1.0', '0.3', '0.3']);
    expect(rejected.json).toMatchObject({
      error: { data: [{ metadata: { supportedVersions: '0.1,0.2,0.3,1.0' } }] },
    });
    for (const { headers } of [card, rejected]) expect(Object.keys(headers)).not.toContain('a2a-version');
  });
});

test(verifies('V-08', 'one URL serves JSON-RPC of every version and REST'), async () => {
  const server = await startServer({ rpcPaths: ['/'] });

  const states = [];
  for (const format of WIRE_FORMATS) {
    const ask = format.send({ text: 'hello' });
    const sent = format.sent(await server.ask(format.binding === 'REST' ? ask : { ...ask, path: '/' }));
    states.push('task' in sent && sent.task.state);
  }

  expect(states).toEqual(WIRE_FORMATS.map(() => 'completed'));
});
