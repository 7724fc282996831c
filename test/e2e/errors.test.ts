/** Rejected requests: the form of each error, and that nothing is stored or run (1.0 §3.3.2, §5.4, §9.5, §11.6, §13.4). */
import { describe, expect, test } from 'vitest';

import { A2AError } from '../../src/errors.ts';
import type { Log } from '../../src/observe/log.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/store.ts';
import { verifies } from '../helpers/verifies.ts';
import type { Answer, Ask } from './kit/exchange.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { sendTask } from './kit/tasks.ts';
import { FORMATS_1, REST_1, RPC_1, FORMATS_SINCE_02, WIRE_FORMATS, type WireFormat } from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

/** A request with one text in its body replaced by another. */
function changed(ask: Ask, from: string, to: string): Ask {
  const text = typeof ask.body === 'string' ? ask.body : JSON.stringify(ask.body);
  if (!text.includes(from)) throw new Error(`${text} has no ${from}`);
  return { ...ask, body: text.replace(from, to) };
}

describe('invalid params', () => {
  const message = (format: WireFormat): Ask => format.send({ text: 'hello', messageId: 'm' });

  test.each(WIRE_FORMATS)(
    verifies(['E-01', 'E-02'], '$name: a number as the text of a part gets INVALID_PARAMS with the path of the part'),
    async (format) => {
      const server = await startServer();

      const answer = await server.ask(changed(message(format), '"text":"hello"', '"text":7'));
      const error = format.error(answer);

      expect(error).toMatchObject({ reason: 'INVALID_PARAMS', status: format.binding === 'REST' ? 400 : 200 });
      expect(error.fields[0]).toMatch(/^message\.(?:parts|content)\[0\]/);
      expect(answer.text).toMatch(/expected a string/);
      expect(server.runs()).toBe(0);
    },
  );

  test.each(FORMATS_SINCE_02)(
    verifies(['E-01', 'E-02'], '$name: the error lists every violation, with the expected value'),
    async (format) => {
      const server = await startServer();
      const ask = changed(changed(message(format), '"messageId":"m"', '"messageId":7'), '"text":"hello"', '"text":7');

      const answer = await server.ask(ask);
      const { fields, message: text } = format.error(answer);

      expect(fields).toContain('message.messageId');
      expect(fields.length).toBeGreaterThan(1);
      expect(text).toContain('message.');
      expect(answer.text.match(/expected/g)?.length).toBeGreaterThanOrEqual(fields.length);
    },
  );

  test.each(FORMATS_SINCE_02)(verifies('E-01', '$name: a rejected message stores no task'), async (format) => {
    const server = await startServer();

    for (const method of ['send', 'stream'] as const) {
      const ask = format[method]({ text: 'hello', messageId: 'm' });
      const answer = await server.ask(changed(ask, '"messageId":"m"', '"messageId":""'));
      expect(format.error(answer)).toMatchObject({ reason: 'INVALID_PARAMS', fields: ['message.messageId'] });
    }
    const { json } = await server.ask(rpc('1.0', 'ListTasks', {}));

    expect(json).toMatchObject({ result: { totalSize: 0 } });
    expect(server.runs()).toBe(0);
  });

  test(
    verifies('E-02', 'the complete error of 1.0 has an ErrorInfo and a BadRequest with all field violations'),
    async () => {
      const server = await startServer();

      const { json } = await server.ask(rpc('1.0', 'SendMessage', { message: { role: 'ROLE_KING', parts: [] } }));

      expect(json).toEqual({
        jsonrpc: '2.0',
        id: 1,
        error: {
          code: -32602,
          message: expect.stringMatching(/^message\.\w+: expected /),
          data: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'INVALID_PARAMS',
              domain: 'a2a-protocol.org',
            },
            {
              '@type': 'type.googleapis.com/google.rpc.BadRequest',
              fieldViolations: expect.arrayContaining([
                { field: 'message.messageId', description: expect.stringContaining('expected') },
                { field: 'message.role', description: expect.stringContaining('ROLE_USER') },
                { field: 'message.parts', description: expect.stringContaining('expected') },
              ]),
            },
          ],
        },
      });
    },
  );
});

interface ErrorCase {
  readonly reason: string;
  readonly code: number;
  readonly http: number;
  readonly grpc: string;
  /** Causes the error with a request of 1.0. */
  readonly provoke: (server: TestServer, format: WireFormat) => Promise<Answer>;
  readonly metadata?: object;
}

const ERRORS: readonly ErrorCase[] = [
  {
    reason: 'TASK_NOT_FOUND',
    code: -32001,
    http: 404,
    grpc: 'NOT_FOUND',
    provoke: (server, format) => server.ask(format.get('t1')),
    metadata: { taskId: 't1' },
  },
  {
    reason: 'TASK_NOT_CANCELABLE',
    code: -32002,
    http: 400,
    grpc: 'FAILED_PRECONDITION',
    provoke: async (server, format) =>
      server.ask(format.cancel((await sendTask(server, format, { text: 'hello' })).id)),
    metadata: { taskId: expect.any(String), state: 'TASK_STATE_COMPLETED' },
  },
  {
    reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
    code: -32003,
    http: 400,
    grpc: 'FAILED_PRECONDITION',
    provoke: (server, { binding }) =>
      server.ask(
        binding === 'REST'
          ? { method: 'GET', path: '/tasks/t1/pushNotificationConfigs' }
          : rpc('1.0', 'ListTaskPushNotificationConfigs', { taskId: 't1' }),
      ),
  },
  {
    reason: 'UNSUPPORTED_OPERATION',
    code: -32004,
    http: 400,
    grpc: 'FAILED_PRECONDITION',
    provoke: async (server, format) =>
      server.ask(format.subscribe((await sendTask(server, format, { text: 'hello' })).id)),
    metadata: { taskId: expect.any(String), state: 'TASK_STATE_COMPLETED' },
  },
  {
    reason: 'CONTENT_TYPE_NOT_SUPPORTED',
    code: -32005,
    http: 400,
    grpc: 'INVALID_ARGUMENT',
    provoke: (_server, format) =>
      startServer({ agent: { inputModes: ['text/plain', 'application/json'] } }).then((declaring) =>
        declaring.ask(format.send({ parts: [{ url: 'https://example.com/a', mediaType: 'image/png' }] })),
      ),
    metadata: { inputModes: 'text/plain, application/json' },
  },
  {
    reason: 'EXTENSION_SUPPORT_REQUIRED',
    code: -32008,
    http: 400,
    grpc: 'FAILED_PRECONDITION',
    provoke: (_server, format) =>
      startServer({ agent: { extensions: [{ uri: 'urn:needed', required: true }] } }).then((strict) =>
        strict.ask(format.send({ text: 'hello' })),
      ),
    metadata: { requiredExtensions: 'urn:needed' },
  },
  {
    reason: 'VERSION_NOT_SUPPORTED',
    code: -32009,
    http: 400,
    grpc: 'FAILED_PRECONDITION',
    provoke: (server, format) => server.ask({ ...format.get('t1'), headers: { 'a2a-version': '9.9' } }),
    metadata: { requestedVersion: '9.9', supportedVersions: expect.stringContaining('1.0') },
  },
  {
    reason: 'INVALID_PARAMS',
    code: -32602,
    http: 400,
    grpc: 'INVALID_ARGUMENT',
    provoke: (server, format) => server.ask(format.get('t1', -1)),
  },
];

describe('errors of the protocol', () => {
  test.each(ERRORS)(
    verifies(['E-03', 'E-06'], '$reason over JSON-RPC has its code, a message and an ErrorInfo'),
    async (errorCase) => {
      const server = await startServer();

      const { status, headers, json } = await errorCase.provoke(server, RPC_1);

      expect([status, headers['content-type']]).toEqual([200, 'application/json']);
      expect(json).toEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: errorCase.code, message: expect.stringMatching(/\w+ \w+/), data: expect.any(Array) },
      });
      expect(infoOf(json as { error: { data: unknown[] } }, 'data')).toEqual(errorInfo(errorCase));
    },
  );

  test.each(ERRORS)(
    verifies(
      ['E-03', 'E-06', 'E-08'],
      '$reason over REST has its HTTP status, its gRPC status, a message and an ErrorInfo',
    ),
    async (errorCase) => {
      const server = await startServer();

      const { status, headers, json } = await errorCase.provoke(server, REST_1);

      expect([status, headers['content-type']]).toEqual([errorCase.http, 'application/a2a+json']);
      expect(json).toEqual({
        error: {
          code: errorCase.http,
          status: errorCase.grpc,
          message: expect.stringMatching(/\w+ \w+/),
          details: expect.any(Array),
        },
      });
      expect(infoOf(json as { error: { details: unknown[] } }, 'details')).toEqual(errorInfo(errorCase));
    },
  );

  test.each(ERRORS)(
    verifies('B-01', '$reason has the same reason, fields and message over JSON-RPC and REST'),
    async ({ provoke }) => {
      const server = await startServer();

      const [rpcError, restError] = [
        RPC_1.error(await provoke(server, RPC_1)),
        REST_1.error(await provoke(server, REST_1)),
      ];

      const plain = (message: string): string =>
        message.replaceAll(/[0-9a-f-]{36}/g, 'ID').replace(/ over REST|0\.1, 0\.2, /g, '');
      expect(restError.reason).toBe(rpcError.reason);
      expect(restError.fields).toEqual(rpcError.fields);
      expect(plain(restError.message)).toBe(plain(rpcError.message));
    },
  );

  function infoOf<K extends string>(
    json: { readonly error: Readonly<Record<K, readonly unknown[]>> },
    key: K,
  ): unknown {
    return json.error[key][0];
  }

  function errorInfo({ reason, metadata }: ErrorCase): object {
    const type = 'type.googleapis.com/google.rpc.ErrorInfo';
    return { '@type': type, reason, domain: 'a2a-protocol.org', ...(metadata !== undefined && { metadata }) };
  }
});

describe('errors outside of the protocol', () => {
  test.each([
    { name: 'a body that is not JSON', body: '{"jsonrpc":', code: -32700, id: null },
    { name: 'a batch', body: '[]', code: -32600, id: null },
    {
      name: 'a request without id',
      body: '{"jsonrpc":"2.0","method":"GetTask","params":{"id":"t"}}',
      code: -32600,
      id: null,
    },
    { name: 'an unknown method', body: '{"jsonrpc":"2.0","id":"x","method":"DoMagic"}', code: -32601, id: 'x' },
  ])(verifies('E-03', '$name gets an error with a code and a message over JSON-RPC'), async ({ body, code, id }) => {
    const server = await startServer();

    const { status, json } = await server.ask({ ...rpc('1.0', ''), body });

    expect(status).toBe(200);
    expect(json).toMatchObject({ jsonrpc: '2.0', id, error: { code, message: expect.stringMatching(/\w/) } });
  });

  test.each([
    {
      name: 'a body that is not JSON',
      ask: { method: 'POST', path: '/message:send', body: '{"message":' },
      http: 400,
      grpc: 'INVALID_ARGUMENT',
    },
    { name: 'an unknown path', ask: { method: 'GET', path: '/magic' }, http: 404, grpc: 'NOT_FOUND' },
    { name: 'a wrong HTTP method', ask: { method: 'DELETE', path: '/tasks/t' }, http: 405, grpc: 'UNIMPLEMENTED' },
    {
      name: 'an array as the body',
      ask: { method: 'POST', path: '/message:send', body: '[]' },
      http: 400,
      grpc: 'INVALID_ARGUMENT',
    },
  ])(verifies('E-03', '$name gets an error with a code and a message over REST'), async ({ ask, http, grpc }) => {
    const server = await startServer();

    const { status, json } = await server.ask(ask);

    expect(status).toBe(http);
    expect(json).toMatchObject({ error: { code: http, status: grpc, message: expect.stringMatching(/\w/) } });
  });

  const secret = new Error('SELECT secret FROM vault');
  const broken = FORMATS_1.flatMap((format) => [
    { name: `${format.name}, a plain Error of the store`, format, trouble: secret },
    { name: `${format.name}, an A2AError of the store`, format, trouble: storeError('INTERNAL_ERROR') },
  ]);

  test.each(broken)(
    verifies('E-03', '$name: the response has only the id of the error, and the log has the error'),
    async ({ format, trouble }) => {
      const lines: unknown[] = [];
      const server = await startServer({ store: brokenStore(trouble), log: noting(lines), insecurePublic: true });

      const answer = await server.ask(format.get('t1'));
      const error = format.error(answer);

      expect(error).toMatchObject({
        reason: 'INTERNAL_ERROR',
        status: format.binding === 'REST' ? 500 : 200,
        code: format.binding === 'REST' ? undefined : -32603,
      });
      expect(answer.text).not.toMatch(/SELECT|vault|at \w+ \(|\.ts/);
      const [errorId] = /[0-9a-f-]{36}/.exec(error.message) ?? [];
      const binding = format.binding === 'REST' ? 'HTTP+JSON' : 'JSONRPC';
      const fields = { errorId, binding, operation: 'GetTask', taskId: 't1', error: trouble };
      expect(lines).toEqual([{ message: 'Request failed', fields }]);
    },
  );

  test('an unavailable store causes 503 in every version, and each request logs a warning with its error id', async () => {
    const lines: unknown[] = [];
    const trouble = storeError('UNAVAILABLE');
    const server = await startServer({ store: brokenStore(trouble), log: noting(lines), insecurePublic: true });

    const ready = await server.ask({ method: 'GET', path: '/readyz' });
    const answers = await Promise.all(WIRE_FORMATS.map((format) => server.ask(format.get('t1'))));

    for (const { status } of [ready, ...answers]) expect(status).toBe(503);
    expect([ready, ...answers].map(({ text }) => text).join('')).not.toMatch(/SELECT|vault/);
    const logged = lines as readonly { readonly message: string; readonly fields: { readonly errorId: string } }[];
    for (const { message, fields } of logged) {
      expect(message).toBe('Request could not be served');
      expect(fields).toMatchObject({ errorId: expect.stringMatching(/^[0-9a-f-]{36}$/), error: trouble });
    }
    const ids = logged.map(({ fields }) => fields.errorId);
    for (const [i, format] of WIRE_FORMATS.entries()) {
      const { message } = format.error(answers[i] as Answer);
      expect(ids).toContain(/Error id: (\S+)$/.exec(message)?.[1]);
    }
    for (const i of [0, 1]) expect(answers[i]?.text).toMatch(/"errorId":"[0-9a-f-]{36}"/);
  });

  function storeError(code: 'INTERNAL_ERROR' | 'UNAVAILABLE'): A2AError {
    return new A2AError(code, 'The task store could not do this', { cause: secret, retryAfterMs: 1000 });
  }

  function noting(lines: unknown[]): Log {
    const note = (message: string, fields?: unknown): void => void lines.push({ message, fields });
    return { info: note, warn: note, error: note };
  }

  /** A store that cannot read. */
  function brokenStore(error: Error): Store {
    return new Proxy(memoryStore(), {
      get(target, name): unknown {
        if (name === 'read')
          return async () => {
            throw error;
          };
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
  }
});
