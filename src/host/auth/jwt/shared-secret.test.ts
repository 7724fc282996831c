import { SignJWT } from 'jose';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { bareRequest, bearing } from '../../../../test/helpers/bare-request.ts';
import type { Claims } from '../../../../test/helpers/identity-provider.ts';
import { verifies } from '../../../../test/helpers/verifies.ts';
import type { Caller } from '../../../engine/handler.ts';
import { sharedSecret, type SharedSecretOptions } from './shared-secret.ts';

const SECRET = 'a-secret-of-more-than-32-characters';
const HERE = { publicUrl: 'https://agent.example/mail' };
const NOW = Date.parse('2030-01-01T00:00:00Z');
const SECONDS = NOW / 1000;

afterEach(() => vi.unstubAllEnvs());

async function signed(claims: Claims, secret = SECRET, alg = 'HS256'): Promise<string> {
  const all = { sub: 'alice', exp: SECONDS + 60, ...claims };
  return new SignJWT(all).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));
}

async function callerBy(
  token: string,
  options: SharedSecretOptions = { secret: SECRET },
  servedAt: { readonly publicUrl: string | undefined } = HERE,
): Promise<Caller | undefined> {
  return sharedSecret(options, () => NOW).authenticate(bearing(token), servedAt);
}

test('the caller has the id, scopes and claims of the token', async () => {
  const token = await signed({ scope: 'read write', scp: ['extra'], team: 'red' });

  expect(await callerBy(token)).toEqual({
    id: 'shared#alice',
    isVerified: true,
    scopes: ['read', 'write', 'extra'],
    expiresAt: NOW + 90_000,
    claims: { sub: 'alice', exp: SECONDS + 60, scope: 'read write', scp: ['extra'], team: 'red' },
  });
});

test.each<[string, NonNullable<SharedSecretOptions['tenants']>, readonly string[] | undefined]>([
  ['a list', ({ org_domain: domain }) => [domain as string], ['acme.example']],
  ['an empty list', () => [], []],
  ['undefined', () => undefined, undefined],
])(
  verifies('H-09', 'the option tenants derives the tenants of the caller from the token: %s'),
  async (_, tenants, expected) => {
    const caller = await callerBy(await signed({ org_domain: 'acme.example' }), { secret: SECRET, tenants });

    expect(caller?.tenants).toEqual(expected);
  },
);

test.each([
  ['warns about a short secret', { secret: 'of 31 bytes, so it is too short' }, 1],
  ['warns about one short secret of two', { secrets: [SECRET, 'short'] }, 1],
  ['does not warn about a secret of 32 bytes', { secret: 'of 32 bytes, so it is long enough' }, 0],
])('sharedSecret() %s, and logs no secret', (_, options, times) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());

  sharedSecret(options);

  expect(warn).toHaveBeenCalledTimes(times);
  expect(JSON.stringify(warn.mock.calls)).not.toContain('short"');
});

const ORGS: SharedSecretOptions = {
  secret: SECRET,
  orgs: (domain) => ({ 'acme.example': ['acme-old', 'acme-new'], 'globex.example': 'globex' })[domain],
};

test.each<[string, Claims, string, string]>([
  ['a token without an organisation', {}, SECRET, 'shared#alice'],
  ['the shared secret for an organisation', { org_domain: 'acme.example' }, SECRET, 'org:acme.example#alice'],
  ['the first secret of an organisation', { org_domain: 'acme.example' }, 'acme-old', 'org:acme.example#alice'],
  ['the second secret of an organisation', { org_domain: 'ACME.example' }, 'acme-new', 'org:acme.example#alice'],
  ['the secret of another organisation', { org_domain: 'globex.example' }, 'globex', 'org:globex.example#alice'],
  [
    'a subject that looks like an organisation',
    { sub: 'org:acme.example#alice' },
    SECRET,
    'shared#org:acme.example#alice',
  ],
])(verifies('H-15', 'the id of a caller belongs to one organisation only: %s'), async (_, claims, secret, id) => {
  expect(await callerBy(await signed(claims, secret), ORGS)).toMatchObject({ id });
});

test.each<[string, Claims, string?, SharedSecretOptions?]>([
  ['expired', { exp: SECONDS - 31 }],
  ['without an expiry time', { exp: undefined }],
  ['not valid yet', { nbf: SECONDS + 31 }],
  ['without a subject', { sub: undefined }],
  ['with an empty subject', { sub: '' }],
  ['with a number as subject', { sub: 7 }],
  ['with NUL in the subject', { sub: 'a\0' }],
  ['with a subject of 256 characters', { sub: 'a'.repeat(256) }],
  ['for another agent', { aud: 'https://other.example' }],
  ['for an agent whose host has the same prefix', { aud: 'https://agent.example.evil.example' }],
  ['with an empty list of audiences', { aud: [] }],
  ['signed with another secret', {}, 'another'],
  ['of an unknown organisation', { org_domain: 'evil.example' }, 'another', ORGS],
  ['of an organisation, signed with the secret of another', { org_domain: 'acme.example' }, 'globex', ORGS],
  ['signed with the secret of an organisation, but without org_domain', {}, 'globex', ORGS],
  ['with an org_domain that is not a domain', { org_domain: 'acme.example#x' }, SECRET, ORGS],
  ['with a number as org_domain', { org_domain: 7 }, SECRET, ORGS],
  ['without the required audience', {}, SECRET, { secret: SECRET, audience: 'mail' }],
  [
    'for the public URL if another audience is required',
    { aud: HERE.publicUrl },
    SECRET,
    { secret: SECRET, audience: 'm' },
  ],
  ['revoked', { jti: 'bad' }, SECRET, { secret: SECRET, isRevoked: ({ jti }) => jti === 'bad' }],
])(verifies('H-05', 'a token %s is rejected'), async (_, claims, secret, options) => {
  await expect(callerBy(await signed(claims, secret), options)).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
    details: { error: 'invalid_token' },
  });
});

test.each([
  ['https://agent.example/mail', 'the public URL'],
  ['https://agent.example/mail/', 'the public URL with a slash'],
  ['https://agent.example', 'the origin'],
])('a token for the audience %s is accepted: %s', async (aud) => {
  expect(await callerBy(await signed({ aud }))).toMatchObject({ id: 'shared#alice' });
  expect(await callerBy(await signed({ aud: ['https://other.example', aud] }))).toMatchObject({ id: 'shared#alice' });
});

test('all loopback names with the same port are accepted as audience of a local agent', async () => {
  const here = { publicUrl: 'http://127.0.0.1:4100' };

  expect(await callerBy(await signed({ aud: 'http://localhost:4100' }), undefined, here)).toBeDefined();
  await expect(callerBy(await signed({ aud: 'http://localhost:4101' }), undefined, here)).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
  });
});

test('a token with an audience is rejected if the agent has no public URL', async () => {
  const nowhere = { publicUrl: undefined };

  await expect(callerBy(await signed({ aud: 'http://forged.example' }), undefined, nowhere)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  expect(await callerBy(await signed({}), undefined, nowhere)).toBeDefined();
  expect(await callerBy(await signed({ aud: 'mail' }), { secret: SECRET, audience: 'mail' }, nowhere)).toBeDefined();
});

test.each([
  ['a token signed with HS512', async () => signed({}, SECRET, 'HS512')],
  [
    'an unsigned token',
    async () => `${btoa('{"alg":"none"}').replaceAll('=', '')}.${btoa('{"sub":"a","exp":9e9}')}.AA`,
  ],
  ['a token that is not JSON', async () => 'abc.abc.abc'],
  ['an opaque token', async () => 'opaque'],
  ['a token of arbitrary bytes', async () => '\u00ff.\u0000.\u00fe'],
  ['a token of 20,000 characters', async () => `a.${'a'.repeat(20_000)}.a`],
])('%s is rejected', async (_, token) => {
  await expect(callerBy(await token())).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});

test('a token is verified once a minute, and rejected after it expires', async () => {
  let now = NOW;
  let looks = 0;
  const auth = sharedSecret({ secret: SECRET, isRevoked: () => ((looks += 1), false) }, () => now);
  const token = await signed({ exp: SECONDS + 80 });
  const known = await auth.authenticate(bearing(token), HERE);

  // Synchronously, without a promise.
  expect(auth.authenticate(bearing(token), HERE)).toBe(known);
  await auth.authenticate(bearing(token), { publicUrl: 'https://second.example' });
  expect(looks).toBe(2);
  now += 60_000;
  await auth.authenticate(bearing(token), HERE);
  expect(looks).toBe(3);
  now += 50_000;
  await expect(auth.authenticate(bearing(token), HERE)).rejects.toMatchObject({ message: 'The token has expired' });
});

test('a failed lookup of organisation secrets is UNAVAILABLE', async () => {
  const orgs = (): never => {
    throw new Error('The database is away');
  };

  await expect(callerBy(await signed({ org_domain: 'acme.example' }, 'acme'), { orgs })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    retryAfterMs: 5000,
  });
});

test('an empty secret of an organisation is ignored', async () => {
  vi.stubEnv('A2A_SECRET', '');
  const orgs = (): string[] => ['', 'acme'];

  expect(await callerBy(await signed({ org_domain: 'a.example' }, 'acme'), { orgs })).toBeDefined();
  await expect(callerBy(await signed({ org_domain: 'a.example' }, 'x'), { orgs })).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
  });
});

describe('sharedSecret() without a secret', () => {
  test('uses A2A_SECRET of the environment', async () => {
    vi.stubEnv('A2A_SECRET', SECRET);

    expect(await callerBy(await signed({}), {})).toMatchObject({ id: 'shared#alice' });
  });

  test.each(['', ' '])('throws if A2A_SECRET is %j', (value) => {
    vi.stubEnv('A2A_SECRET', value);

    expect(() => sharedSecret()).toThrow(
      new TypeError(
        'sharedSecret() needs a secret: set A2A_SECRET in the environment, or pass secret, secrets or orgs',
      ),
    );
  });

  test.each([
    ['NODE_ENV', 'production'],
    ['NETLIFY', 'true'],
    ['AWS_LAMBDA_FUNCTION_NAME', 'agent'],
    ['CF_PAGES', '1'],
    ['VERCEL', '1'],
    ['RENDER', 'true'],
    ['FLY_APP_NAME', 'agent'],
    ['K_SERVICE', 'agent'],
  ])('rejects every request as UNAVAILABLE if %s is %s', (name, value) => {
    vi.stubEnv('A2A_SECRET', '');
    vi.stubEnv(name, value);
    const auth = sharedSecret();

    for (const request of [bareRequest(), bearing('a.b.c')]) {
      expect(() => auth.authenticate(request, HERE)).toThrow(
        expect.objectContaining({
          code: 'UNAVAILABLE',
          message: 'This agent cannot verify tokens yet: its operator must set A2A_SECRET',
        }),
      );
    }
  });
});

test.each<[unknown, string]>([
  [{ secret: '' }, 'secret: expected a string, got an empty string'],
  [{ secrets: [] }, 'secrets: must not be empty'],
  [{ secrets: ['a', ''] }, 'secrets[1]: expected a string'],
  [{ secret: 'a', orgs: 'b' }, 'orgs: expected an object of secrets by domain, or a function, got a string'],
  [{ secret: 'a', audience: 7 }, 'audience: expected a string, got 7'],
  [{ secret: 'a', clockToleranceSeconds: -1 }, 'clockToleranceSeconds: expected a whole number >= 0, got -1'],
  [{ secret: 'a', isRevoked: true }, 'isRevoked: expected a function, got true'],
  [{ secret: 'a', tenants: ['acme'] }, 'tenants: expected a function, got an array'],
  [{ secre: 'a' }, 'secre: is not an option; did you mean secret?'],
  [null, 'options: expected an object, got null'],
])('sharedSecret() rejects the options %j', (options, fault) => {
  expect(() => sharedSecret(options as never)).toThrow(fault);
});
