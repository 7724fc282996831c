import type { Caller } from '../engine/handler.ts';
import { A2AError } from '../errors.ts';
import type { Authenticator } from './auth/authenticator.ts';
import type { HttpRequest } from './http.ts';

/**
 * Says who calls, by the headers of the request: it is asked before the body is read. What it knows at once it gives at
 * once, so that nobody waits for a promise.
 *
 * @throws A2AError `UNAUTHENTICATED` that the caller gets.
 */
export type Identify = (request: HttpRequest) => Caller | Promise<Caller>;

/** Everybody, as long as nobody has to say who he is. */
const ANONYMOUS: Caller = Object.freeze({ id: 'anonymous', isVerified: false });

export const anybody: Identify = () => ANONYMOUS;

/** The first that knows the credentials says whose they are; without any nobody comes in. */
export function identifyBy(authenticators: readonly Authenticator[]): Identify {
  return (request) => {
    for (const [index, authenticator] of authenticators.entries()) {
      const found = authenticator.authenticate(request);
      if (found === undefined) continue;
      return 'then' in found ? found.then((caller) => caller ?? next(authenticators, index, request)) : found;
    }
    throw unknownCaller();
  };
}

function next(authenticators: readonly Authenticator[], index: number, request: HttpRequest): Caller | Promise<Caller> {
  return identifyBy(authenticators.slice(index + 1))(request);
}

function unknownCaller(): A2AError {
  return new A2AError(
    'UNAUTHENTICATED',
    'This agent answers callers that it knows: send credentials, as its card says',
  );
}
