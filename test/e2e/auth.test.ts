/** Authentication: the responses for authenticated and anonymous callers. */
import { describe, expect, onTestFinished, test } from 'vitest';

import { apiKeys } from '../../src/host/auth/api-keys.ts';
import type { AuthenticateHook } from '../../src/host/auth/authenticator.ts';
import { basicAuth } from '../../src/host/auth/basic-auth.ts';
import { bearerTokens } from '../../src/host/auth/bearer-tokens.ts';
import { oidc } from '../../src/host/auth/jwt/oidc.ts';
import { sharedSecret } from '../../src/host/auth/jwt/shared-secret.ts';
import { createHandler } from '../../src/server/handler.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { type Claims, startIdentityProvider } from '../helpers/identity-provider.ts';
import { recordingLog } from '../helpers/recording-log.ts';
import { verifies } from '../helpers/verifies.ts';
import { asked, basicOf, bearerOf, type Credentials } from './auth/kinds.ts';
import type { Ask } from './kit/exchange.ts';
import { scripted } from './kit/script.ts';
import { startServer, type TestServerOptions } from './kit/server.ts';
import { REST_1, RPC_03, RPC_1, type WireFormat } from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

const CARD: Ask = { method: 'GET', path: '/.well-known/agent-card.json' };
const ALICE = bearerOf('alice-token');
const TOKENS = bearerTokens({ alice: 'alice-token' });
const BOTH: readonly WireFormat[] = [RPC_1, REST_1];

describe('with several authenticators', () => {
  const secret = 'a-secret-of-more-than-32-characters';
  const auth = [
    TOKENS,
    apiKeys({ keys: { bob: 'bob-key' } }),
    sharedSecret({ secret }),
    basicAuth({ carol: 'geheim' }),
  ];

  test(verifies('H-06', 'a 401 lists each challenge once'), async () => {
    const server = await startServer({ auth });
    const challenges = [
      'Bearer realm="a2a"',
      'ApiKey realm="a2a", in="header", name="x-api-key"',
      'Basic realm="a2a", charset="UTF-8"',
    ];

    const { headers } = await server.ask(RPC_1.get('any'));
    const bad = await server.ask(asked(RPC_1.get('any'), bearerOf('x')));

    expect(headers['www-authenticate']).toBe(challenges.join(', '));
    expect(bad.headers['www-authenticate']).toBe(
      [`${challenges[0]}, error="invalid_token"`, ...challenges.slice(1)].join(', '),
    );
  });

  test.each<[string, Credentials, string]>([
    ['a token alone', ALICE, 'alice'],
    ['a key alone', { headers: { 'x-api-key': 'bob-key' } }, 'bob'],
    ['a password alone', basicOf('carol:geheim'), 'carol'],
    ['a valid key beside an invalid token', { headers: { 'x-api-key': 'bob-key', authorization: 'Bearer x' } }, 'bob'],
  ])('%s authenticates a caller', async (_, by, id) => {
    const server = await startServer({ auth });

    const answer = await server.ask(asked(RPC_1.send({ text: 'about' }), by));

    expect(answer.text).toContain(`"caller":"${id}"`);
  });
});

test.each(['/healthz', '/readyz'])('%s needs no credentials', async (path) => {
  const server = await startServer({ auth: TOKENS });

  expect((await server.ask({ method: 'GET', path })).status).toBe(200);
});

test.each([
  '/agent/authenticatedExtendedCard',
  '/extendedAgentCard',
  '/metrics',
  '/tasks/any',
  '/.well-known/agent-card.json',
])(verifies('H-06', '%s gets 401 with a challenge without credentials'), async (path) => {
  const server = await startServer({ auth: TOKENS, extendedCard: true, metrics: true, access: { protectCard: true } });
  const ask = { method: 'GET', path };

  const nothing = await server.ask(ask);
  const wrong = await server.ask(asked(ask, bearerOf('wrong')));

  expect([nothing.status, nothing.headers['www-authenticate']]).toEqual([401, 'Bearer realm="a2a"']);
  expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([401, 'Bearer realm="a2a", error="invalid_token"']);
});

test('a path that does not exist gets 401 without credentials and 404 with them', async () => {
  const server = await startServer({ auth: TOKENS });

  expect((await server.ask({ method: 'GET', path: '/nowhere' })).status).toBe(401);
  expect((await server.ask(asked({ method: 'GET', path: '/nowhere' }, ALICE))).status).toBe(404);
});

test.each(BOTH)(
  verifies(
    ['H-07', 'H-09'],
    '$name: a caller that is limited to tenants sees no task of others and may not send to them',
  ),
  async (format) => {
    const auth = bearerTokens({ alice: { token: 'alice-token', tenants: ['acme'] } });
    const server = await startServer({ auth });
    const list = (tenant: string) => server.ask(asked(rpc('1.0', 'ListTasks', { tenant }), ALICE));

    expect((await list('acme')).json).toMatchObject({ result: { tasks: [] } });
    expect((await server.ask(asked(format.send({ text: 'hello' }), ALICE))).status).toBe(200);
    expect((await list('globex')).json).toMatchObject({ result: { tasks: [], totalSize: 0 } });
    expect(
      await server.ask(asked(rpc('1.0', 'SendMessage', { tenant: 'globex', message: HELLO }), ALICE)),
    ).toMatchObject({
      status: 403,
      json: { error: { message: 'You do not have access to this tenant' } },
    });
  },
);

const HELLO = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };

describe('an identity provider that is unavailable', () => {
  test.each([...BOTH, RPC_03])('$name: causes 503 with Retry-After, without its address', async (format) => {
    const provider = await startIdentityProvider();
    provider.status = 500;
    const log = recordingLog();
    const server = await startServer({ auth: oidc({ issuer: provider.issuer, audience: 'mail' }), log });
    const token = await provider.sign({ aud: 'mail' });

    const answer = await server.ask(asked(format.send({ text: 'hello' }), bearerOf(token)));

    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
    expect(format.error(answer)).toMatchObject({ reason: 'UNAVAILABLE' });
    expect(answer.text).not.toContain(provider.issuer);
    expect(log.lines.map(({ message }) => message)).toEqual(['Request could not be served']);
  });
});

test.each<[string, TestServerOptions, Readonly<Record<string, string>>, string | undefined]>([
  ['with an https publicUrl', { publicUrl: 'https://agent.example' }, {}, 'max-age=31536000'],
  ['behind a proxy with https', { trustProxy: true }, { 'x-forwarded-proto': 'https' }, 'max-age=31536000'],
  ['behind a proxy without', { trustProxy: true }, { 'x-forwarded-proto': 'http' }, undefined],
  ['without https', {}, { 'x-forwarded-proto': 'https' }, undefined],
])(
  verifies('H-11', '%s, every response has or lacks Strict-Transport-Security'),
  async (_, options, headers, expected) => {
    const server = await startServer({ auth: TOKENS, ...options });
    const asks = [CARD, RPC_1.get('x'), REST_1.get('x'), asked(RPC_1.stream({ text: 'hello' }), ALICE)];

    for (const ask of asks) {
      const answer = await server.ask({ ...ask, headers: { ...ask.headers, ...headers } });
      expect(answer.headers['strict-transport-security']).toBe(expected);
    }
  },
);

describe('credentials', () => {
  const SECRETS = ['geheim-token', 'geheim-key', 'geheim-password', 'alice-token'];
  const auth = [TOKENS, apiKeys({ query: 'key', keys: { bob: 'bob-key' } }), basicAuth({ carol: 'c' })];

  test.each<[string, Credentials]>([
    ['a token', bearerOf('geheim-token')],
    ['a key', { query: 'key=geheim-key' }],
    ['a password', basicOf('carol:geheim-password')],
  ])(
    verifies(
      ['H-12', 'H-14'],
      '(%s) that are invalid are in no log line and no response, and the rejection is logged as a warning',
    ),
    async (_, by) => {
      const log = recordingLog();
      const server = await startServer({ auth, log });

      const answer = await server.ask(asked(RPC_1.send({ text: 'hello' }), by));

      expect(log.lines).toMatchObject([
        {
          level: 'warn',
          message: 'Request rejected',
          fields: { reason: 'UNAUTHENTICATED', detail: 'invalid_token', path: '/a2a' },
        },
      ]);
      for (const secret of SECRETS) expect(answer.text + JSON.stringify(log.lines)).not.toContain(secret);
    },
  );

  test('that are missing are logged at level info', async () => {
    const log = recordingLog();
    const server = await startServer({ auth, log });

    await server.ask(RPC_1.send({ text: 'hello' }));

    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([['info', 'Request rejected']]);
  });

  test(verifies('H-12', 'that are valid are in no response, card or log'), async () => {
    const log = recordingLog();
    const server = await startServer({ auth, log });

    const answers = [
      await server.ask(asked(RPC_1.send({ text: 'about' }), ALICE)),
      await server.ask(asked(RPC_1.get('nowhere'), ALICE)),
      await server.ask(asked(rpc('1.0', 'ListTasks', { includeArtifacts: true }), ALICE)),
      await server.ask(CARD),
    ];

    const all = answers.map(({ text, headers }) => text + JSON.stringify(headers)).join();
    for (const secret of [...SECRETS, 'bob-key']) expect(all + JSON.stringify(log.lines)).not.toContain(secret);
  });

  test(verifies('H-14', 'that are revoked get 401'), async () => {
    const provider = await startIdentityProvider();
    const revoked = new Set<unknown>();
    const isRevoked = ({ jti }: Claims): boolean => revoked.has(jti);
    const server = await startServer({ auth: oidc({ issuer: provider.issuer, audience: 'mail', isRevoked }) });
    const [good, bad] = await Promise.all(['good', 'bad'].map((jti) => provider.sign({ aud: 'mail', jti })));
    revoked.add('bad');

    expect((await server.ask(asked(RPC_1.send({ text: 'hello' }), bearerOf(good ?? '')))).status).toBe(200);
    expect(await server.ask(asked(RPC_1.send({ text: 'hello' }), bearerOf(bad ?? '')))).toMatchObject({
      status: 401,
      json: { error: { message: 'The token has been revoked' } },
    });
  });
});

test('an auth function that throws or returns an invalid caller admits nobody', async () => {
  const log = recordingLog();
  for (const broken of [
    () => 'alice',
    () => ({ id: '' }),
    () => ({}),
    async () => Promise.reject(new Error('geheim')),
  ]) {
    const server = await startServer({ auth: broken as unknown as AuthenticateHook, log });
    const answer = await server.ask(RPC_1.send({ text: 'hello' }));

    expect(RPC_1.error(answer)).toMatchObject({ reason: 'INTERNAL_ERROR' });
    expect(answer.text).not.toContain('geheim');
    expect(server.runs()).toBe(0);
  }
});

test(
  verifies(['H-04', 'H-11'], 'a handler behind fetch authenticates and sends Strict-Transport-Security like a server'),
  async () => {
    const { agent } = scripted();
    const handler = createHandler(agent, { auth: TOKENS, store: memoryStore() });
    onTestFinished(() => handler.close());
    const { path, method, headers, body } = asked(RPC_1.send({ text: 'about' }), ALICE);
    const send = (more: Readonly<Record<string, string>>): Promise<Response> => {
      const all = { 'content-type': 'application/json', ...headers, ...more };
      return handler.fetch(
        new Request(`https://agent.example${path}`, { method, headers: all, body: JSON.stringify(body) }),
      );
    };

    const rejected = await send({ authorization: 'Bearer \u00ff' });
    const served = await send({});

    expect(rejected.status).toBe(401);
    expect(rejected.headers.get('www-authenticate')).toBe('Bearer realm="a2a", error="invalid_token"');
    expect(served.headers.get('strict-transport-security')).toBe('max-age=31536000');
    expect(await served.text()).toContain('"caller":"alice"');
  },
);

test.each(BOTH)('$name: a repeated messageId gets the first task, and with another text a new task', async (format) => {
  const server = await startServer({ auth: TOKENS });
  const send = (text: string) => server.ask(asked(format.send({ text, messageId: 'mine' }), ALICE));

  const first = await send('echo one');
  expect((await send('echo one')).text).toBe(first.text);
  expect((await send('echo two')).text).toContain('TASK_STATE_COMPLETED');
  expect(server.runs()).toBe(2);
});
