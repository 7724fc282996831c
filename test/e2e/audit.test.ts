/** Audit records and log lines for the operator: rejections and failures, without secrets and without reaching callers. */
import { describe, expect, test } from 'vitest';

import type { Caller } from '../../src/engine/handler.ts';
import { A2AError } from '../../src/errors.ts';
import type { AuditRecord } from '../../src/observe/audit.ts';
import type { Log, LogFields } from '../../src/observe/log.ts';
import type { ServeOptions } from '../../src/node/serve.ts';
import type { Authenticator } from '../../src/host/auth/authenticator.ts';
import { bearerTokens } from '../../src/host/auth/bearer-tokens.ts';
import type { Limits } from '../../src/host/limits/limit-settings.ts';
import { agent } from '../../src/agent/agent.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { verifies } from '../helpers/verifies.ts';
import type { Ask } from './kit/exchange.ts';
import { serveOnSocket, startServer } from './kit/server.ts';
import { WIRE_FORMATS, REST_1, RPC_1 } from './kit/wire-formats.ts';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

function recordingLog(): { readonly log: Log; readonly lines: Line[] } {
  const lines: Line[] = [];
  const at =
    (level: string) =>
    (message: string, fields?: LogFields): void =>
      void lines.push({ level, message, fields });
  return { log: { info: at('info'), warn: at('warn'), error: at('error') }, lines };
}

const SECRET = 'abc123def456ghi';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

/** Authenticates any caller by the first word of `Authorization`, except for two that it rejects for other reasons. */
const AUTHENTICATOR: Authenticator = {
  schemes: {},
  challenge: 'Bearer',
  authenticate(request): Caller | undefined {
    const word = request.header('authorization')?.split(' ')[0];
    if (word === 'few') throw new A2AError('PERMISSION_DENIED', 'Not for you', { details: { scope: 'tasks.write' } });
    if (word === 'many') throw new A2AError('RATE_LIMIT_EXCEEDED', 'Too many requests');
    return word === undefined ? undefined : { id: word, isVerified: true };
  },
};

function withAuthorization(ask: Ask, authorization: string | undefined): Ask {
  const headers = {
    ...ask.headers,
    ...(authorization !== undefined && { authorization: `${authorization} ${SECRET}` }),
    'x-request-id': 'r-1',
    traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
  };
  return { ...ask, headers };
}

describe.each(WIRE_FORMATS)('$name', (format) => {
  test.each([
    [undefined, 'UNAUTHENTICATED', {}],
    ['few', 'PERMISSION_DENIED', { detail: 'tasks.write' }],
    ['many', 'RATE_LIMIT_EXCEEDED', { detail: 'rate' }],
  ])(
    verifies('O-01', 'a rejected caller (%s) leaves one audit record without secrets: %s'),
    async (name, reason, more) => {
      const records: AuditRecord[] = [];
      const server = await startServer({ auth: AUTHENTICATOR, audit: (record) => void records.push(record) });

      await server.ask(withAuthorization(format.send({ text: 'content' }), name));
      await server.ask(withAuthorization(format.send({ text: 'content' }), 'ann'));

      const binding = format.binding === 'REST' ? 'HTTP+JSON' : 'JSONRPC';
      expect(records).toEqual([
        {
          time: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
          outcome: 'rejected',
          reason,
          address: '127.0.0.1',
          binding,
          path: expect.stringMatching(/^\/\w/) as unknown,
          requestId: 'r-1',
          traceId: TRACE,
          ...more,
        },
      ]);
      expect(JSON.stringify(records)).not.toMatch(new RegExp(`${SECRET}|content`));
    },
  );
});

const WATCHED = { pushNotifications: true, auth: AUTHENTICATOR } as const;

/** A minimal message with the given members. */
function messageRequest(message: object, configuration?: object): Ask {
  const body = {
    message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'ask' }], ...message },
    ...(configuration !== undefined && { configuration }),
  };
  return { method: 'POST', path: '/message:send', body };
}

describe('the audit record of an authenticated caller', () => {
  test.each(['https://10.0.0.1/hook', 'https://metadata.google.internal/', 'http://example.com/', 'no address'])(
    verifies('O-01', 'names the caller and the reason when the address guard rejects the push URL %s'),
    async (url) => {
      const records: AuditRecord[] = [];
      const server = await startServer({ ...WATCHED, audit: async (record) => void records.push(record) });
      const sent = await server.ask(withAuthorization(messageRequest({}), 'ann'));
      const { id } = (sent.json as { readonly task: { readonly id: string } }).task;
      const path = `/tasks/${id}/pushNotificationConfigs`;

      await server.ask(withAuthorization({ method: 'POST', path, body: { url } }, 'ann'));
      await server.ask(withAuthorization(messageRequest({}, { taskPushNotificationConfig: { url } }), 'ann'));

      const rejected = { outcome: 'rejected', reason: 'INVALID_PARAMS', detail: 'address', caller: 'ann' };
      expect(records).toMatchObject([
        { ...rejected, operation: 'CreateTaskPushNotificationConfig', path },
        { ...rejected, operation: 'SendMessage' },
      ]);
      expect(JSON.stringify(records)).not.toContain(url);
    },
  );

  test.each<[string, Partial<Limits>, ServeOptions, Ask]>([
    ['partsPerMessage', { partsPerMessage: 1 }, {}, messageRequest({ parts: [{ text: 'a' }, { text: 'b' }] })],
    ['textCharacters', { textCharacters: 2 }, {}, messageRequest({})],
    ['fileBytes', { fileBytes: 1 }, {}, messageRequest({ parts: [{ raw: 'AAAA' }] })],
    ['metadataBytes', { metadataBytes: 1 }, {}, messageRequest({ metadata: { a: 1 } })],
    ['streamsPerCaller', { streamsPerCaller: 0 }, {}, { ...messageRequest({}), path: '/message:stream' }],
    ['subscribersPerTask', { subscribersPerTask: 0 }, {}, REST_1.subscribe('t')],
    ['body', {}, { maxBodyBytes: 10 }, messageRequest({})],
  ])(
    verifies('O-01', 'names the caller and the limit when a request exceeds %s'),
    async (detail, limits, options, ask) => {
      const records: AuditRecord[] = [];
      const server = await startServer({
        ...WATCHED,
        ...options,
        limits,
        metrics: true,
        audit: (record) => void records.push(record),
      });

      const { text } = await server.ask(withAuthorization(ask, 'ann'));

      expect(records).toMatchObject([{ outcome: 'rejected', detail, caller: 'ann' }]);
      expect(text).toContain(`"limit":"${detail}"`);
      const numbers = await server.ask(withAuthorization({ method: 'GET', path: '/metrics' }, 'ann'));
      expect(numbers.text).toContain(`tandem_limits_hit_total{limit="${detail}"} 1\n`);
    },
  );

  test('names the rate limit, and failed logins have a record without a caller', async () => {
    const records: AuditRecord[] = [];
    const once = { perMinute: 1, burst: 1 };
    const server = await startServer({
      auth: bearerTokens({ ann: 'right' }),
      limits: { rate: once, failedLogins: once },
      audit: (record) => void records.push(record),
    });
    const as = (token: string): Ask => ({ ...REST_1.get('t'), headers: { authorization: `Bearer ${token}` } });

    for (const token of ['right', 'right', 'wrong', 'wrong']) await server.ask(as(token));

    expect(records.map(({ reason, detail }) => `${reason} ${detail}`)).toEqual([
      'RATE_LIMIT_EXCEEDED rate',
      'UNAUTHENTICATED invalid_token',
      'RATE_LIMIT_EXCEEDED failedLogins',
    ]);
  });
});

test('a limit that an auth function names itself is recorded as "rate", so that it adds no metric label', async () => {
  const records: AuditRecord[] = [];
  const auth = (): never => {
    throw new A2AError('RATE_LIMIT_EXCEEDED', 'Not now', { details: { limit: crypto.randomUUID() } });
  };
  const server = await startServer({ auth, audit: (record) => void records.push(record) });

  await server.ask(REST_1.get('t'));

  expect(records).toMatchObject([{ reason: 'RATE_LIMIT_EXCEEDED', detail: 'rate' }]);
});

test('a request for an unknown host name gets 421 and leaves an audit record', async () => {
  const records: AuditRecord[] = [];
  const server = await startServer({ audit: (record) => void records.push(record) });

  const { status } = await server.ask({ ...REST_1.get('t'), headers: { host: 'evil.example', 'x-request-id': 'r-1' } });

  expect(status).toBe(421);
  expect(records).toMatchObject([
    { reason: 'PERMISSION_DENIED', detail: 'host', address: '127.0.0.1', path: '/tasks/t', requestId: 'r-1' },
  ]);
});

test.each([
  [
    'throws',
    (): never => {
      throw new Error('The disk is full');
    },
  ],
  ['rejects', () => Promise.reject(new Error('The disk is full'))],
])('an audit function that %s does not change the response, and the failure is logged', async (_, audit) => {
  const { log, lines } = recordingLog();
  const server = await startServer({ auth: AUTHENTICATOR, audit, log });

  expect((await server.ask(RPC_1.send({ text: 'hello' }))).status).toBe(401);
  expect(lines.map(({ message }) => message)).toEqual(['Could not write audit record']);
});

test('without an audit function, the server logs the records', async () => {
  const { log, lines } = recordingLog();
  const server = await startServer({ auth: AUTHENTICATOR, log });

  await server.ask(REST_1.get('task-1'));

  expect(lines).toMatchObject([{ level: 'info', message: 'Request rejected', fields: { reason: 'UNAUTHENTICATED' } }]);
});

describe('an internal error', () => {
  test.each(WIRE_FORMATS)(
    verifies(['E-11', 'O-03'], '$name: is logged with the ids of the request, and the response has only its reference'),
    async (format) => {
      const { log, lines } = recordingLog();
      const failing = Object.assign(memoryStore(), { read: () => Promise.reject(new Error('disk I/O error')) });
      const server = await startServer({ store: failing, log, insecurePublic: true });

      const { text } = await server.ask(withAuthorization(format.get('task-1'), undefined));

      const [line] = lines;
      expect(line).toMatchObject({
        level: 'error',
        message: 'Request failed',
        fields: { operation: 'GetTask', taskId: 'task-1', traceId: TRACE, requestId: 'r-1' },
      });
      expect(line?.fields?.['error']).toMatchObject({ message: 'disk I/O error' });
      expect(text).toContain(String(line?.fields?.['errorId']));
      expect(text).not.toContain('disk');
    },
  );

  test.each(WIRE_FORMATS)(
    verifies('H-13', '$name: is logged without credentials, also in causes and nested fields'),
    async (format) => {
      const { log, lines } = recordingLog();
      const run = async (): Promise<never> => {
        const cause = Object.assign(new Error(`GET https://ann:${SECRET}@example.com/?api_key=${SECRET}`), {
          config: { headers: { Authorization: SECRET, cookie: [SECRET] }, clientSecret: { deep: SECRET } },
        });
        throw new Error(`Refused: Bearer ${SECRET}`, { cause });
      };
      const { ask } = await serveOnSocket(agent({ name: 'Leaky', description: 'Leaks.', run }), {
        auth: AUTHENTICATOR,
        log,
      });

      const { text } = await ask(withAuthorization(format.send({ text: SECRET, metadata: { token: SECRET } }), 'ann'));

      expect(lines.map(({ message }) => message)).toEqual(['A handler failed']);
      expect(serialized(lines)).toMatch(/Refused: Bearer \[redacted\].*\/\/redacted@example\.com/s);
      expect(serialized(lines)).not.toContain(SECRET);
      expect(text).not.toContain('Request rejected');
    },
  );
});

/** The lines as written by a logger that serializes errors with all their fields. */
function serialized(lines: readonly Line[]): string {
  const whole = (_: string, value: unknown): unknown =>
    value instanceof Error
      ? { own: Object.entries(value), message: value.message, stack: value.stack, cause: value.cause }
      : value;
  return JSON.stringify(lines, whole);
}
