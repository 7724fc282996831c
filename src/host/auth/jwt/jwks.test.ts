/** Tokens of an issuer, with its key set or its discovery document: one list of behaviours for both. */
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { bearing } from '../../../../test/helpers/bare-request.ts';
import {
  type Claims,
  type IdentityProvider,
  startIdentityProvider,
} from '../../../../test/helpers/identity-provider.ts';
import { verifies } from '../../../../test/helpers/verifies.ts';
import type { Caller } from '../../../engine/handler.ts';
import type { A2AError } from '../../../errors.ts';
import type { Authenticator } from '../authenticator.ts';
import type { IssuerOptions } from './issuer.ts';
import { jwks } from './jwks.ts';
import { oidc } from './oidc.ts';

const HERE = { publicUrl: 'https://agent.example' };
const FOR_US = { aud: 'https://agent.example' };
const MINUTE = 60_000;

interface World {
  readonly provider: IdentityProvider;
  readonly auth: Authenticator;
  now: number;
  by(token: string): Promise<Caller | undefined>;
  /** How often the keys were fetched. */
  fetches(): number;
}

type Make = (provider: IdentityProvider, options: IssuerOptions, now: () => number) => Authenticator;

const KINDS: readonly { readonly name: string; readonly make: Make }[] = [
  { name: 'jwks', make: ({ issuer, jwksUrl }, options, now) => jwks({ issuer, jwksUrl, ...options }, now) },
  { name: 'oidc', make: ({ issuer }, options, now) => oidc({ issuer, ...options }, now) },
];

async function startWorld(make: Make, options: IssuerOptions = {}): Promise<World> {
  const now = (): number => world.now;
  const provider = await startIdentityProvider(now);
  const world: World = {
    provider,
    auth: make(provider, options, now),
    now: Date.parse('2030-01-01T00:00:00Z'),
    by: async (token) => world.auth.authenticate(bearing(token), HERE),
    fetches: () => provider.asked.filter((path) => path === '/keys').length,
  };
  return world;
}

describe.each(KINDS)('$name', ({ make }) => {
  test('the caller id consists of the issuer and the subject of the token', async () => {
    const world = await startWorld(make);
    const token = await world.provider.sign({ ...FOR_US, scope: 'read' });

    expect(await world.by(token)).toMatchObject({
      id: `${world.provider.issuer}#alice`,
      isVerified: true,
      scopes: ['read'],
      expiresAt: world.now + 330_000,
    });
    expect(world.fetches()).toBe(1);
  });

  test('the option tenants returns the tenants of the caller', async () => {
    const tenants = ({ groups }: Claims): readonly string[] => groups as readonly string[];
    const world = await startWorld(make, { tenants });

    expect(await world.by(await world.provider.sign({ ...FOR_US, groups: ['acme'] }))).toMatchObject({
      tenants: ['acme'],
    });
  });

  test.each<[string, Claims]>([
    ['expired', { ...FOR_US, exp: 1_000_000_000 }],
    ['without an expiry time', { ...FOR_US, exp: undefined }],
    ['without a subject', { ...FOR_US, sub: undefined }],
    ['without an audience', {}],
    ['for another audience', { aud: 'https://other.example' }],
    ['for the host that the request names', { aud: 'http://forged.example' }],
    ['of another issuer', { ...FOR_US, iss: 'https://other.example' }],
    ['without an issuer', { ...FOR_US, iss: undefined }],
  ])(verifies('H-05', 'a token %s is rejected'), async (_, claims) => {
    const world = await startWorld(make);

    await expect(world.by(await world.provider.sign(claims))).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      details: { error: 'invalid_token' },
    });
  });

  test('a token signed with HS256 is rejected without fetching keys', async () => {
    const world = await startWorld(make);
    const claims = { ...FOR_US, iss: world.provider.issuer, sub: 'alice', exp: 9_999_999_999 };
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32));

    await expect(world.by(token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(world.fetches()).toBe(0);
  });

  test('a token signed with an algorithm that is not configured is rejected', async () => {
    const world = await startWorld(make, { algorithms: ['RS256'] });

    await expect(world.by(await world.provider.sign(FOR_US))).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('a configured audience replaces the public URL', async () => {
    const world = await startWorld(make, { audience: ['mail', 'post'] });

    expect(await world.by(await world.provider.sign({ aud: 'post' }))).toBeDefined();
    await expect(world.by(await world.provider.sign(FOR_US))).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('tokens are rejected as unavailable without a public URL and an audience', async () => {
    const world = await startWorld(make);
    const token = await world.provider.sign({ aud: 'http://forged.example' });

    await expect(world.auth.authenticate(bearing(token), { publicUrl: undefined })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });

  test(verifies('H-15', 'a new key is fetched, but not for every token with an unknown key'), async () => {
    const world = await startWorld(make);
    const old = await world.provider.sign(FOR_US);
    await world.by(old);
    await world.provider.rotate();
    const fresh = await world.provider.sign(FOR_US);

    await expect(world.by(fresh)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(world.fetches()).toBe(1);
    world.now += MINUTE;
    expect(await world.by(fresh)).toBeDefined();
    expect(world.fetches()).toBe(2);
    for (let i = 0; i < 5; i++) {
      const forged = await world.provider.sign(FOR_US, { kid: `forged-${i}` });
      await expect(world.by(forged)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    }
    expect(world.fetches()).toBe(2);
    expect(await world.by(old)).toBeDefined();
  });

  test('concurrent first tokens fetch the keys once', async () => {
    const world = await startWorld(make);
    const tokens = await Promise.all(Array.from({ length: 10 }, (_, i) => world.provider.sign({ ...FOR_US, n: i })));

    await Promise.all(tokens.map((token) => world.by(token)));

    expect(world.fetches()).toBe(1);
  });

  test('an unreachable issuer is UNAVAILABLE, and later requests fail without waiting for it', async () => {
    const world = await startWorld(make);
    world.provider.status = 500;
    const token = await world.provider.sign(FOR_US);
    const refused = { code: 'UNAVAILABLE', retryAfterMs: 5000 };

    await expect(world.by(token)).rejects.toMatchObject(refused);
    await expect(world.by(token)).rejects.toMatchObject(refused);
    expect(world.provider.asked).toHaveLength(1);
    world.provider.status = undefined;
    world.now += 6000;
    expect(await world.by(token)).toBeDefined();
  });

  test('old keys stay valid for a day while the issuer is unreachable', async () => {
    const world = await startWorld(make);
    await world.by(await world.provider.sign(FOR_US));
    world.provider.status = 500;

    world.now += 60 * MINUTE;
    expect(await world.by(await world.provider.sign(FOR_US))).toBeDefined();
    world.now += 24 * 60 * MINUTE;
    await expect(world.by(await world.provider.sign(FOR_US))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('keys are refreshed, and tokens of removed keys are rejected', async () => {
    const world = await startWorld(make);
    const old = await world.provider.sign({ ...FOR_US, exp: 9_999_999_999 });
    await world.by(old);
    await world.provider.rotate({ alone: true });

    world.now += 11 * MINUTE;
    // The old keys verify this token, which starts a refresh in the background.
    expect(await world.by(old)).toBeDefined();
    await expect.poll(() => world.fetches()).toBe(2);
    // Until the refresh is complete, the token is cached for another minute.
    const oneMinuteLater = () => {
      world.now += MINUTE;
      return world.by(old).catch((error: A2AError) => error.code);
    };
    await expect.poll(oneMinuteLater).toBe('UNAUTHENTICATED');
  });

  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['algorithms', { algorithms: ['HS256'] }, 'algorithms[0]: expected one of RS256'],
    ['algorithms', { algorithms: [] }, 'algorithms: must not be empty'],
    ['timeoutMs', { timeoutMs: 0 }, 'timeoutMs: expected a number of milliseconds >= 1, got 0'],
    ['fetch', { fetch: 'curl' }, 'fetch: expected a function, got a string'],
    ['audience', { audience: '' }, 'audience: expected a string, got an empty string'],
    ['issuer', { issuer: 'https://a.example/#b' }, 'issuer: must not contain #'],
    ['issuer', { issuer: undefined }, 'issuer: is required'],
    ['unknown option', { jwksUri: 'https://a.example' }, 'jwksUri: is not an option'],
  ])('an invalid value is rejected: %s', async (_, options, fault) => {
    const provider = await startIdentityProvider();

    expect(() => make(provider, options as IssuerOptions, Date.now)).toThrow(fault);
  });
});

test('jwks accepts tokens of several issuers, each with its own callers', async () => {
  const provider = await startIdentityProvider();
  const issuer = [provider.issuer, 'https://b.example'];
  const auth = jwks({ issuer, jwksUrl: provider.jwksUrl });
  const token = await provider.sign({ ...FOR_US, iss: 'https://b.example' });

  expect(await auth.authenticate(bearing(token), HERE)).toMatchObject({ id: 'https://b.example#alice' });
});

test.each(['shared', 'org:acme.example', 'Org:acme.example'])(
  'jwks rejects the issuer %s, whose callers would have the ids of shared secrets',
  (issuer) => {
    const make = (): unknown => jwks({ issuer: ['https://a.example', issuer], jwksUrl: 'https://a.example/keys' });

    expect(make).toThrow('issuer: must not be "shared" or start with "org:"');
  },
);

test.each([
  ['http://keys.example', 'jwksUrl: must start with https:// unless it is a loopback address'],
  ['ftp://keys.example', 'jwksUrl: expected an absolute URL that starts with https:// or http://'],
])('jwks rejects the key URL %s', (jwksUrl, fault) => {
  expect(() => jwks({ issuer: 'https://a.example', jwksUrl })).toThrow(fault);
});

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['another issuer', { issuer: 'https://other.example' }],
  ['a key URL without TLS', { jwks_uri: 'http://keys.example' }],
  ['no key URL', { jwks_uri: undefined }],
])('a discovery document with %s makes tokens UNAVAILABLE', async (_, document) => {
  const provider = await startIdentityProvider();
  provider.document = document;
  const auth = oidc({ issuer: provider.issuer });

  await expect(auth.authenticate(bearing(await provider.sign(FOR_US)), HERE)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
});
