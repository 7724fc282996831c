import { expect, test } from 'vitest';

import type { SecurityRequirement, SecurityScheme } from '../../model/security.ts';
import { fromSchemeNames, toSchemeNames } from './authentication.ts';

const BEARER: SecurityScheme = { httpAuthSecurityScheme: { scheme: 'Bearer' } };
const OAUTH: SecurityScheme = {
  oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: 'https://id.test/t', scopes: {} } } },
};

function asks(...names: string[]): SecurityRequirement {
  return { schemes: Object.fromEntries(names.map((name) => [name, { list: ['scope'] }])) };
}

test.each<[string, SecurityScheme]>([
  ['Bearer', BEARER],
  ['Basic', { httpAuthSecurityScheme: { scheme: 'Basic' } }],
  ['Hoba', { httpAuthSecurityScheme: { scheme: 'Hoba' } }],
  ['ApiKey', { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } }],
  ['api_key', { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } }],
  ['OAuth2', BEARER],
  ['OpenID', BEARER],
  ['openIdConnect', BEARER],
])('the name %s is decoded as a scheme and encoded again', (name, scheme) => {
  const secured = fromSchemeNames([name]);

  expect(secured).toEqual({ securitySchemes: { [name]: scheme }, securityRequirements: [{ schemes: { [name]: {} } }] });
  expect(toSchemeNames(secured)).toEqual([name]);
});

test('each name is an alternative', () => {
  expect(fromSchemeNames(['Bearer', 'Basic', 'Bearer']).securityRequirements).toEqual([
    { schemes: { Bearer: {} } },
    { schemes: { Basic: {} } },
  ]);
});

test('an empty list of names means no requirements', () => {
  expect(fromSchemeNames([])).toEqual({});
  expect(toSchemeNames({})).toEqual([]);
});

test.each<[string, SecurityScheme, string]>([
  ['apiKey', BEARER, 'Bearer'],
  ['mine', { httpAuthSecurityScheme: { scheme: 'basic' } }, 'Basic'],
  ['bearer', { httpAuthSecurityScheme: { scheme: 'bearer' } }, 'Bearer'],
  ['mine', { httpAuthSecurityScheme: { scheme: 'hoba' } }, 'hoba'],
  ['mine', { apiKeySecurityScheme: { location: 'query', name: 'k' } }, 'ApiKey'],
  ['mine', OAUTH, 'OAuth2'],
  ['mine', { openIdConnectSecurityScheme: { openIdConnectUrl: 'https://id.test' } }, 'OpenID'],
])('the scheme %s is encoded by the name of its kind', (key, scheme, name) => {
  expect(toSchemeNames({ securitySchemes: { [key]: scheme }, securityRequirements: [asks(key)] })).toEqual([name]);
});

const SCHEMES = { bearer: BEARER, id: OAUTH, id2: OAUTH, tls: { mtlsSecurityScheme: {} } };

test.each([
  ['only required schemes are named, each once', [asks('id'), asks('id2')], ['OAuth2']],
  ['an alternative of two schemes is omitted', [asks('bearer', 'id'), asks('id')], ['OAuth2']],
  ['an alternative with mutual TLS is omitted', [asks('tls'), asks('id')], ['OAuth2']],
  ['the name of a missing scheme is kept', [asks('nowhere')], ['nowhere']],
  ['an alternative without credentials is omitted', [asks(), asks('bearer')], ['Bearer']],
  ['a card that only allows access without credentials has no names', [asks()], []],
  ['a card without requirements has no names', [], []],
])('requirements are encoded as names: %s', (_, securityRequirements, names) => {
  expect(toSchemeNames({ securitySchemes: SCHEMES, securityRequirements })).toEqual(names);
});

test.each([[[asks('tls')]], [[asks('bearer', 'id')]], [[asks(), asks('tls')]]])(
  'requirements %j that cannot be named are not published as none',
  (securityRequirements) => {
    expect(() => toSchemeNames({ securitySchemes: SCHEMES, securityRequirements })).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_OPERATION', message: expect.stringContaining('version 0.1') }),
    );
  },
);
