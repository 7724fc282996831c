import type { Authenticator } from './authenticator.ts';

/** The headers by which callers are told apart, for who keeps answers: `Authorization`, and those that have keys. */
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
