import { expect, onTestFinished, test, vi } from 'vitest';
import { bearing } from '../../../test/helpers/bare-request.ts';

test('jose is not loaded before the first token that needs it', async () => {
  let loads = 0;
  vi.resetModules();
  vi.doMock('jose', async (original) => {
    loads += 1;
    return original();
  });
  onTestFinished(() => vi.doUnmock('jose'));
  const { bearerTokens } = await import('./bearer-tokens.ts');
  const { jwks } = await import('./jwt/jwks.ts');
  const { oidc } = await import('./jwt/oidc.ts');
  const { sharedSecret } = await import('./jwt/shared-secret.ts');
  const here = { publicUrl: 'https://agent.example' };
  const issuer = 'https://login.example';

  const secret = sharedSecret({ secret: 'secret' });
  jwks({ issuer, jwksUrl: `${issuer}/keys` });
  oidc({ issuer });
  expect(bearerTokens({ alice: 'token' }).authenticate(bearing('token'), here)).toMatchObject({ id: 'alice' });
  expect(() => secret.authenticate(bearing('opaque'), here)).toThrow('The bearer token is not a JWT');
  expect(loads).toBe(0);

  await expect(secret.authenticate(bearing('a.b.c'), here)).rejects.toThrow('The bearer token is not a valid JWT');
  expect(loads).toBe(1);
});
