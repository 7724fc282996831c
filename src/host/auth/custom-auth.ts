import type { Caller } from '../../engine/handler.ts';
import type { SecurityScheme } from '../../model/security.ts';
import type { Authenticated, Authenticator, CustomAuth } from './authenticator.ts';
import { isLater } from './caller-check.ts';
import { BEARER_CHALLENGE } from './credentials.ts';

/** The scheme of a function that specifies none, because most read a bearer token. */
const BEARER = { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } } as const;

export function customAuth({ authenticate, schemes = BEARER, challenge }: CustomAuth): Authenticator {
  const [first] = Object.values(schemes);
  return {
    schemes,
    challenge: challenge ?? (first === undefined ? '' : challengeOf(first)),
    authenticate(request) {
      const found = authenticate(request);
      return isLater(found) ? found.then(orUndefined) : orUndefined(found);
    },
  };
}

function orUndefined(found: Authenticated): Caller | undefined {
  return found ?? undefined;
}

function challengeOf(scheme: SecurityScheme): string {
  if ('httpAuthSecurityScheme' in scheme) return `${scheme.httpAuthSecurityScheme.scheme} realm="a2a"`;
  if ('apiKeySecurityScheme' in scheme) {
    const { location, name } = scheme.apiKeySecurityScheme;
    return apiKeyChallenge(location, name);
  }
  // OAuth 2 and OpenID Connect use bearer tokens. HTTP has no challenge for client certificates.
  return 'mtlsSecurityScheme' in scheme ? '' : BEARER_CHALLENGE;
}

/** HTTP has no registered scheme for API keys; this one shows the caller what to send. */
export function apiKeyChallenge(location: string, name: string): string {
  return `ApiKey realm="a2a", in="${location}", name="${name}"`;
}
