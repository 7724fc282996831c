import { expect, test } from 'vitest';
import { agent } from '../../agent/agent.ts';
import { bearerTokens } from '../auth/bearer-tokens.ts';
import { readHandlerOptions } from '../../server/options/handler-options.ts';

const ECHO = agent({ name: 'Echo', description: 'Says it again.', run: ({ text }) => text });
const auth = bearerTokens({ alice: 'a' });

test.each<[string, object, string]>([
  ['access as a string', { auth, access: 'all' }, 'access: expected an object such as'],
  ['an unknown member of access', { auth, access: { scopes: [] } }, 'access.scopes: is not an option'],
  [
    'requiredScopes as a string',
    { auth, access: { requiredScopes: 'use' } },
    'access.requiredScopes: expected an array',
  ],
  [
    'a scope with a space',
    { auth, access: { requiredScopes: ['a b'] } },
    'access.requiredScopes[0]: must contain only visible',
  ],
  [
    'a scope with a quote',
    { auth, access: { requiredScopes: ['a"'] } },
    'access.requiredScopes[0]: must contain only visible',
  ],
  [
    'protectCard as a number',
    { auth, access: { protectCard: 1 } },
    'access.protectCard: expected true or false, got 1',
  ],
  ['a negative streamGraceMs', { auth, access: { streamGraceMs: -1 } }, 'access.streamGraceMs: expected a number'],
  ['protectCard without auth', { access: { protectCard: true } }, 'access.protectCard: requires auth'],
  ['requiredScopes without auth', { access: { requiredScopes: ['use'] } }, 'access.requiredScopes: requires auth'],
  ['an empty list of authenticators', { auth: [] }, 'auth: must not be empty'],
  [
    'a string as authenticator',
    { auth: [auth, 'token'] },
    'auth[1]: expected an authenticator or a function, got a string',
  ],
  [
    'undefined as authenticator',
    { auth: [undefined] },
    'auth[0]: expected an authenticator or a function, got undefined',
  ],
  [
    'an object without authenticate',
    { auth: {} },
    'auth: expected an authenticator or a function, with the member authenticate',
  ],
])('%s is rejected', (_, options, fault) => {
  expect(() => readHandlerOptions('createHandler()', ECHO, options)).toThrow(fault);
});

test('missing members of access have their defaults', () => {
  const { access } = readHandlerOptions('createHandler()', ECHO, { auth, access: { streamGraceMs: 5 } });

  expect(access).toEqual({ requiredScopes: [], protectCard: false, streamGraceMs: 5 });
});
