import { A2AError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { Clock } from '../support/clock.ts';
import type { OwnStrategy } from './auth.ts';
import { bearer } from './bearer.ts';
import type { IssuedToken } from './token-endpoint.ts';
import { TokenMemory } from './token-memory.ts';

/** A JWT (RFC 7519, HS256) that the client signs itself, with a secret that the agent knows too. */
export interface SignedToken {
  readonly secret: string | Uint8Array;
  /** Who the caller is, as `sub`: often an e-mail address. */
  readonly subject: string;
  /** The caller's organisation, as `org_domain`: agents find the right secret by it. */
  readonly orgDomain?: string;
  /** The caller's own address, as `iss`. */
  readonly issuer?: string;
  /** Whom it is for, as `aud`: the origin of the agent if not set. */
  readonly audience?: string;
  /** 300 if not set. */
  readonly lifetimeSeconds?: number;
  /** More to be said. */
  readonly claims?: JsonObject;
}

const LIFETIME_SECONDS = 300;

/** Times in a token are whole seconds: what is signed in the same one is the same. */
const SECOND_MS = 1000;

/** A token is for one origin only, short-lived, and used until shortly before its end. */
export function signedToken(auth: SignedToken, clock: Clock): OwnStrategy {
  const { secret } = auth;
  const key = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret;
  if (key.length === 0) throw new A2AError('INVALID_PARAMS', 'The secret to sign tokens with is empty');
  const memory = new TokenMemory(clock);
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
