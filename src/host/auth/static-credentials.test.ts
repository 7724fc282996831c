/** Fixed tokens, keys and passwords: one list of behaviours for the three. */
import { describe, expect, test } from 'vitest';
import { bareRequest, basic, bearing } from '../../../test/helpers/bare-request.ts';
import { verifies } from '../../../test/helpers/verifies.ts';
import type { HttpRequest } from '../http.ts';
import { apiKeys } from './api-keys.ts';
import type { Authenticator } from './authenticator.ts';
import { basicAuth } from './basic-auth.ts';
import { bearerTokens } from './bearer-tokens.ts';

const HERE = { publicUrl: 'https://agent.example' };

interface Kind {
  readonly name: string;
  make(callers: Readonly<Record<string, unknown>>): Authenticator;
  /** The name of the secret in the long form. */
  readonly member: string;
  request(user: string, secret: string): HttpRequest;
}

const KINDS: readonly Kind[] = [
  {
    name: 'bearerTokens',
    make: (callers) => bearerTokens(callers as never),
    member: 'token',
    request: (_user, secret) => bearing(secret),
  },
  {
    name: 'apiKeys in a header',
    make: (callers) => apiKeys({ header: 'X-Pass', keys: callers as never }),
    member: 'key',
    request: (_user, secret) => bareRequest({ 'x-pass': secret }),
  },
  {
    name: 'apiKeys in the query',
    make: (callers) => apiKeys({ query: 'key', keys: callers as never }),
    member: 'key',
    request: (_user, secret) => bareRequest({}, `a=1&key=${encodeURIComponent(secret)}`),
  },
  {
    name: 'basicAuth',
    make: (callers) => basicAuth(callers as never),
    member: 'password',
    request: (user, secret) => basic(`${user}:${secret}`),
  },
];

describe.each(KINDS)('$name', ({ make, member, request }) => {
  test('authenticates each caller by its credentials', () => {
    const auth = make({ alice: 'aaa', ci: { [member]: 'ccc', scopes: ['read'], tenants: ['acme'] } });

    expect(auth.authenticate(request('alice', 'aaa'), HERE)).toEqual({ id: 'alice', isVerified: true });
    expect(auth.authenticate(request('ci', 'ccc'), HERE)).toEqual({
      id: 'ci',
      isVerified: true,
      scopes: ['read'],
      tenants: ['acme'],
    });
  });

  test(verifies('H-15', 'an old and a new secret are valid together'), () => {
    const auth = make({ alice: { [member]: ['old', 'new'] } });

    for (const secret of ['old', 'new']) {
      expect(auth.authenticate(request('alice', secret), HERE)).toMatchObject({ id: 'alice' });
    }
  });

  test('a request without credentials of this kind is left to other authenticators', () => {
    const auth = make({ alice: 'aaa' });

    expect(auth.authenticate(bareRequest(), HERE)).toBeUndefined();
    expect(auth.authenticate(bareRequest({ authorization: 'Digest aaa' }, 'other=aaa'), HERE)).toBeUndefined();
    expect(auth.authenticate(bareRequest({ authorization: 'aaa' }), HERE)).toBeUndefined();
  });

  test.each([
    ['another secret', 'bbb'],
    ['a longer secret', 'aaaa'],
    ['a prefix of the secret', 'aa'],
    ['an empty secret', ''],
    ['a secret that is not UTF-8', '\u00ff\u00fe\u0080'],
    ['the secret with NUL', 'aaa\0'],
    ['a secret of 100,000 characters', 'a'.repeat(100_000)],
    ['the name of an object member', '__proto__'],
  ])('%s is rejected', (_, secret) => {
    const auth = make({ alice: 'aaa' });

    expect(() => auth.authenticate(request('alice', secret), HERE)).toThrow(
      expect.objectContaining({ code: 'UNAUTHENTICATED', details: { error: 'invalid_token' } }),
    );
  });

  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['no caller', {}, 'needs at least one caller'],
    ['an empty secret', { alice: '' }, 'alice: expected a string, got an empty string'],
    ['no secret', { alice: undefined }, 'alice: expected a string, got undefined'],
    ['an empty list of secrets', { alice: { [member]: [] } }, `alice.${member}: must not be empty`],
    ['an empty secret in a list', { alice: { [member]: ['a', ''] } }, `alice.${member}[1]: expected a string`],
    ['a secret with a line break', { alice: 'geheim\n' }, 'alice: must '],
    [
      'an unknown member',
      { alice: { [member]: 'a', scope: [] } },
      'alice.scope: is not an option; did you mean scopes?',
    ],
    ['scopes as a string', { alice: { [member]: 'a', scopes: 'read' } }, 'alice.scopes: expected an array of strings'],
    ['the reserved name of anonymous callers', { anonymous: 'a' }, 'anonymous: is reserved for anonymous callers'],
    ['a name in the format of token callers', { 'shared#alice': 'a' }, 'shared#alice: must not contain # or NUL'],
    ['a blank name', { ' ': 'a' }, 'must have 1 to 255 characters'],
  ])('%s is rejected at the start, without the secret in the error', (_, callers, fault) => {
    expect(() => make(callers)).toThrow(TypeError);
    expect(() => make(callers)).toThrow(fault);
    expect(() => make(callers)).not.toThrow('geheim');
  });
});

test.each([
  ['bearerTokens', () => bearerTokens({ alice: 'same-one', bob: 'same-one' })],
  ['apiKeys', () => apiKeys({ keys: { alice: 'same-one', bob: 'same-one' } })],
])('%s rejects a secret that two callers share', (_, make) => {
  expect(make).toThrow('bob: is already used by alice');
  expect(make).not.toThrow('same-one');
});

test('basicAuth accepts the same password for two users, with any characters', () => {
  const auth = basicAuth({ älice: 'grüße:🔑', bob: 'grüße:🔑' });

  expect(auth.authenticate(basic('älice:grüße:🔑'), HERE)).toMatchObject({ id: 'älice' });
  expect(auth.authenticate(basic('bob:grüße:🔑'), HERE)).toMatchObject({ id: 'bob' });
});

test.each([
  ['credentials that are not base64', 'a*b'],
  ['truncated base64', 'YWxpY2U6YWFh='],
  ['credentials that are not UTF-8', Buffer.from([0x61, 0x3a, 0xff, 0xfe]).toString('base64')],
  ['empty credentials', ''],
])('basicAuth rejects %s', (_, credentials) => {
  const auth = basicAuth({ alice: 'aaa' });

  expect(() => auth.authenticate(bareRequest({ authorization: `Basic ${credentials}` }), HERE)).toThrow(
    expect.objectContaining({ code: 'UNAUTHENTICATED' }),
  );
});

test.each([
  ['a colon', { 'a:b': 'x' }],
  ['a control character', { 'a\tb': 'x' }],
])('basicAuth rejects a user name with %s', (_, users) => {
  expect(() => basicAuth(users)).toThrow('must not contain a colon or control characters');
});

test.each<[unknown, string]>([
  [undefined, 'apiKeys() expects an object such as'],
  [{ header: 'a', query: 'b', keys: { alice: 'a' } }, 'apiKeys() expects header or query, not both'],
  [{ header: 'a"b', keys: { alice: 'a' } }, 'apiKeys() needs a name of letters'],
  [{ header: 'a' }, "apiKeys() expects an object such as { alice: '…' }, got undefined"],
])('apiKeys rejects %j', (options, fault) => {
  expect(() => apiKeys(options as never)).toThrow(fault);
});

test('the default header of apiKeys is x-api-key, and the scheme of Authorization is case-insensitive', () => {
  const keys = apiKeys({ keys: { alice: 'aaa' } });

  expect(keys.authenticate(bareRequest({ 'x-api-key': 'aaa' }), HERE)).toMatchObject({ id: 'alice' });
  expect(
    bearerTokens({ alice: 'aaa' }).authenticate(bareRequest({ authorization: 'bEARER  aaa ' }), HERE),
  ).toMatchObject({ id: 'alice' });
});
