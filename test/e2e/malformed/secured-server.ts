/** A server with every feature, every kind of authentication, and secrets that must be in no response. */
import { exportJWK, generateKeyPair } from 'jose';
import { expect } from 'vitest';
import { type AgentServer, serve } from '../../../src/node/serve.ts';
import { agent } from '../../../src/agent/agent.ts';
import { apiKeys } from '../../../src/host/auth/api-keys.ts';
import { basicAuth } from '../../../src/host/auth/basic-auth.ts';
import { bearerTokens } from '../../../src/host/auth/bearer-tokens.ts';
import { jwks } from '../../../src/host/auth/jwt/jwks.ts';
import { sharedSecret } from '../../../src/host/auth/jwt/shared-secret.ts';
import { memoryStore } from '../../../src/store/memory/store.ts';
import { type IdentityProvider, startIdentityProvider } from '../../helpers/identity-provider.ts';
import { recordingLog } from '../../helpers/recording-log.ts';
import type { Answer } from './exchange.ts';
import { assertNoInternals } from './arbitrary-requests.ts';

export const RIGHT_TOKEN = 'right-token-of-alice-0123456789';

const SECRETS = {
  shared: 'shared-secret-of-more-than-32-characters',
  apiKey: 'api-key-of-alice-0123456789',
  password: 'password-of-alice-0123456789',
  webhook: 'webhook-secret-of-more-than-32-characters',
} as const;

export interface SecuredServer {
  readonly server: AgentServer;
  readonly issuer: IdentityProvider;
  /** A task of alice. */
  readonly task: string;
  /** @throws if the response or the log has a secret or an internal error; `sent` are more secrets. */
  check(answer: Answer, ...sent: readonly string[]): void;
}

const closed = agent({
  name: 'Closed',
  description: 'Knows some.',
  skills: [
    { id: 'open', name: 'Open', description: 'For everybody' },
    { id: 'safe', name: 'Safe', description: 'hidden-skill-of-the-agent', visibility: 'hidden', scopes: ['safe'] },
  ],
  run: ({ text }) => text,
});

/** Serves until the end of the test. */
export async function openSecuredServer(): Promise<SecuredServer & AsyncDisposable> {
  const issuer = await startIdentityProvider();
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const signingKey = await exportJWK(privateKey);
  const log = recordingLog();
  const server = await serve(closed, {
    port: 0,
    store: memoryStore(),
    publicUrl: 'https://agent.example',
    log,
    auth: [
      bearerTokens({ alice: RIGHT_TOKEN }),
      sharedSecret({ secret: SECRETS.shared }),
      jwks({ issuer: issuer.issuer, jwksUrl: issuer.jwksUrl }),
      apiKeys({ query: 'key', keys: { alice: SECRETS.apiKey } }),
      basicAuth({ alice: SECRETS.password }),
    ],
    limits: { rate: false },
    pushNotifications: true,
    push: { signingSecret: SECRETS.webhook, signingKey },
    extendedCard: true,
    metrics: true,
  });
  const own = [RIGHT_TOKEN, 'hidden-skill-of-the-agent', signingKey.d ?? '', ...Object.values(SECRETS)];
  const response = await fetch(`http://127.0.0.1:${server.port}/message:send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${RIGHT_TOKEN}` },
    body: JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } }),
  });
  const { task } = (await response.json()) as { task: { id: string } };
  return {
    server,
    issuer,
    task: task.id,
    check(answer, ...sent) {
      assertNoInternals(answer);
      const lines = log.lines.splice(0);
      expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
      const told = JSON.stringify(answer);
      const logged = JSON.stringify(lines);
      for (const secret of own) expect(told + logged).not.toContain(secret);
      for (const secret of sent) expect(told + logged).not.toContain(JSON.stringify(secret).slice(1, -1));
    },
    [Symbol.asyncDispose]: () => server.close({ finishMs: 0 }),
  };
}
