import type { Caller } from '../../engine/handler.ts';
import type { Authenticator } from './authenticator.ts';
import { BEARER_CHALLENGE, credentialsOf, invalidCredentials } from './credentials.ts';
import { type CallerGrants, KnownCallers, visibleOnly } from './known-callers.ts';

/** A caller with a token; with several all are valid, such as an old and a new one. */
export type TokenCaller = string | ({ readonly token: string | readonly string[] } & CallerGrants);

/**
 * Knows callers by fixed tokens, as in `Authorization: Bearer …`. Make them long and random: `openssl rand -hex 32`.
 *
 * @example
 * bearerTokens({ alice: process.env.ALICE_TOKEN, ci: { token: [oldToken, newToken], scopes: ['read'] } })
 *
 * @throws TypeError that names what is wrong, such as a token that is empty or not there.
 */
export function bearerTokens(callers: Readonly<Record<string, TokenCaller | undefined>>): Authenticator {
  const known = new KnownCallers(callers, { what: 'bearerTokens()', member: 'token', secretFault: visibleOnly });
  return {
    schemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    challenge: BEARER_CHALLENGE,
    authenticate(request) {
      const token = credentialsOf(request, 'bearer');
      if (token === undefined) return undefined;
      const found = known.find(token);
      return found !== undefined && 'then' in found ? found.then(knownToken) : knownToken(found);
    },
  };
}

function knownToken(caller: Caller | undefined): Caller {
  if (caller === undefined) throw invalidCredentials('The bearer token is not one that this agent knows');
  return caller;
}
