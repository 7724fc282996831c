/** Every kind of authenticator, with credentials for it. */
import { SignJWT } from 'jose';

import { A2AError } from '../../../src/errors.ts';
import { apiKeys } from '../../../src/host/auth/api-keys.ts';
import type { AuthenticateHook, Authenticator } from '../../../src/host/auth/authenticator.ts';
import { basicAuth } from '../../../src/host/auth/basic-auth.ts';
import { bearerTokens } from '../../../src/host/auth/bearer-tokens.ts';
import { jwks } from '../../../src/host/auth/jwt/jwks.ts';
import { oidc } from '../../../src/host/auth/jwt/oidc.ts';
import { sharedSecret } from '../../../src/host/auth/jwt/shared-secret.ts';
import { type Claims, startIdentityProvider } from '../../helpers/identity-provider.ts';
import type { Ask } from '../kit/exchange.ts';

/** Credentials in headers or in the query. */
export interface Credentials {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** The callers of a kind: alice, another caller, and one without the scope of the agent. */
export interface Callers {
  readonly auth: Authenticator | AuthenticateHook;
  readonly right: Credentials;
  readonly other: Credentials;
  /** Authenticated, but without the scope `use`. */
  readonly wrongScope: Credentials;
  /** Invalid credentials, by their fault. */
  readonly bad: Readonly<Record<string, Credentials>>;
}

export interface AuthKind {
  readonly name: string;
  /** `WWW-Authenticate` of a response to a request without credentials. */
  readonly challenge: string;
  callers(): Promise<Callers>;
}

/** The public URL of the agent of the matrix. */
export const PUBLIC_URL = 'https://agent.example';

const SECRET = 'a-secret-of-more-than-32-characters';
const USE = ['use'];
const BEARER = 'Bearer realm="a2a"';

export const bearerOf = (token: string): Credentials => ({ headers: { authorization: `Bearer ${token}` } });
export const basicOf = (text: string): Credentials => ({ headers: { authorization: `Basic ${btoa(text)}` } });
const keyOf = (key: string): Credentials => ({ headers: { 'x-api-key': key } });
const sessionOf = (id: string): Credentials => ({ headers: { 'x-session': id } });
const queryOf = (key: string): Credentials => ({ query: `key=${key}` });

/** A request with credentials. */
export function asked(ask: Ask, { headers, query }: Credentials): Ask {
  const path = query === undefined ? ask.path : `${ask.path}${ask.path.includes('?') ? '&' : '?'}${query}`;
  return { ...ask, path, headers: { ...ask.headers, ...headers } };
}

/** A valid token of each caller, and invalid tokens by their fault. */
async function tokens(sign: (claims: Claims) => Promise<string>, more: Claims = {}): Promise<Omit<Callers, 'auth'>> {
  const bearing = async (claims: Claims): Promise<Credentials> =>
    bearerOf(await sign({ aud: PUBLIC_URL, sub: 'alice', scope: 'use', ...more, ...claims }));
  const token = (await bearing({})).headers?.['authorization'] ?? '';
  return {
    right: await bearing({}),
    other: await bearing({ sub: 'bob' }),
    wrongScope: await bearing({ scope: 'look' }),
    bad: {
      opaque: bearerOf('opaque'),
      'with another signature': { headers: { authorization: `${token.slice(0, -10)}AAAAAAAAAA` } },
      expired: await bearing({ exp: Math.floor(Date.now() / 1000) - 3600 }),
      'for another audience': await bearing({ aud: 'https://other.example' }),
    },
  };
}

function signShared(claims: Claims): Promise<string> {
  const all = { exp: Math.floor(Date.now() / 1000) + 300, ...claims };
  return new SignJWT(all).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(SECRET));
}

/** Scopes by session. */
const SESSIONS = new Map<string, readonly string[]>([
  ['alice', USE],
  ['bob', USE],
  ['carol', []],
]);

const hook: AuthenticateHook = async (request) => {
  const id = request.header('x-session');
  if (id === undefined) return undefined;
  const scopes = SESSIONS.get(id);
  if (scopes === undefined) {
    throw new A2AError('UNAUTHENTICATED', 'There is no such session', { details: { error: 'invalid_token' } });
  }
  return { id, isVerified: true, scopes };
};

export const KINDS: readonly AuthKind[] = [
  {
    name: 'bearerTokens',
    challenge: BEARER,
    callers: async () => ({
      auth: bearerTokens({
        alice: { token: 'a', scopes: USE },
        bob: { token: 'b', scopes: USE },
        carol: 'c',
      }),
      right: bearerOf('a'),
      other: bearerOf('b'),
      wrongScope: bearerOf('c'),
      bad: { wrong: bearerOf('x'), empty: bearerOf(''), 'of other bytes': bearerOf('\u00e4\u00ff') },
    }),
  },
  {
    name: 'apiKeys in a header',
    challenge: 'ApiKey realm="a2a", in="header", name="x-api-key"',
    callers: async () => ({
      auth: apiKeys({ keys: { alice: { key: 'a', scopes: USE }, bob: { key: 'b', scopes: USE }, carol: 'c' } }),
      right: keyOf('a'),
      other: keyOf('b'),
      wrongScope: keyOf('c'),
      bad: { wrong: keyOf('x'), 'of other bytes': keyOf('\u00e4\u00ff') },
    }),
  },
  {
    name: 'apiKeys in the query',
    challenge: 'ApiKey realm="a2a", in="query", name="key"',
    callers: async () => ({
      auth: apiKeys({
        query: 'key',
        keys: { alice: { key: 'a', scopes: USE }, bob: { key: 'b', scopes: USE }, carol: 'c' },
      }),
      right: queryOf('a'),
      other: queryOf('b'),
      wrongScope: queryOf('c'),
      bad: { wrong: queryOf('x'), empty: queryOf(''), 'of other bytes': queryOf('%ff%00') },
    }),
  },
  {
    name: 'basicAuth',
    challenge: 'Basic realm="a2a", charset="UTF-8"',
    callers: async () => ({
      auth: basicAuth({
        alice: { password: 'a', scopes: USE },
        bob: { password: 'a', scopes: USE },
        carol: 'c',
      }),
      right: basicOf('alice:a'),
      other: basicOf('bob:a'),
      wrongScope: basicOf('carol:c'),
      bad: { wrong: basicOf('alice:c'), malformed: { headers: { authorization: 'Basic ***' } } },
    }),
  },
  {
    name: 'sharedSecret',
    challenge: BEARER,
    callers: async () => ({ auth: sharedSecret({ secrets: ['an-older-one', SECRET] }), ...(await tokens(signShared)) }),
  },
  {
    name: 'sharedSecret of an organisation',
    challenge: BEARER,
    callers: async () => ({
      auth: sharedSecret({ orgs: async (domain) => (domain === 'acme.example' ? SECRET : undefined) }),
      ...(await tokens(signShared, { org_domain: 'acme.example' })),
    }),
  },
  {
    name: 'jwks',
    challenge: BEARER,
    callers: async () => {
      const { issuer, jwksUrl, sign } = await startIdentityProvider();
      return { auth: jwks({ issuer, jwksUrl }), ...(await tokens(sign)) };
    },
  },
  {
    name: 'oidc',
    challenge: BEARER,
    callers: async () => {
      const { issuer, sign } = await startIdentityProvider();
      return { auth: oidc({ issuer }), ...(await tokens(sign)) };
    },
  },
  {
    name: 'a function',
    challenge: BEARER,
    callers: async () => ({
      auth: hook,
      right: sessionOf('alice'),
      other: sessionOf('bob'),
      wrongScope: sessionOf('carol'),
      bad: { unknown: sessionOf('mallory'), empty: sessionOf(''), 'of other bytes': sessionOf('\u00e4\u00ff') },
    }),
  },
];
