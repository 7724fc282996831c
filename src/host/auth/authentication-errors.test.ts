import { expect, test } from 'vitest';
import type { SecurityScheme } from '../../model/security.ts';
import { missingCredentials } from './authentication-errors.ts';

test.each<[kind: string, scheme: SecurityScheme]>([
  ['a bearer token', { httpAuthSecurityScheme: { scheme: 'Bearer' } }],
  ['a bearer token', { openIdConnectSecurityScheme: { openIdConnectUrl: 'https://login.example' } }],
  ['a user name and password', { httpAuthSecurityScheme: { scheme: 'Basic' } }],
  ['credentials', { httpAuthSecurityScheme: { scheme: 'Digest' } }],
  ['an API key', { apiKeySecurityScheme: { location: 'header', name: 'x-api-key' } }],
  ['credentials', { mtlsSecurityScheme: {} }],
])('the error for a request without credentials asks for %s if the scheme is %j', (kind, scheme) => {
  expect(missingCredentials([{ schemes: { scheme } }]).message).toBe(
    `Authentication required. Send ${kind}; see \`securitySchemes\` in the agent card.`,
  );
});

test('the error for a request without credentials asks for credentials if the card declares no scheme', () => {
  expect(missingCredentials([{ schemes: {} }]).message).toBe('Authentication required. Send credentials.');
});
