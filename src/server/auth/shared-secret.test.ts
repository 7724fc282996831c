import { SignJWT } from 'jose';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { bareRequest, bearing } from '../../../test/helpers/bare-request.ts';
import type { Claims } from '../../../test/helpers/identity-provider.ts';
import { verifies } from '../../../test/helpers/verifies.ts';
import type { Caller } from '../../engine/handler.ts';
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

test('the caller is who the token is about, with what it says', async () => {
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
  ['none at all', () => [], []],
  ['no word', () => undefined, undefined],
])(verifies('H-09', 'a token can say which tenants are the caller’s: %s'), async (_, tenants, expected) => {
  const caller = await callerBy(await signed({ org_domain: 'acme.example' }), { secret: SECRET, tenants });

  expect(caller?.tenants).toEqual(expected);
});

test.each([
  ['a short secret', { secret: 'of 31 bytes, so it is too short' }, 1],
  ['one of two', { secrets: [SECRET, 'short'] }, 1],
  ['one of 32 bytes', { secret: 'of 32 bytes, so it is long enough' }, 0],
])('%s is told to the operator, and not by itself', (_, options, times) => {
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
  ['nobody has an organisation', {}, SECRET, 'shared#alice'],
  ['the shared secret speaks for an organisation', { org_domain: 'acme.example' }, SECRET, 'org:acme.example#alice'],
  ['an organisation has a secret', { org_domain: 'acme.example' }, 'acme-old', 'org:acme.example#alice'],
  ['an organisation has a newer one', { org_domain: 'ACME.example' }, 'acme-new', 'org:acme.example#alice'],
  ['another organisation', { org_domain: 'globex.example' }, 'globex', 'org:globex.example#alice'],
  ['a name that looks like another', { sub: 'org:acme.example#alice' }, SECRET, 'shared#org:acme.example#alice'],
])(verifies('H-15', '%s: an id is of one organisation only'), async (_, claims, secret, id) => {
  expect(await callerBy(await signed(claims, secret), ORGS)).toMatchObject({ id });
});

test.each<[string, Claims, string?, SharedSecretOptions?]>([
  ['expired', { exp: SECONDS - 31 }],
  ['without an end', { exp: undefined }],
  ['not valid yet', { nbf: SECONDS + 31 }],
  ['about nobody', { sub: undefined }],
  ['about an empty name', { sub: '' }],
  ['about a name that is no text', { sub: 7 }],
  ['about a name with NUL', { sub: 'a\0' }],
  ['about a name without end', { sub: 'a'.repeat(256) }],
  ['for another agent', { aud: 'https://other.example' }],
  ['for an agent whose name begins alike', { aud: 'https://agent.example.evil.example' }],
  ['for another, though for nobody else', { aud: [] }],
  ['signed by another secret', {}, 'another'],
  ['of an unknown organisation', { org_domain: 'evil.example' }, 'another', ORGS],
  ['of an organisation, by the secret of another', { org_domain: 'acme.example' }, 'globex', ORGS],
  ['of an organisation, but without its name', {}, 'globex', ORGS],
  ['of something that is no domain', { org_domain: 'acme.example#x' }, SECRET, ORGS],
  ['of a domain that is no text', { org_domain: 7 }, SECRET, ORGS],
  ['without the audience that is asked for', {}, SECRET, { secret: SECRET, audience: 'mail' }],
  [
    'for us by address, where another word is asked for',
    { aud: HERE.publicUrl },
    SECRET,
    { secret: SECRET, audience: 'm' },
  ],
  ['revoked', { jti: 'bad' }, SECRET, { secret: SECRET, isRevoked: ({ jti }) => jti === 'bad' }],
])(verifies('H-05', 'a token %s is refused'), async (_, claims, secret, options) => {
  await expect(callerBy(await signed(claims, secret), options)).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
    details: { error: 'invalid_token' },
  });
});

test.each([
  ['https://agent.example/mail', 'its address'],
  ['https://agent.example/mail/', 'its address with a slash'],
  ['https://agent.example', 'its origin'],
])('a token for %s is for us: %s', async (aud) => {
  expect(await callerBy(await signed({ aud }))).toMatchObject({ id: 'shared#alice' });
  expect(await callerBy(await signed({ aud: ['https://other.example', aud] }))).toMatchObject({ id: 'shared#alice' });
});

test('on this machine all of its names are ours, with the same port', async () => {
  const here = { publicUrl: 'http://127.0.0.1:4100' };

  expect(await callerBy(await signed({ aud: 'http://localhost:4100' }), undefined, here)).toBeDefined();
  await expect(callerBy(await signed({ aud: 'http://localhost:4101' }), undefined, here)).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
  });
});

test('who does not know his own address takes no token that is for somebody', async () => {
  const nowhere = { publicUrl: undefined };

  await expect(callerBy(await signed({ aud: 'http://forged.example' }), undefined, nowhere)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  expect(await callerBy(await signed({}), undefined, nowhere)).toBeDefined();
  expect(await callerBy(await signed({ aud: 'mail' }), { secret: SECRET, audience: 'mail' }, nowhere)).toBeDefined();
});

test.each([
  ['HS512', async () => signed({}, SECRET, 'HS512')],
  ['none', async () => `${btoa('{"alg":"none"}').replaceAll('=', '')}.${btoa('{"sub":"a","exp":9e9}')}.AA`],
  ['what is no JSON', async () => 'abc.abc.abc'],
  ['one part', async () => 'opaque'],
  ['any bytes', async () => '\u00ff.\u0000.\u00fe'],
  ['a very long one', async () => `a.${'a'.repeat(20_000)}.a`],
])('%s is refused', async (_, token) => {
  await expect(callerBy(await token())).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});

test('a token is verified once a minute, and never after its end', async () => {
  let now = NOW;
  let looks = 0;
  const auth = sharedSecret({ secret: SECRET, isRevoked: () => ((looks += 1), false) }, () => now);
  const token = await signed({ exp: SECONDS + 80 });
  const known = await auth.authenticate(bearing(token), HERE);

  // At once, and not by a promise.
  expect(auth.authenticate(bearing(token), HERE)).toBe(known);
  await auth.authenticate(bearing(token), { publicUrl: 'https://second.example' });
  expect(looks).toBe(2);
  now += 60_000;
  await auth.authenticate(bearing(token), HERE);
  expect(looks).toBe(3);
  now += 50_000;
  await expect(auth.authenticate(bearing(token), HERE)).rejects.toMatchObject({ message: 'The token has expired' });
});

test('secrets of organisations that cannot be had are no fault of the caller', async () => {
  const orgs = (): never => {
    throw new Error('The database is away');
  };

  await expect(callerBy(await signed({ org_domain: 'acme.example' }, 'acme'), { orgs })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    retryAfterMs: 5000,
  });
});

test('an organisation with an empty secret has none', async () => {
  vi.stubEnv('A2A_SECRET', '');
  const orgs = (): string[] => ['', 'acme'];

  expect(await callerBy(await signed({ org_domain: 'a.example' }, 'acme'), { orgs })).toBeDefined();
  await expect(callerBy(await signed({ org_domain: 'a.example' }, 'x'), { orgs })).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
  });
});

describe('without a secret', () => {
  test('there is that of the environment', async () => {
    vi.stubEnv('A2A_SECRET', SECRET);

    expect(await callerBy(await signed({}), {})).toMatchObject({ id: 'shared#alice' });
  });

  test.each(['', ' '])('%j in the environment is none', (value) => {
    vi.stubEnv('A2A_SECRET', value);

    expect(() => sharedSecret()).toThrow(
      new TypeError('sharedSecret() has no secret: set A2A_SECRET in the environment, or give secret, secrets or orgs'),
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
  ])('where %s is %s, nobody comes in and everybody is told why', (name, value) => {
    vi.stubEnv('A2A_SECRET', '');
    vi.stubEnv(name, value);
    const auth = sharedSecret();

    for (const request of [bareRequest(), bearing('a.b.c')]) {
      expect(() => auth.authenticate(request, HERE)).toThrow(
        expect.objectContaining({
          code: 'UNAVAILABLE',
          message: 'This agent cannot check tokens: its operator has to set A2A_SECRET',
        }),
      );
    }
  });
});

test.each<[unknown, string]>([
  [{ secret: '' }, 'secret: must be a text, not an empty text'],
  [{ secrets: [] }, 'secrets: must name one at least'],
  [{ secrets: ['a', ''] }, 'secrets[1]: must be a text'],
  [{ secret: 'a', orgs: 'b' }, 'orgs: must be an object of secrets by domain, or a function, not a text'],
  [{ secret: 'a', audience: 7 }, 'audience: must be a text, not 7'],
  [{ secret: 'a', clockToleranceSeconds: -1 }, 'clockToleranceSeconds: must be a whole number, 0 or more, not -1'],
  [{ secret: 'a', isRevoked: true }, 'isRevoked: must be a function, not true'],
  [{ secret: 'a', tenants: ['acme'] }, 'tenants: must be a function, not a list'],
  [{ secre: 'a' }, 'secre: is not an option; did you mean secret?'],
  [null, 'options: must be an object, not null'],
])('%j is refused', (options, fault) => {
  expect(() => sharedSecret(options as never)).toThrow(fault);
});
