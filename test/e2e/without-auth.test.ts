/** Handlers and servers without `auth`: closed in production, open in development. */
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import { connect } from '../../src/client/connect.ts';
import { bearerTokens } from '../../src/host/auth/bearer-tokens.ts';
import { sharedSecret } from '../../src/host/auth/jwt/shared-secret.ts';
import { createHandler } from '../../src/server/handler.ts';
import type { HandlerOptions } from '../../src/server/options/handler-options.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { recordingLog } from '../helpers/recording-log.ts';
import { verifies } from '../helpers/verifies.ts';
import { asked, bearerOf } from './auth/kinds.ts';
import { scripted } from './kit/script.ts';
import { startServer } from './kit/server.ts';
import { RPC_1, WIRE_FORMATS } from './kit/wire-formats.ts';

const HOSTS = [
  'NETLIFY',
  'AWS_LAMBDA_FUNCTION_NAME',
  'CF_PAGES',
  'VERCEL',
  'VERCEL_ENV',
  'RENDER',
  'FLY_APP_NAME',
  'K_SERVICE',
] as const;

const LIST = { path: '/tasks', init: { headers: { 'a2a-version': '1.0' } } };
const BODY = JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } });
const SEND = {
  path: '/message:send',
  init: { method: 'POST', headers: { 'content-type': 'application/json', 'a2a-version': '1.0' }, body: BODY },
};

function mounted(options: HandlerOptions = {}) {
  const { agent, runs } = scripted();
  const log = recordingLog();
  const handler = createHandler(agent, { store: memoryStore(), log, ...options });
  onTestFinished(() => handler.close({ finishMs: 0 }));
  const ask = ({ path, init }: { readonly path: string; readonly init?: RequestInit }): Promise<Response> =>
    handler.fetch(new Request(`https://agent.example${path}`, init));
  return { ask, runs, lines: () => log.lines.map(({ level, message }) => `${level}: ${message}`) };
}

beforeEach(() => {
  for (const name of ['NODE_ENV', ...HOSTS]) vi.stubEnv(name, '');
  onTestFinished(() => void vi.unstubAllEnvs());
});

describe('in production', () => {
  test.each([...HOSTS, 'NODE_ENV'])(
    verifies('H-04', 'a handler without auth gets 503 for every operation if %s is set'),
    async (name) => {
      vi.stubEnv(name, 'production');
      const { ask, runs, lines } = mounted();

      const answers = await Promise.all([ask(SEND), ask(LIST), ask({ path: '/tasks/any' })]);

      for (const answer of answers) {
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
        expect(await answer.text()).toContain(
          'This agent does not accept calls yet: its operator must configure authentication',
        );
      }
      expect(runs()).toBe(0);
      expect(lines()).toEqual([
        'warn: Authentication is not configured: every call is rejected in production. Set auth, or insecurePublic: true to accept anonymous callers',
        'warn: Request could not be served',
      ]);
    },
  );

  test.each([...HOSTS, 'NODE_ENV'])(
    verifies('H-04', 'a server without auth gets 503 for local callers, too, if %s is set'),
    async (name) => {
      vi.stubEnv(name, 'production');
      const log = recordingLog();
      const server = await startServer({ log });

      for (const format of WIRE_FORMATS) {
        const { status, headers, text } = await server.ask(format.send({ text: 'hello' }));
        expect([status, headers['retry-after']]).toEqual([503, '5']);
        expect(text).toContain('This agent does not accept calls yet: its operator must configure authentication');
      }
      for (const path of ['/.well-known/agent-card.json', '/healthz', '/readyz'])
        expect((await server.ask({ method: 'GET', path })).status).toBe(200);
      expect(server.runs()).toBe(0);
      expect(log.lines.map(({ message }) => message)).toEqual([
        'Authentication is not configured: every call is rejected in production. Set auth, or insecurePublic: true to accept anonymous callers',
        'Request could not be served',
      ]);
    },
  );

  test('a server accepts anonymous callers with insecurePublic, and authenticated callers with auth', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const open = await startServer({ insecurePublic: true });
    const guarded = await startServer({ auth: bearerTokens({ alice: 'right' }) });
    const send = RPC_1.send({ text: 'hello' });

    expect((await open.ask(send)).status).toBe(200);
    expect((await open.ask({ method: 'GET', ...LIST.init, path: LIST.path })).status).toBe(403);
    expect((await guarded.ask(send)).status).toBe(401);
    expect((await guarded.ask(asked(send, bearerOf('right')))).status).toBe(200);
  });

  test('sharedSecret() without a secret gets 503 with Retry-After', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    vi.stubEnv('A2A_SECRET', '');
    const answer = await mounted({ auth: sharedSecret() }).ask(SEND);

    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  });

  test.each([
    ['navigator', { userAgent: 'Cloudflare-Workers' }],
    ['__cf_env', {}],
  ])('a handler without auth responds with 503 on Cloudflare Workers, known by %s', async (name, value) => {
    vi.stubGlobal(name, value);
    onTestFinished(() => void vi.unstubAllGlobals());

    expect((await mounted().ask(SEND)).status).toBe(503);
  });

  test.each(['NETLIFY', 'AWS_LAMBDA_FUNCTION_NAME'])(
    '%s does not mean production if NETLIFY_LOCAL is true, as netlify dev sets it',
    async (name) => {
      vi.stubEnv(name, 'true');
      vi.stubEnv('NETLIFY_LOCAL', 'true');
      expect((await mounted().ask(SEND)).status).toBe(200);

      vi.stubEnv('RENDER', 'true');
      expect((await mounted().ask(SEND)).status).toBe(503);
    },
  );

  test.each(['/.well-known/agent-card.json', '/healthz', '/readyz'])('%s gets 200 without auth', async (path) => {
    vi.stubEnv('VERCEL', '1');

    expect((await mounted().ask({ path })).status).toBe(200);
  });

  test('a handler with insecurePublic accepts anonymous callers, except for ListTasks', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const { ask, lines } = mounted({ insecurePublic: true });

    expect((await ask(SEND)).status).toBe(200);
    expect((await ask(LIST)).status).toBe(403);
    expect(lines()[0]).toBe(
      'warn: Authentication is not configured: every caller that can reach this agent is accepted',
    );
  });

  test('a handler with auth accepts authenticated callers only', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const { ask, lines } = mounted({ auth: bearerTokens({ alice: 'right' }) });
    const headers = { ...SEND.init.headers, authorization: 'Bearer right' };

    expect((await ask(SEND)).status).toBe(401);
    expect((await ask({ ...SEND, init: { ...SEND.init, headers } })).status).toBe(200);
    expect(lines()).toEqual(['info: Request rejected']);
  });

  test('connect(agent) in the same process works without auth', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const client = await connect(scripted().agent);
    onTestFinished(() => client.close());

    expect(await client.ask('hello')).toContain('hello');
  });
});

test('in development a handler without auth accepts every caller and logs one warning', async () => {
  const { ask, lines } = mounted();

  expect((await ask(SEND)).status).toBe(200);
  expect((await ask(LIST)).status).toBe(200);
  expect(lines()).toEqual([
    'warn: Authentication is not configured: every caller that can reach this agent is accepted. In production every call is rejected until auth or insecurePublic is set',
  ]);
});
