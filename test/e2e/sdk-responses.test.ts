/** Responses in the form that the SDKs of Python and Go read. Each request is one on which a release of theirs failed. */
import { describe, expect, test } from 'vitest';

import { connect } from '../../src/client/connect.ts';
import { bearerTokens } from '../../src/host/auth/bearer-tokens.ts';
import { asked, bearerOf } from './auth/kinds.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { REST_1, RPC_03 } from './kit/wire-formats.ts';

const ALICE = bearerOf('alice-token');
const TOKENS = bearerTokens({ alice: 'alice-token' });

describe('the media type of an error over REST of 1.0', () => {
  test.each([
    ['application/json', 'application/json'],
    ['application/json;q=0.9, */*', 'application/json'],
    ['Application/JSON , text/plain', 'application/json'],
    ['application/a2a+json, application/json', 'application/a2a+json'],
    ['application/a2a+json', 'application/a2a+json'],
    ['*/*', 'application/a2a+json'],
    ['application/*', 'application/a2a+json'],
    ['text/event-stream, */*', 'application/a2a+json'],
    ['text/event-stream', 'application/json'],
    [undefined, 'application/a2a+json'],
  ])('for Accept: %s is %s', async (accept, type) => {
    const server = await startServer();
    const headers = { 'a2a-version': '1.0', ...(accept !== undefined && { accept }) };

    for (const path of ['/tasks/nope', '/nowhere', '/a2a']) {
      const answer = await server.ask({ method: 'GET', path, headers });
      expect([answer.status >= 400, answer.headers['content-type']]).toEqual([true, type]);
      expect(answer.json).toMatchObject({ error: { code: answer.status } });
    }
  });

  test('does not change that of a success', async () => {
    const server = await startServer();
    const ask = REST_1.send({ text: 'hello' });

    const answer = await server.ask({ ...ask, headers: { ...ask.headers, accept: 'application/json' } });

    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/a2a+json']);
  });
});

describe('the response to a deleted push configuration', () => {
  async function deleted(prefix: string, version: string): Promise<readonly unknown[]> {
    const server = await startServer({ pushNotifications: true });
    const sent = await server.ask(RPC_03.send({ text: 'ask' }));
    const { id } = (sent.json as { readonly result: { readonly id: string } }).result;
    const path = `${prefix}/tasks/${id}/pushNotificationConfigs/a`;
    const { status, text, headers } = await server.ask({ method: 'DELETE', path, headers: { 'a2a-version': version } });
    return [status, text, headers['content-type']];
  }

  test('is 200 with an empty object over REST of 1.0, the JSON of google.protobuf.Empty', async () => {
    expect(await deleted('', '1.0')).toEqual([200, '{}', 'application/a2a+json']);
  });

  test('is 204 over REST of 0.3', async () => {
    expect(await deleted('/v1', '0.3')).toEqual([204, '', undefined]);
  });
});

describe('an error of 0.3', () => {
  test('names its type over REST, which the Python SDK 1.x goes by', async () => {
    const server = await startServer();

    const { status, json } = await server.ask({ method: 'GET', path: '/v1/tasks/nope' });

    expect(status).toBe(404);
    expect(json).toMatchObject({ type: 'TaskNotFoundError', code: -32001, message: 'Task nope does not exist' });
  });

  const get = (server: TestServer, version: string, path = '/a2a') =>
    server.ask({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', 'a2a-version': version },
      body: '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"nope"}}',
    });

  test('has a list of typed details over JSON-RPC, which the Go SDK 2.x reads', async () => {
    const server = await startServer();

    expect((await get(server, '0.3')).json).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32001,
        message: 'Task nope does not exist',
        data: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'TASK_NOT_FOUND',
            domain: 'a2a-protocol.org',
            metadata: { taskId: 'nope' },
          },
        ],
      },
    });
  });

  test('has an object of facts in 0.2 and under the profile rxjs', async () => {
    const old = await get(await startServer(), '0.2');
    const rxjs = await get(await startServer({ profile: 'rxjs' }), '0.3', '/api/a2a');

    expect(old.json).toMatchObject({ error: { data: { taskId: 'nope', reason: 'TASK_NOT_FOUND' } } });
    expect(rxjs.json).toMatchObject({ error: { data: { taskId: 'nope' } } });
  });
});

describe('the extended card over REST of 0.3', () => {
  test('has schemes in both forms and requirements in the form of the schema', async () => {
    const server = await startServer({ auth: TOKENS, extendedCard: true });

    const { status, json } = await server.ask(asked({ method: 'GET', path: '/v1/card' }, ALICE));

    expect(status).toBe(200);
    expect(json).toMatchObject({
      protocolVersion: '0.3.0',
      securitySchemes: {
        bearer: { type: 'http', scheme: 'Bearer', httpAuthSecurityScheme: { scheme: 'Bearer' } },
      },
      security: [{ bearer: [] }],
    });
  });

  test('is read by the client with the same security as over REST of 1.0', async () => {
    const server = await startServer({ auth: TOKENS, extendedCard: true });
    const cards = await Promise.all(
      (['1.0', '0.3'] as const).map(async (version) => {
        const client = await connect(server.url, { auth: 'alice-token', binding: 'HTTP+JSON', version });
        return client.extendedCard();
      }),
    );

    const [one, three] = cards.map(({ securitySchemes, securityRequirements }) => ({
      securitySchemes,
      securityRequirements,
    }));
    expect(three).toEqual(one);
    expect(one?.securitySchemes).toEqual({ bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } });
  });
});
