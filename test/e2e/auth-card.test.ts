/** The security schemes on cards, and protected cards. */
import { describe, expect, test } from 'vitest';

import { connect } from '../../src/client/connect.ts';
import { apiKeys } from '../../src/host/auth/api-keys.ts';
import { basicAuth } from '../../src/host/auth/basic-auth.ts';
import { bearerTokens } from '../../src/host/auth/bearer-tokens.ts';
import { oidc } from '../../src/host/auth/jwt/oidc.ts';
import { verifies } from '../helpers/verifies.ts';
import { asked, bearerOf } from './auth/kinds.ts';
import { connected } from './client/kit.ts';
import { startServer } from './kit/server.ts';

const CARD = { method: 'GET', path: '/.well-known/agent-card.json' };
const OLD_CARD = { method: 'GET', path: '/.well-known/agent.json' };
const ALICE = bearerOf('alice-token');
const TOKENS = bearerTokens({ alice: 'alice-token' });

test('the Vary header of a protected card lists every header with credentials, so that caches separate the callers', async () => {
  const auth = [
    TOKENS,
    apiKeys({ header: 'x-team-key', keys: { bob: 'k' } }),
    apiKeys({ query: 'key', keys: { b: 'q' } }),
  ];
  const server = await startServer({ auth, extendedCard: true, access: { protectCard: true } });
  const varies = async (path: string): Promise<string | undefined> =>
    (await server.ask(asked({ method: 'GET', path }, ALICE))).headers['vary'];

  expect(await varies(CARD.path)).toBe('A2A-Version, Authorization, x-team-key');
  for (const path of ['/extendedAgentCard', '/agent/authenticatedExtendedCard']) {
    expect(await varies(path)).toBe('Authorization, x-team-key, A2A-Version');
  }
});

describe('the public card', () => {
  test(verifies('H-16', 'lists the configured security schemes in the format of each version'), async () => {
    const auth = [
      TOKENS,
      apiKeys({ query: 'key', keys: { bob: 'k' } }),
      basicAuth({ carol: 'c' }),
      oidc({ issuer: 'https://login.example' }),
    ];
    const server = await startServer({ auth, access: { requiredScopes: ['use'] } });
    const url = 'https://login.example/.well-known/openid-configuration';
    const tagged = {
      bearer: { type: 'http', scheme: 'Bearer' },
      apiKey: { type: 'apiKey', in: 'query', name: 'key' },
      basic: { type: 'http', scheme: 'Basic' },
      oidc: { type: 'openIdConnect', openIdConnectUrl: url },
    };
    const security = [{ bearer: [] }, { apiKey: [] }, { basic: [] }, { oidc: ['use'] }];

    expect((await server.ask({ ...CARD, headers: { 'a2a-version': '1.0' } })).json).toMatchObject({
      securitySchemes: {
        bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
        apiKey: { apiKeySecurityScheme: { location: 'query', name: 'key' } },
        basic: { httpAuthSecurityScheme: { scheme: 'Basic' } },
        oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: url } },
      },
      securityRequirements: [
        { schemes: { bearer: {} } },
        { schemes: { apiKey: {} } },
        { schemes: { basic: {} } },
        { schemes: { oidc: { list: ['use'] } } },
      ],
    });
    for (const ask of [{ ...CARD, headers: { 'a2a-version': '0.3' } }, CARD, OLD_CARD]) {
      expect((await server.ask(ask)).json).toMatchObject({ securitySchemes: tagged, security });
    }
  });

  test('has no security schemes without auth, and needs no credentials with auth', async () => {
    const open = await (await startServer()).ask(CARD);
    const closed = await (await startServer({ auth: TOKENS })).ask(CARD);

    expect(open.text).not.toContain('security');
    expect([closed.status, closed.headers['cache-control']]).toEqual([200, 'public, max-age=300']);
  });

  test('lists equal schemes once, and different schemes of one kind under two names', async () => {
    const auth = [
      TOKENS,
      bearerTokens({ bob: 'b' }),
      apiKeys({ keys: { a: 'a' } }),
      apiKeys({ query: 'k', keys: { a: 'b' } }),
    ];
    const { json } = await (await startServer({ auth })).ask({ ...CARD, headers: { 'a2a-version': '1.0' } });

    expect(Object.keys((json as { securitySchemes: object }).securitySchemes)).toEqual(['bearer', 'apiKey', 'apiKey2']);
  });

  test.each([CARD, OLD_CARD])(verifies('D-17', 'with protectCard requires credentials: $path'), async (ask) => {
    const server = await startServer({ auth: TOKENS, access: { protectCard: true } });
    const rejected = await server.ask(ask);
    const served = await server.ask(asked(ask, ALICE));

    expect(rejected.status).toBe(401);
    expect(rejected.headers).toMatchObject({ 'www-authenticate': 'Bearer realm="a2a"', 'cache-control': 'no-store' });
    expect(rejected.text).not.toContain('Script');
    expect(served.status).toBe(200);
    expect(served.text).toContain('Script');
    expect(served.headers).toMatchObject({
      'cache-control': 'private, max-age=300',
      vary: 'A2A-Version, Authorization',
    });
    expect((await server.ask({ ...ask, method: 'HEAD' })).status).toBe(401);
    expect((await server.ask({ ...ask, headers: { 'if-none-match': '*' } })).status).toBe(401);
    expect((await server.ask({ ...ask, method: 'OPTIONS' })).status).toBe(204);
  });

  test('with protectCard is readable for our client with credentials only', async () => {
    const server = await startServer({ auth: TOKENS, access: { protectCard: true } });

    expect((await (await connected(server.url, { auth: 'alice-token' })).send('hello')).state).toBe('completed');
    await expect(connect(server.url)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});
