import { expect, test } from 'vitest';

import type { SecurityScheme } from '../../model/security.ts';
import { decode } from '../dialect.ts';
import { securityRequirement, taggedScheme } from './security.ts';

const scopes = { read: 'Read things' };

test.each<[string, object, SecurityScheme]>([
  [
    'an API key',
    { type: 'apiKey', description: 'Ask us', in: 'header', name: 'X-Key' },
    { apiKeySecurityScheme: { description: 'Ask us', location: 'header', name: 'X-Key' } },
  ],
  [
    'HTTP authentication',
    { type: 'http', description: 'Ask us', scheme: 'bearer', bearerFormat: 'JWT' },
    { httpAuthSecurityScheme: { description: 'Ask us', scheme: 'bearer', bearerFormat: 'JWT' } },
  ],
  [
    'OpenID Connect',
    { type: 'openIdConnect', description: 'Ask us', openIdConnectUrl: 'https://id.test' },
    { openIdConnectSecurityScheme: { description: 'Ask us', openIdConnectUrl: 'https://id.test' } },
  ],
  ['mutual TLS', { type: 'mutualTLS', description: 'Ask us' }, { mtlsSecurityScheme: { description: 'Ask us' } }],
  ['mutual TLS without a description', { type: 'mutualTLS' }, { mtlsSecurityScheme: {} }],
  [
    'the authorization code flow',
    {
      type: 'oauth2',
      description: 'Ask us',
      oauth2MetadataUrl: 'https://id.test/meta',
      flows: {
        authorizationCode: {
          authorizationUrl: 'https://id.test/a',
          tokenUrl: 'https://id.test/t',
          refreshUrl: 'https://id.test/r',
          scopes,
        },
      },
    },
    {
      oauth2SecurityScheme: {
        description: 'Ask us',
        oauth2MetadataUrl: 'https://id.test/meta',
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://id.test/a',
            tokenUrl: 'https://id.test/t',
            refreshUrl: 'https://id.test/r',
            scopes,
          },
        },
      },
    },
  ],
  [
    'the client credentials flow',
    { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://id.test/t', refreshUrl: 'r', scopes } } },
    {
      oauth2SecurityScheme: {
        flows: { clientCredentials: { tokenUrl: 'https://id.test/t', refreshUrl: 'r', scopes } },
      },
    },
  ],
  [
    'the implicit flow',
    { type: 'oauth2', flows: { implicit: { authorizationUrl: 'https://id.test/a', refreshUrl: 'r', scopes } } },
    {
      oauth2SecurityScheme: {
        flows: { implicit: { authorizationUrl: 'https://id.test/a', refreshUrl: 'r', scopes } },
      },
    },
  ],
  [
    'the password flow',
    { type: 'oauth2', flows: { password: { tokenUrl: 'https://id.test/t', refreshUrl: 'r', scopes } } },
    { oauth2SecurityScheme: { flows: { password: { tokenUrl: 'https://id.test/t', refreshUrl: 'r', scopes } } } },
  ],
  [
    'a deprecated flow without what 1.0 no longer asks for',
    { type: 'oauth2', flows: { implicit: { authorizationUrl: '', scopes: {} } } },
    { oauth2SecurityScheme: { flows: { implicit: {} } } },
  ],
  [
    'a password flow without what 1.0 no longer asks for',
    { type: 'oauth2', flows: { password: { tokenUrl: '', scopes: {} } } },
    { oauth2SecurityScheme: { flows: { password: {} } } },
  ],
])('a scheme is decoded and encoded by its tag: %s', (_, json, scheme) => {
  expect(decode(taggedScheme, json, 'response', { strict: true }).value).toEqual([scheme]);
  expect(taggedScheme.encode([scheme])).toEqual(json);
});

test('a scheme with several flows is decoded to one scheme per flow and encoded again as one', () => {
  const clientCredentials = { tokenUrl: 'https://id.test/t', scopes };
  const password = { tokenUrl: 'https://id.test/p', scopes };
  const json = { type: 'oauth2', description: 'Ask us', flows: { password, clientCredentials } };
  const { value } = decode(taggedScheme, json, 'response');

  expect(value).toEqual([
    { oauth2SecurityScheme: { description: 'Ask us', flows: { clientCredentials } } },
    { oauth2SecurityScheme: { description: 'Ask us', flows: { password } } },
  ]);
  expect(taggedScheme.encode(value)).toEqual(json);
});

test('the member for PKCE is not encoded before 1.0', () => {
  const flow = { authorizationUrl: 'https://id.test/a', tokenUrl: 'https://id.test/t', scopes };
  const scheme = { oauth2SecurityScheme: { flows: { authorizationCode: { ...flow, pkceRequired: true } } } };

  expect(taggedScheme.encode([scheme])).toEqual({ type: 'oauth2', flows: { authorizationCode: flow } });
});

test.each([
  ['of an unknown kind', { type: 'quantum' }, 'security-scheme-unknown'],
  ['without a tag', { scheme: 'bearer' }, 'security-scheme-unknown'],
  ['of OAuth without a flow', { type: 'oauth2', flows: {} }, 'oauth-flow-missing'],
  ['of OAuth with an unknown flow', { type: 'oauth2', flows: { deviceCode: {} } }, 'oauth-flow-missing'],
])('a scheme %s in a response is omitted with a warning', (_, json, code) => {
  const { value, warnings } = decode(taggedScheme, json, 'response');

  expect(value).toEqual([]);
  expect(warnings).toMatchObject([{ code }]);
});

test.each([
  ['in strict reading', 'response', { strict: true }],
  ['in a request', 'request', {}],
] as const)('a scheme of an unknown kind is rejected %s', (_, role, options) => {
  expect(() => decode(taggedScheme, { type: 'quantum' }, role, options)).toThrow(
    'type: expected one of apiKey, http, oauth2, openIdConnect, mutualTLS',
  );
});

test('the wrappers of REST and gRPC in 0.3 are decoded', () => {
  const apiKey = { apiKeySecurityScheme: { location: 'query', name: 'key' } };

  expect(decode(taggedScheme, apiKey, 'response', { strict: true }).value).toEqual([apiKey]);
  expect(() => decode(taggedScheme, { apiKeySecurityScheme: { name: 'key' } }, 'response')).toThrow(
    'apiKeySecurityScheme.in: expected the member in',
  );
});

test.each([
  [{ oauth: ['read', 'write'], key: [] }, { schemes: { oauth: { list: ['read', 'write'] }, key: {} } }],
  [{}, { schemes: {} }],
  [
    { schemes: ['a scope of a scheme named schemes'] },
    { schemes: { schemes: { list: ['a scope of a scheme named schemes'] } } },
  ],
])('the requirement %j is decoded and encoded', (json, requirement) => {
  expect(decode(securityRequirement, json, 'response', { strict: true }).value).toEqual(requirement);
  expect(securityRequirement.encode(requirement)).toEqual(json);
});

test('a wrapped requirement is decoded', () => {
  const wrapped = { schemes: { oauth: { list: ['read'] }, key: { list: [] } } };

  expect(decode(securityRequirement, wrapped, 'response').value).toEqual({
    schemes: { oauth: { list: ['read'] }, key: {} },
  });
});

test('a scheme can have the name __proto__', () => {
  const { value } = decode(securityRequirement, JSON.parse('{"__proto__":["x"]}'), 'response');

  expect(Object.keys(value.schemes)).toEqual(['__proto__']);
  expect(JSON.stringify(securityRequirement.encode(value))).toBe('{"__proto__":["x"]}');
});
