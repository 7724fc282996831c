/** Our client against our server, with each kind of credentials. */
import { describe, expect, test } from 'vitest';

import type { Auth } from '../../src/client/auth/auth.ts';
import { apiKeys } from '../../src/host/auth/api-keys.ts';
import { basicAuth } from '../../src/host/auth/basic-auth.ts';
import { bearerTokens } from '../../src/host/auth/bearer-tokens.ts';
import { oidc } from '../../src/host/auth/jwt/oidc.ts';
import { sharedSecret } from '../../src/host/auth/jwt/shared-secret.ts';
import { startIdentityProvider } from '../helpers/identity-provider.ts';
import { connected } from './client/kit.ts';
import { startServer, type TestServerOptions } from './kit/server.ts';

const TOKENS = bearerTokens({ alice: 'alice-token' });

/** The auth options of the client and of the server, and the caller id that results. */
const PAIRS: readonly {
  readonly name: string;
  serve(): Promise<TestServerOptions & { readonly by: Auth; readonly id: string }>;
}[] = [
  { name: 'a bearer token', serve: async () => ({ auth: TOKENS, by: 'alice-token', id: 'alice' }) },
  {
    name: 'an API key in the header that the card names',
    serve: async () => ({
      auth: apiKeys({ header: 'X-Pass', keys: { alice: 'k' } }),
      by: { apiKey: 'k' },
      id: 'alice',
    }),
  },
  {
    name: 'a password',
    serve: async () => ({
      auth: basicAuth({ alice: 'geheim' }),
      by: { headers: () => ({ authorization: `Basic ${btoa('alice:geheim')}` }) },
      id: 'alice',
    }),
  },
  {
    name: 'a token that the client signs',
    serve: async () => ({
      auth: sharedSecret({ secret: 'shared' }),
      by: { secret: 'shared', subject: 'alice@example.com' },
      id: 'shared#alice@example.com',
    }),
  },
  {
    name: 'a token that the client signs for its organisation',
    serve: async () => ({
      auth: sharedSecret({ orgs: () => ['old', 'new'] }),
      by: { secret: 'new', subject: 'alice', orgDomain: 'acme.example' },
      id: 'org:acme.example#alice',
    }),
  },
  {
    name: 'a token of an identity provider',
    async serve() {
      const { issuer, sign } = await startIdentityProvider();
      return { auth: oidc({ issuer, audience: 'mail' }), by: () => sign({ aud: 'mail' }), id: `${issuer}#alice` };
    },
  },
];

describe.each(PAIRS)('our client with $name', ({ serve }) => {
  test.each(['JSONRPC', 'HTTP+JSON'] as const)('is authenticated over %s', async (binding) => {
    const { by, id, ...options } = await serve();
    const server = await startServer(options);
    const agent = await connected(server.url, { auth: by, binding });

    expect((await agent.send('about')).text).toContain(`"caller":"${id}"`);
    const events = [];
    for await (const event of agent.stream('hello')) events.push(event);
    expect(events.at(-1)).toMatchObject({ state: 'completed' });
    await expect((await connected(server.url, { binding })).send('about')).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });
});
