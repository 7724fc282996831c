import type { Caller } from '../../engine/handler.ts';
import type { AuthenticateHook, Authenticator } from './authenticator.ts';
import { isLater } from './caller-check.ts';
import { BEARER_CHALLENGE } from './credentials.ts';

/** An authenticator of a function. Nobody knows what it looks at, so that cards tell of a bearer token. */
export function authenticatorOf(hook: AuthenticateHook): Authenticator {
  return {
    schemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    challenge: BEARER_CHALLENGE,
    authenticate(request) {
      const found = hook(request);
      return isLater(found) ? found.then(orNobody) : orNobody(found);
    },
  };
}

function orNobody(found: Caller | null | undefined): Caller | undefined {
  return found ?? undefined;
}
