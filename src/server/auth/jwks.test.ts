/** Tokens of an issuer, by his keys or by his discovery document: one list of behaviours for both. */
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { bearing } from '../../../test/helpers/bare-request.ts';
import { type Claims, type IdentityProvider, startIdentityProvider } from '../../../test/helpers/identity-provider.ts';
import { verifies } from '../../../test/helpers/verifies.ts';
import type { Caller } from '../../engine/handler.ts';
import type { A2AError } from '../../errors.ts';
import type { Authenticator } from './authenticator.ts';
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
  /** How often its keys were asked for. */
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
  test('the caller is who the token is about, of this issuer', async () => {
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

  test('it can say which tenants are his', async () => {
    const tenants = ({ groups }: Claims): readonly string[] => groups as readonly string[];
    const world = await startWorld(make, { tenants });

    expect(await world.by(await world.provider.sign({ ...FOR_US, groups: ['acme'] }))).toMatchObject({
      tenants: ['acme'],
    });
  });

  test.each<[string, Claims]>([
    ['expired', { ...FOR_US, exp: 1_000_000_000 }],
    ['without an end', { ...FOR_US, exp: undefined }],
    ['about nobody', { ...FOR_US, sub: undefined }],
    ['for nobody', {}],
    ['for another', { aud: 'https://other.example' }],
    ['for whom the request names', { aud: 'http://forged.example' }],
    ['of another issuer', { ...FOR_US, iss: 'https://other.example' }],
    ['of no issuer', { ...FOR_US, iss: undefined }],
  ])(verifies('H-05', 'a token %s is refused'), async (_, claims) => {
    const world = await startWorld(make);

    await expect(world.by(await world.provider.sign(claims))).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      details: { error: 'invalid_token' },
    });
  });

  test('a secret is no public key, and the public key no secret', async () => {
    const world = await startWorld(make);
    const claims = { ...FOR_US, iss: world.provider.issuer, sub: 'alice', exp: 9_999_999_999 };
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32));

    await expect(world.by(token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(world.fetches()).toBe(0);
  });

  test('only the algorithms that are asked for count', async () => {
    const world = await startWorld(make, { algorithms: ['RS256'] });

    await expect(world.by(await world.provider.sign(FOR_US))).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('an audience of one’s own counts instead of the address', async () => {
    const world = await startWorld(make, { audience: ['mail', 'post'] });

    expect(await world.by(await world.provider.sign({ aud: 'post' }))).toBeDefined();
    await expect(world.by(await world.provider.sign(FOR_US))).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('without an address of its own nobody can say whom a token is for', async () => {
    const world = await startWorld(make);
    const token = await world.provider.sign({ aud: 'http://forged.example' });

    await expect(world.auth.authenticate(bearing(token), { publicUrl: undefined })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });

  test(verifies('H-15', 'a new key is looked for, but not as often as somebody asks'), async () => {
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

  test('many first tokens at once ask the issuer once', async () => {
    const world = await startWorld(make);
    const tokens = await Promise.all(Array.from({ length: 10 }, (_, i) => world.provider.sign({ ...FOR_US, n: i })));

    await Promise.all(tokens.map((token) => world.by(token)));

    expect(world.fetches()).toBe(1);
  });

  test('an issuer that is away is nobody’s fault, and nobody waits for him twice', async () => {
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

  test('old keys serve on for a day while the issuer is away', async () => {
    const world = await startWorld(make);
    await world.by(await world.provider.sign(FOR_US));
    world.provider.status = 500;

    world.now += 60 * MINUTE;
    expect(await world.by(await world.provider.sign(FOR_US))).toBeDefined();
    world.now += 24 * 60 * MINUTE;
    await expect(world.by(await world.provider.sign(FOR_US))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('keys are asked for again, and those that are gone count no more', async () => {
    const world = await startWorld(make);
    const old = await world.provider.sign({ ...FOR_US, exp: 9_999_999_999 });
    await world.by(old);
    await world.provider.rotate({ alone: true });

    world.now += 11 * MINUTE;
    // The old keys are still there for this one, and it sends for the new ones.
    expect(await world.by(old)).toBeDefined();
    await expect.poll(() => world.fetches()).toBe(2);
    // They may still be on their way, and then the token is believed for another minute.
    const oneMinuteLater = () => {
      world.now += MINUTE;
      return world.by(old).catch((error: A2AError) => error.code);
    };
    await expect.poll(oneMinuteLater).toBe('UNAUTHENTICATED');
  });

  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['algorithms', { algorithms: ['HS256'] }, 'algorithms[0]: must be one of RS256'],
    ['algorithms', { algorithms: [] }, 'algorithms: must name one at least'],
    ['timeoutMs', { timeoutMs: 0 }, 'timeoutMs: must be a number of milliseconds, 1 or more, not 0'],
    ['fetch', { fetch: 'curl' }, 'fetch: must be a function, not a text'],
    ['audience', { audience: '' }, 'audience: must be a text, not an empty text'],
    ['issuer', { issuer: 'https://a.example/#b' }, 'issuer: must have no #'],
    ['issuer', { issuer: undefined }, 'issuer: is missing'],
    ['what is no option', { jwksUri: 'https://a.example' }, 'jwksUri: is not an option'],
  ])('a wrong %s is refused', async (_, options, fault) => {
    const provider = await startIdentityProvider();

    expect(() => make(provider, options as IssuerOptions, Date.now)).toThrow(fault);
  });
});

test('jwks may take the tokens of several issuers, each with callers of his own', async () => {
  const provider = await startIdentityProvider();
  const issuer = [provider.issuer, 'https://b.example'];
  const auth = jwks({ issuer, jwksUrl: provider.jwksUrl });
  const token = await provider.sign({ ...FOR_US, iss: 'https://b.example' });

  expect(await auth.authenticate(bearing(token), HERE)).toMatchObject({ id: 'https://b.example#alice' });
});

test.each(['shared', 'org:acme.example', 'Org:acme.example'])(
  'jwks takes no issuer called %s: his callers would be those of a shared secret',
  (issuer) => {
    const make = (): unknown => jwks({ issuer: ['https://a.example', issuer], jwksUrl: 'https://a.example/keys' });

    expect(make).toThrow('issuer: must not be "shared", nor begin with "org:"');
  },
);

test.each([
  ['http://keys.example', 'jwksUrl: must start with https://, unless it is of this machine'],
  ['ftp://keys.example', 'jwksUrl: must be a whole address that starts with https:// or http://'],
])('keys of %s are refused', (jwksUrl, fault) => {
  expect(() => jwks({ issuer: 'https://a.example', jwksUrl })).toThrow(fault);
});

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['another issuer', { issuer: 'https://other.example' }],
  ['keys in the open', { jwks_uri: 'http://keys.example' }],
  ['no keys', { jwks_uri: undefined }],
])('a discovery document with %s is no use', async (_, document) => {
  const provider = await startIdentityProvider();
  provider.document = document;
  const auth = oidc({ issuer: provider.issuer });

  await expect(auth.authenticate(bearing(await provider.sign(FOR_US)), HERE)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
});
