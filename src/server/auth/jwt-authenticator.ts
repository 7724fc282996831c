import type { Caller } from '../../engine/handler.ts';
import type { A2AError } from '../../errors.ts';
import type { SecurityScheme } from '../../model/security.ts';
import type { Authenticator, ServedAt } from './authenticator.ts';
import { BEARER_CHALLENGE, credentialsOf, invalidCredentials } from './credentials.ts';
import { TokenCache } from './token-cache.ts';

/** Three parts in base64url. Longer ones are no tokens, but work for whoever gets them. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const MAX_LENGTH = 16_384;

/** Verifies a token of a fitting shape, for the agent at an address. @throws A2AError of `Authenticator`. */
export type VerifyToken = (token: string, servedAt: ServedAt) => Promise<Caller>;

/** An authenticator for bearer tokens that prove themselves; who was verified is remembered for up to a minute. */
export function jwtAuthenticator(
  schemes: Readonly<Record<string, SecurityScheme>>,
  verify: VerifyToken,
  now: () => number,
): Authenticator {
  const verified = new TokenCache(now);
  const verifyAndKeep = async (claims: string, token: string, servedAt: ServedAt): Promise<Caller> => {
    const caller = await verify(token, servedAt);
    verified.set(claims, signatureOf(token), caller);
    return caller;
  };
  return {
    schemes,
    challenge: BEARER_CHALLENGE,
    authenticate(request, servedAt) {
      const token = credentialsOf(request, 'bearer');
      if (token === undefined) return undefined;
      if (token.length > MAX_LENGTH) throw notJwt();
      // One authenticator may serve agents at several addresses, and a token is for one of them.
      const claims = `${servedAt.publicUrl ?? ''} ${token.slice(0, token.lastIndexOf('.'))}`;
      const known = verified.get(claims, signatureOf(token));
      if (known !== undefined) return known;
      // Only now: what was verified before has the shape, and to look at it takes as long as to find that out.
      if (!JWT.test(token)) throw notJwt();
      return verifyAndKeep(claims, token, servedAt);
    },
  };
}

/** Its last part, with the dot before it. */
function signatureOf(token: string): string {
  return token.slice(token.lastIndexOf('.'));
}

function notJwt(): A2AError {
  return invalidCredentials('The bearer token is not a JWT');
}
