/** Our client and our server, with what each kind of credentials is for both. */
import { describe, expect, test } from 'vitest';

import type { Auth } from '../../src/client/auth.ts';
import { apiKeys } from '../../src/server/auth/api-keys.ts';
import { basicAuth } from '../../src/server/auth/basic-auth.ts';
import { bearerTokens } from '../../src/server/auth/bearer-tokens.ts';
import { oidc } from '../../src/server/auth/oidc.ts';
import { sharedSecret } from '../../src/server/auth/shared-secret.ts';
import { startIdentityProvider } from '../helpers/identity-provider.ts';
import { connected } from './client/kit.ts';
import { startServer, type TestServerOptions } from './kit/server.ts';

const TOKENS = bearerTokens({ alice: 'alice-token' });

/** Who calls, and how the agent knows him: the client's side and the server's. */
const PAIRS: readonly {
  readonly name: string;
  serve(): Promise<TestServerOptions & { readonly by: Auth; readonly id: string }>;
}[] = [
  { name: 'a bearer token', serve: async () => ({ auth: TOKENS, by: 'alice-token', id: 'alice' }) },
  {
    name: 'a key whose header the card names',
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
    name: 'a token of a provider',
    async serve() {
      const { issuer, sign } = await startIdentityProvider();
      return { auth: oidc({ issuer, audience: 'mail' }), by: () => sign({ aud: 'mail' }), id: `${issuer}#alice` };
    },
  },
];

describe.each(PAIRS)('our client with $name', ({ serve }) => {
  test.each(['JSONRPC', 'HTTP+JSON'] as const)('is known over %s', async (binding) => {
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
