import { A2AError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Clock } from '../../support/time/clock.ts';
import { bearer, type BuiltInStrategy } from './strategy.ts';
import type { IssuedToken } from './token-endpoint.ts';
import { TokenCache } from './token-cache.ts';

/** A JWT (RFC 7519, HS256) that the client signs with a secret shared with the agent. */
export interface SignedToken {
  /** The shared secret. It must not be empty and is never sent. */
  readonly secret: string | Uint8Array;
  /** The caller, as the claim `sub`; often an e-mail address. */
  readonly subject: string;
  /** The caller's organization, as the claim `org_domain`. Agents use it to find the secret. */
  readonly orgDomain?: string;
  /** The caller's own URL, as the claim `iss`. */
  readonly issuer?: string;
  /** The receiver, as the claim `aud`. Default: the origin of the agent. */
  readonly audience?: string;
  /** How long a token is valid, in seconds. Default: 300. */
  readonly lifetimeSeconds?: number;
  /** Further claims. */
  readonly claims?: JsonObject;
}

const LIFETIME_SECONDS = 300;

/** Times in a token are whole seconds, so tokens signed within the same second are equal. */
const SECOND_MS = 1000;

/** Each token is for one origin, short-lived, and used until shortly before it expires. */
export function signedToken(auth: SignedToken, clock: Clock): BuiltInStrategy {
  const { secret } = auth;
  const key = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret;
  if (key.length === 0) throw new A2AError('INVALID_PARAMS', 'auth.secret: expected a secret, got an empty one');
  const memory = new TokenCache(clock);
  const audienceFor = (origin: string): string => auth.audience ?? origin;
  return {
    headers({ origin }, deadline) {
      const audience = audienceFor(origin);
      const token = memory.get(audience, deadline, () => sign(auth, key, audience, clock.now()));
      return typeof token === 'string' ? bearer(token) : token.then(bearer);
    },
    refresh: ({ origin }) => memory.drop(audienceFor(origin), SECOND_MS),
  };
}

async function sign(auth: SignedToken, key: Uint8Array, audience: string, now: number): Promise<IssuedToken> {
  const { subject, orgDomain, issuer, lifetimeSeconds = LIFETIME_SECONDS, claims } = auth;
  const { SignJWT } = await import('jose');
  const issuedAt = Math.floor(now / SECOND_MS);
  const expiresAt = issuedAt + lifetimeSeconds;
  const token = new SignJWT({ ...claims, ...(orgDomain !== undefined && { org_domain: orgDomain }) })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(subject)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt);
  if (issuer !== undefined) token.setIssuer(issuer);
  return { value: await token.sign(key), expiresAt: expiresAt * SECOND_MS };
}
