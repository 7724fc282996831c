/** What the operator learns, of which callers and strangers learn nothing: refusals, failures, and no secrets. */
import { describe, expect, test } from 'vitest';

import type { Caller } from '../../src/engine/handler.ts';
import { A2AError } from '../../src/errors.ts';
import type { AuditRecord } from '../../src/observe/audit.ts';
import type { Log, LogFields } from '../../src/observe/log.ts';
import type { Authenticator } from '../../src/server/auth/authenticator.ts';
import { agent } from '../../src/server/agent.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/store.ts';
import { verifies } from '../helpers/verifies.ts';
import type { Ask } from './kit/exchange.ts';
import { serveOnSocket, startServer } from './kit/server.ts';
import { VOICES, REST_1, RPC_1 } from './kit/voices.ts';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

function notebook(): { readonly log: Log; readonly lines: Line[] } {
  const lines: Line[] = [];
  const at =
    (level: string) =>
    (message: string, fields?: LogFields): void =>
      void lines.push({ level, message, fields });
  return { log: { info: at('info'), warn: at('warn'), error: at('error') }, lines };
}

const SECRET = 'abc123def456ghi';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

/** Lets in whoever says his name, and refuses some of them for reasons of their own. */
const DOOR: Authenticator = {
  schemes: {},
  challenge: 'Bearer',
  authenticate(request): Caller | undefined {
    const word = request.header('authorization')?.split(' ')[0];
    if (word === 'few') throw new A2AError('PERMISSION_DENIED', 'Not for you', { details: { scope: 'tasks.write' } });
    if (word === 'many') throw new A2AError('RATE_LIMIT_EXCEEDED', 'Too many requests');
    return word === undefined ? undefined : { id: word, isVerified: true };
  },
};

function asking(ask: Ask, authorization: string | undefined): Ask {
  const headers = {
    ...ask.headers,
    ...(authorization !== undefined && { authorization: `${authorization} ${SECRET}` }),
    'x-request-id': 'r-1',
    traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
  };
  return { ...ask, headers };
}

describe.each(VOICES)('$name', (voice) => {
  test.each([
    [undefined, 'UNAUTHENTICATED', {}],
    ['few', 'PERMISSION_DENIED', { detail: 'tasks.write' }],
    ['many', 'RATE_LIMIT_EXCEEDED', {}],
  ])(verifies('O-01', 'who calls as %s is refused, and that is written down: %s'), async (name, reason, more) => {
    const records: AuditRecord[] = [];
    const server = await startServer({ auth: DOOR, audit: (record) => void records.push(record) });

    await server.ask(asking(voice.send({ text: 'content' }), name));
    await server.ask(asking(voice.send({ text: 'content' }), 'ann'));

    const binding = voice.binding === 'REST' ? 'HTTP+JSON' : 'JSONRPC';
    expect(records).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
        outcome: 'refused',
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
  });
});

test('who is known is named, with what he wanted', async () => {
  const records: AuditRecord[] = [];
  const guarded = agent({ name: 'Guarded', description: 'Takes nothing.', run: () => 'never' });
  const store = memoryStore();
  const refusing: Store = new Proxy(store, {
    get: (target, name) =>
      name === 'read'
        ? () => Promise.reject(new A2AError('INVALID_PARAMS', 'Not that', { details: { guard: 'address' } }))
        : (Reflect.get(target, name) as (() => unknown) | undefined)?.bind(target),
  });
  const { ask } = await serveOnSocket(guarded, {
    auth: DOOR,
    store: refusing,
    audit: async (record) => void records.push(record),
  });

  await ask(asking(REST_1.get('task-1'), 'ann'));

  expect(records).toMatchObject([
    { reason: 'INVALID_PARAMS', detail: 'address', caller: 'ann', operation: 'GetTask', taskId: 'task-1' },
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
])('an audit that %s changes no answer, and is heard of', async (_, audit) => {
  const { log, lines } = notebook();
  const server = await startServer({ auth: DOOR, audit, log });

  expect((await server.ask(RPC_1.send({ text: 'hello' }))).status).toBe(401);
  expect(lines.map(({ message }) => message)).toEqual(['A record for the audit was lost']);
});

test('without anybody who takes them, records are lines of the log', async () => {
  const { log, lines } = notebook();
  const server = await startServer({ auth: DOOR, log });

  await server.ask(REST_1.get('task-1'));

  expect(lines).toMatchObject([{ level: 'info', message: 'Refused', fields: { reason: 'UNAUTHENTICATED' } }]);
});

describe('what goes wrong here', () => {
  test.each(VOICES)(verifies(['E-11', 'O-03'], '$name: is logged, with the ids to find it by'), async (voice) => {
    const { log, lines } = notebook();
    const failing: Store = new Proxy(memoryStore(), {
      get: (target, name) =>
        name === 'read'
          ? () => Promise.reject(new Error('disk I/O error'))
          : (Reflect.get(target, name) as (() => unknown) | undefined)?.bind(target),
    });
    const server = await startServer({ store: failing, log });

    const { text } = await server.ask(asking(voice.get('task-1'), undefined));

    const [line] = lines;
    expect(line).toMatchObject({
      level: 'error',
      message: 'A request failed',
      fields: { operation: 'GetTask', taskId: 'task-1', traceId: TRACE, requestId: 'r-1' },
    });
    expect(line?.fields?.['error']).toMatchObject({ message: 'disk I/O error' });
    expect(text).toContain(String(line?.fields?.['errorId']));
    expect(text).not.toContain('disk');
  });

  test.each(VOICES)(verifies('H-13', '$name: is logged without credentials, wherever they stand'), async (voice) => {
    const { log, lines } = notebook();
    const run = async (): Promise<never> => {
      const cause = Object.assign(new Error(`GET https://ann:${SECRET}@example.com/?api_key=${SECRET}`), {
        config: { headers: { Authorization: SECRET, cookie: [SECRET] }, clientSecret: { deep: SECRET } },
      });
      throw new Error(`Refused: Bearer ${SECRET}`, { cause });
    };
    const { ask } = await serveOnSocket(agent({ name: 'Leaky', description: 'Leaks.', run }), { auth: DOOR, log });

    const { text } = await ask(asking(voice.send({ text: SECRET, metadata: { token: SECRET } }), 'ann'));

    expect(lines.map(({ message }) => message)).toEqual(['A handler failed']);
    expect(written(lines)).toMatch(/Refused: Bearer \[redacted\].*\/\/redacted@example\.com/s);
    expect(written(lines)).not.toContain(SECRET);
    expect(text).not.toContain('Refused');
  });
});

/** As somebody would write it who writes everything. */
function written(lines: readonly Line[]): string {
  const whole = (_: string, value: unknown): unknown =>
    value instanceof Error
      ? { own: Object.entries(value), message: value.message, stack: value.stack, cause: value.cause }
      : value;
  return JSON.stringify(lines, whole);
}
