import { expect, test } from 'vitest';
import { agent } from './agent.ts';
import { bearerTokens } from './auth/bearer-tokens.ts';
import { readHandlerOptions } from './handler-options.ts';

const ECHO = agent({ name: 'Echo', description: 'Says it again.', run: ({ text }) => text });
const auth = bearerTokens({ alice: 'a' });

test.each<[string, object, string]>([
  ['what is no group', { auth, access: 'all' }, 'access: must be an object like'],
  ['a member that is none', { auth, access: { scopes: [] } }, 'access.scopes: is not an option'],
  ['scopes that are no list', { auth, access: { requiredScopes: 'use' } }, 'access.requiredScopes: must be a list'],
  [
    'a scope with a space',
    { auth, access: { requiredScopes: ['a b'] } },
    'access.requiredScopes[0]: must have visible',
  ],
  ['a scope with a quote', { auth, access: { requiredScopes: ['a"'] } }, 'access.requiredScopes[0]: must have visible'],
  ['a switch that is none', { auth, access: { protectCard: 1 } }, 'access.protectCard: must be true or false, not 1'],
  ['a time that is none', { auth, access: { streamGraceMs: -1 } }, 'access.streamGraceMs: must be a number'],
  ['a card for nobody', { access: { protectCard: true } }, 'access.protectCard: needs auth'],
  ['scopes of nobody', { access: { requiredScopes: ['use'] } }, 'access.requiredScopes: needs auth'],
  ['no way at all', { auth: [] }, 'auth: must name one'],
  ['a way that is none', { auth: [auth, 'token'] }, 'auth[1]: must be an authenticator, or a function, not a text'],
  [
    'a way that was forgotten',
    { auth: [undefined] },
    'auth[0]: must be an authenticator, or a function, not undefined',
  ],
  ['an object of another kind', { auth: {} }, 'auth: must be an authenticator, or a function, with authenticate'],
])('%s is refused', (_, options, fault) => {
  expect(() => readHandlerOptions('createHandler()', ECHO, options)).toThrow(fault);
});

test('what is left out has its default', () => {
  const { access } = readHandlerOptions('createHandler()', ECHO, { auth, access: { streamGraceMs: 5 } });

  expect(access).toEqual({ requiredScopes: [], protectCard: false, streamGraceMs: 5 });
});
