import type { Caller } from '../../engine/handler.ts';
import type { AuthenticateHook, Authenticator } from './authenticator.ts';
import { BEARER_CHALLENGE } from './credentials.ts';

/** An authenticator of a function. Nobody knows what it looks at, so that cards tell of a bearer token. */
export function authenticatorOf(hook: AuthenticateHook): Authenticator {
  return {
    schemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    challenge: BEARER_CHALLENGE,
    authenticate(request) {
      const found = hook(request);
      return isLater(found) ? found.then(checked) : checked(found);
    },
  };
}

function isLater<T>(found: T | Promise<T>): found is Promise<T> {
  return typeof found === 'object' && found !== null && 'then' in found;
}

/** Everything is kept under the id of its owner, so it must be one. */
function checked(caller: Caller | null | undefined): Caller | undefined {
  if (caller === null || caller === undefined) return undefined;
  if (typeof caller === 'object' && typeof caller.id === 'string' && caller.id !== '') return caller;
  throw new TypeError('The function given as auth must return { id, isVerified }, or undefined for strangers');
}
