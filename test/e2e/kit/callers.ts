import type { Caller } from '../../../src/engine/handler.ts';
import { A2AError } from '../../../src/errors.ts';
import type { Authenticator } from '../../../src/host/auth/authenticator.ts';
import type { Ask } from './exchange.ts';

/** Authenticates the caller whose id is the bearer token. */
export function knownCallers(...callers: readonly Caller[]): Authenticator {
  return {
    schemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    challenge: 'Bearer realm="a2a"',
    authenticate(request) {
      const token = request.header('authorization')?.replace('Bearer ', '');
      if (token === undefined) return undefined;
      const caller = callers.find(({ id }) => id === token);
      if (caller === undefined) throw new A2AError('UNAUTHENTICATED', 'These credentials are not known here');
      return caller;
    },
  };
}

/** A request with the credentials of a caller; unchanged without one. */
export function as(id: string | undefined, ask: Ask): Ask {
  return id === undefined ? ask : { ...ask, headers: { ...ask.headers, authorization: `Bearer ${id}` } };
}
