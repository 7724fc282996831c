import type { Authenticator } from './authenticator.ts';
import { BEARER_CHALLENGE, credentialsOf } from './credentials.ts';
import { type CallerGrants, ConfiguredCallers, visibleOnly } from './configured-callers.ts';

/** A token, or several that are all valid for rotation, with scopes and tenants. */
export type TokenCaller =
  | string
  | ({
      /** The token, or several valid tokens. */
      readonly token: string | readonly string[];
    } & CallerGrants);

/**
 * Authenticates callers by fixed bearer tokens, listed by caller id: `Authorization: Bearer …`. Use long random tokens:
 * `openssl rand -hex 32`.
 *
 * @example
 * bearerTokens({ alice: process.env.ALICE_TOKEN, ci: { token: [oldToken, newToken], scopes: ['read'] } })
 *
 * @throws TypeError that lists every problem, such as an empty or missing token.
 */
export function bearerTokens(callers: Readonly<Record<string, TokenCaller | undefined>>): Authenticator {
  const known = new ConfiguredCallers(callers, { what: 'bearerTokens()', member: 'token', secretFault: visibleOnly });
  return {
    schemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    challenge: BEARER_CHALLENGE,
    authenticate(request) {
      const token = credentialsOf(request, 'bearer');
      return token === undefined ? undefined : known.authenticate(token, 'Invalid bearer token');
    },
  };
}
