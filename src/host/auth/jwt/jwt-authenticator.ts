import type { Caller } from '../../../engine/handler.ts';
import type { A2AError } from '../../../errors.ts';
import type { SecurityScheme } from '../../../model/security.ts';
import type { Authenticator, ServedAt } from '../authenticator.ts';
import { invalidCredentials } from '../authentication-errors.ts';
import { BEARER_CHALLENGE, credentialsOf } from '../credentials.ts';
import { isSameText } from '../../../support/secret/same-secret.ts';

/** Three parts in base64url. Longer values are rejected without parsing, because parsing them costs CPU time. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const MAX_LENGTH = 16_384;

/** Verifies a token that has the form of a JWT. @throws The errors of `Authenticator.authenticate`. */
export type VerifyToken = (token: string, servedAt: ServedAt) => Promise<Caller>;

/** Creates an authenticator for JWTs. Verified tokens are cached for up to one minute. */
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
      // One authenticator may be shared by agents with different URLs, and a token is valid for one of them.
      const claims = `${servedAt.publicUrl ?? ''} ${token.slice(0, token.lastIndexOf('.'))}`;
      const known = verified.get(claims, signatureOf(token));
      if (known !== undefined) return known;
      // Tested after the cache lookup: a cached token has the right form, and the test takes as long as the lookup.
      if (!JWT.test(token)) throw notJwt();
      return verifyAndKeep(claims, token, servedAt);
    },
  };
}

/** The last part of the token, with the dot before it. */
function signatureOf(token: string): string {
  return token.slice(token.lastIndexOf('.'));
}

function notJwt(): A2AError {
  return invalidCredentials('The bearer token is not a JWT');
}

/** A revoked token stays valid for up to this time. */
const MAX_AGE_MS = 60_000;
/** Each takes about 2 kB. */
const MAX_TOKENS = 4096;

interface Entry {
  readonly signature: string;
  readonly caller: Caller;
  readonly until: number;
}

/**
 * Caches the callers of verified tokens, because verifying one takes 100 times as long as a lookup. Entries are found by the claims,
 * which are not secret; the signature is compared in constant time.
 */
export class TokenCache {
  /** At half of the maximum it becomes `#older`, and the previous `#older` is dropped: entries that were not used in between. */
  #recent = new Map<string, Entry>();
  #older = new Map<string, Entry>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get(claims: string, signature: string): Caller | undefined {
    const recent = this.#recent.get(claims);
    const entry = recent ?? this.#older.get(claims);
    if (entry === undefined || entry.until <= this.#now() || !isSameText(entry.signature, signature)) return undefined;
    if (recent === undefined) this.#keep(claims, entry);
    return entry.caller;
  }

  set(claims: string, signature: string, caller: Caller): void {
    const { expiresAt = Number.POSITIVE_INFINITY } = caller;
    this.#keep(claims, { signature, caller, until: Math.min(expiresAt, this.#now() + MAX_AGE_MS) });
  }

  #keep(claims: string, entry: Entry): void {
    this.#recent.set(claims, entry);
    if (this.#recent.size < MAX_TOKENS / 2) return;
    this.#older = this.#recent;
    this.#recent = new Map();
  }
}
