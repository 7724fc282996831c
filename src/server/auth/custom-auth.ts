import type { Caller } from '../../engine/handler.ts';
import type { SecurityScheme } from '../../model/security.ts';
import type { Authenticated, Authenticator, CustomAuth } from './authenticator.ts';
import { isLater } from './caller-check.ts';
import { BEARER_CHALLENGE } from './credentials.ts';

/** What the card declares for a function that names no schemes: most read a bearer token. */
const BEARER = { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } } as const;

/** An authenticator of a function, with the schemes and the challenge that it names. */
export function customAuth({ authenticate, schemes = BEARER, challenge }: CustomAuth): Authenticator {
  const [first] = Object.values(schemes);
  return {
    schemes,
    challenge: challenge ?? (first === undefined ? '' : challengeOf(first)),
    authenticate(request) {
      const found = authenticate(request);
      return isLater(found) ? found.then(orNobody) : orNobody(found);
    },
  };
}

function orNobody(found: Authenticated): Caller | undefined {
  return found ?? undefined;
}

function challengeOf(scheme: SecurityScheme): string {
  if ('httpAuthSecurityScheme' in scheme) return `${scheme.httpAuthSecurityScheme.scheme} realm="a2a"`;
  if ('apiKeySecurityScheme' in scheme) {
    const { location, name } = scheme.apiKeySecurityScheme;
    return apiKeyChallenge(location, name);
  }
  // Both send their tokens as bearer tokens. For client certificates HTTP has no challenge.
  return 'mtlsSecurityScheme' in scheme ? '' : BEARER_CHALLENGE;
}

/** HTTP has no scheme for API keys, but whoever reads this learns what to send. */
export function apiKeyChallenge(location: string, name: string): string {
  return `ApiKey realm="a2a", in="${location}", name="${name}"`;
}
