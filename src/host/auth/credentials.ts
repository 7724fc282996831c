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
