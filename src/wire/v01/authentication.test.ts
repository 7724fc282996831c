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
])('the name %s is read as a scheme and written again', (name, scheme) => {
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

test('no names mean no requirements', () => {
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
])('the scheme %s is named by its kind', (key, scheme, name) => {
  expect(toSchemeNames({ securitySchemes: { [key]: scheme }, securityRequirements: [asks(key)] })).toEqual([name]);
});

const SCHEMES = { bearer: BEARER, id: OAUTH, id2: OAUTH, tls: { mtlsSecurityScheme: {} } };

test.each([
  ['only schemes that are asked for are named, each once', [asks('id'), asks('id2')], ['OAuth2']],
  ['two schemes together are no alternative', [asks('bearer', 'id'), asks('id')], ['OAuth2']],
  ['mutual TLS has no name', [asks('tls'), asks('id')], ['OAuth2']],
  ['a name without a scheme is still a name', [asks('nowhere')], ['nowhere']],
  ['that one may also come without is not said', [asks(), asks('bearer')], ['Bearer']],
  ['where all may come without, nothing is said', [asks()], []],
  ['without requirements nothing is said', [], []],
])('%s', (_, securityRequirements, names) => {
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
