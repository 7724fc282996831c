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
  /** What the secret is called in the long form. */
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
  test('knows each caller by what is his', () => {
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

  test('who brings nothing of this kind is for others to know', () => {
    const auth = make({ alice: 'aaa' });

    expect(auth.authenticate(bareRequest(), HERE)).toBeUndefined();
    expect(auth.authenticate(bareRequest({ authorization: 'Digest aaa' }, 'other=aaa'), HERE)).toBeUndefined();
    expect(auth.authenticate(bareRequest({ authorization: 'aaa' }), HERE)).toBeUndefined();
  });

  test.each([
    ['another', 'bbb'],
    ['a longer one', 'aaaa'],
    ['a beginning', 'aa'],
    ['an empty one', ''],
    ['bytes that are no text', '\u00ff\u00fe\u0080'],
    ['one with NUL', 'aaa\0'],
    ['a very long one', 'a'.repeat(100_000)],
    ['a name of an object', '__proto__'],
  ])('%s is refused', (_, secret) => {
    const auth = make({ alice: 'aaa' });

    expect(() => auth.authenticate(request('alice', secret), HERE)).toThrow(
      expect.objectContaining({ code: 'UNAUTHENTICATED', details: { error: 'invalid_token' } }),
    );
  });

  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['nobody', {}, 'needs one caller at least'],
    ['an empty secret', { alice: '' }, 'alice: must be a text, not an empty text'],
    ['no secret', { alice: undefined }, 'alice: must be a text, not undefined'],
    ['none of several', { alice: { [member]: [] } }, `alice.${member}: must name one at least`],
    ['an empty one of several', { alice: { [member]: ['a', ''] } }, `alice.${member}[1]: must be a text`],
    ['a secret with a line break', { alice: 'geheim\n' }, 'alice: must have'],
    [
      'an unknown member',
      { alice: { [member]: 'a', scope: [] } },
      'alice.scope: is not an option; did you mean scopes?',
    ],
    ['scopes that are no list', { alice: { [member]: 'a', scopes: 'read' } }, 'alice.scopes: must be a list of texts'],
    ['the name of everybody', { anonymous: 'a' }, 'anonymous: is what callers are called whom nobody knows'],
    ['a name as tokens have it', { 'shared#alice': 'a' }, 'shared#alice: must have neither # nor NUL'],
    ['a blank name', { ' ': 'a' }, 'must have 1 to 255 characters'],
  ])('%s is refused at once, without a secret in the words', (_, callers, fault) => {
    expect(() => make(callers)).toThrow(TypeError);
    expect(() => make(callers)).toThrow(fault);
    expect(() => make(callers)).not.toThrow('geheim');
  });
});

test.each([
  ['bearerTokens', () => bearerTokens({ alice: 'same-one', bob: 'same-one' })],
  ['apiKeys', () => apiKeys({ keys: { alice: 'same-one', bob: 'same-one' } })],
])('%s: a secret is of one caller only', (_, make) => {
  expect(make).toThrow('bob: is the same as one of alice');
  expect(make).not.toThrow('same-one');
});

test('a password may be that of another, too, and have any characters', () => {
  const auth = basicAuth({ älice: 'grüße:🔑', bob: 'grüße:🔑' });

  expect(auth.authenticate(basic('älice:grüße:🔑'), HERE)).toMatchObject({ id: 'älice' });
  expect(auth.authenticate(basic('bob:grüße:🔑'), HERE)).toMatchObject({ id: 'bob' });
});

test.each([
  ['what is no base64', 'a*b'],
  ['base64 that was cut', 'YWxpY2U6YWFh='],
  ['what is no UTF-8', Buffer.from([0x61, 0x3a, 0xff, 0xfe]).toString('base64')],
  ['nothing', ''],
])('basicAuth refuses %s', (_, credentials) => {
  const auth = basicAuth({ alice: 'aaa' });

  expect(() => auth.authenticate(bareRequest({ authorization: `Basic ${credentials}` }), HERE)).toThrow(
    expect.objectContaining({ code: 'UNAUTHENTICATED' }),
  );
});

test.each([
  ['a colon', { 'a:b': 'x' }],
  ['a control character', { 'a\tb': 'x' }],
])('basicAuth refuses a user with %s', (_, users) => {
  expect(() => basicAuth(users)).toThrow('must have no colon and no control characters');
});

test.each<[unknown, string]>([
  [undefined, 'apiKeys() takes an object like'],
  [{ header: 'a', query: 'b', keys: { alice: 'a' } }, 'apiKeys() takes header or query, not both'],
  [{ header: 'a"b', keys: { alice: 'a' } }, 'apiKeys() needs a name of letters'],
  [{ header: 'a' }, "apiKeys() takes an object like { alice: '…' }, not undefined"],
])('apiKeys refuses %j', (options, fault) => {
  expect(() => apiKeys(options as never)).toThrow(fault);
});

test('the header of a key is x-api-key, and a scheme has no case', () => {
  const keys = apiKeys({ keys: { alice: 'aaa' } });

  expect(keys.authenticate(bareRequest({ 'x-api-key': 'aaa' }), HERE)).toMatchObject({ id: 'alice' });
  expect(
    bearerTokens({ alice: 'aaa' }).authenticate(bareRequest({ authorization: 'bEARER  aaa ' }), HERE),
  ).toMatchObject({ id: 'alice' });
});
