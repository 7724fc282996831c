import { A2AError } from '../../errors.ts';
import type { SecurityScheme } from '../../model/security.ts';
import type { HttpRequest } from '../http.ts';
import type { Authenticator } from './authenticator.ts';

/** The challenge for bearer tokens. All challenges use the same realm. */
export const BEARER_CHALLENGE = 'Bearer realm="a2a"';

/** The credentials in the `Authorization` header after the name of the scheme; undefined if the header names another scheme. */
export function credentialsOf(request: HttpRequest, scheme: 'bearer' | 'basic'): string | undefined {
  const header = request.header('authorization');
  if (header === undefined) return undefined;
  // HTTP trims trailing spaces, so the name alone means empty credentials.
  const { length } = scheme;
  if (header.length > length && header[length] !== ' ') return undefined;
  return header.slice(0, length).toLowerCase() === scheme ? header.slice(length).trim() : undefined;
}

/** The request has credentials, and they are invalid. The details use the error codes of RFC 6750 §3.1, as `WWW-Authenticate` does. */
export function invalidCredentials(message: string, cause?: unknown): A2AError {
  return new A2AError('UNAUTHENTICATED', message, { details: { error: 'invalid_token' }, cause });
}

/** The request has no credentials. The message names the kind that the first scheme of the agent expects. */
export function missingCredentials(authenticators: readonly Pick<Authenticator, 'schemes'>[]): A2AError {
  const [first] = authenticators.flatMap(({ schemes }) => Object.values(schemes));
  // `auth` with `schemes: {}` declares nothing on the card.
  const advice =
    first === undefined ? 'Send credentials.' : `Send ${kindOf(first)}; see \`securitySchemes\` in the agent card.`;
  return new A2AError('UNAUTHENTICATED', `Authentication required. ${advice}`);
}

function kindOf(scheme: SecurityScheme): string {
  if ('mtlsSecurityScheme' in scheme) return 'credentials';
  if ('apiKeySecurityScheme' in scheme) return 'an API key';
  if (!('httpAuthSecurityScheme' in scheme)) return 'a bearer token';
  const name = scheme.httpAuthSecurityScheme.scheme.toLowerCase();
  if (name === 'basic') return 'a user name and password';
  return name === 'bearer' ? 'a bearer token' : 'credentials';
}

/** The request headers that contain credentials, for `Vary`: `Authorization`, and those of API keys. */
export function credentialHeaders(authenticators: readonly Authenticator[] = []): string {
  const names = new Set(['Authorization']);
  for (const scheme of authenticators.flatMap(({ schemes }) => Object.values(schemes))) {
    if (!('apiKeySecurityScheme' in scheme)) continue;
    const { location, name } = scheme.apiKeySecurityScheme;
    if (location === 'header') names.add(name);
    if (location === 'cookie') names.add('Cookie');
  }
  return [...names].join(', ');
}
