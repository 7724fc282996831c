import type { CryptoKey, JSONWebKeySet, JWK } from 'jose';

/** Accepted signature algorithms: public keys only, no shared secrets and never `none`. */
export const CARD_ALGORITHMS: readonly string[] = Object.freeze([
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
]);

/** The protected header of a signature, before anything is verified. */
export interface CardSignatureHeader {
  /** Signature algorithm, for example `ES256`. */
  readonly alg: string;
  /** Id of the key that made the signature. */
  readonly kid: string;
  /** Media type of the signature, usually `JOSE`. */
  readonly typ?: string;
  /** URL of a key set, chosen by the signer. Fetch it only over https and only from hosts that you trust. */
  readonly jku?: string;
}

/** A public key. Bytes are only for a MAC algorithm that you explicitly allow. */
export type CardKey = CryptoKey | JWK | Uint8Array;

/** Trusted keys: a key set, or a function that returns the key for a header, or `undefined` if no key is trusted. */
export type CardKeys =
  | JSONWebKeySet
  | ((header: CardSignatureHeader) => CardKey | undefined | Promise<CardKey | undefined>);

/** Returns the trusted key for a signature. Throws an error with the reason if there is no usable key. */
export async function findKey(keys: CardKeys, header: CardSignatureHeader, nowMs: number): Promise<CardKey> {
  if (typeof keys === 'function') {
    const key = await keys(header);
    if (key === undefined) throw new Error('no trusted key has this kid');
    if ('kty' in key) rejectRetired(key, nowMs);
    return key;
  }
  const named = keys.keys.filter((key) => key.kid === header.kid);
  if (named.length === 0) throw new Error('no trusted key has this kid');
  const current = named.filter((key) => retirement(key, nowMs) === undefined);
  // All keys with this kid are retired: report the reason.
  if (current.length === 0) for (const key of named) rejectRetired(key, nowMs);
  const { createLocalJWKSet } = await import('jose');
  return createLocalJWKSet({ keys: current })({ alg: header.alg, kid: header.kid });
}

function rejectRetired(key: JWK, nowMs: number): void {
  const reason = retirement(key, nowMs);
  if (reason !== undefined) throw new Error(reason);
}

/**
 * Expired and revoked keys must not be used (1.0 §8.4.3). RFC 7517 has no members for that, but published key sets carry
 * those of OpenID Federation 1.0: `exp` and `nbf` in seconds, `revoked` as an object. A malformed value
 * counts as retired.
 */
function retirement(key: JWK, nowMs: number): string | undefined {
  const { exp, nbf, revoked } = key as {
    readonly exp?: unknown;
    readonly nbf?: unknown;
    readonly revoked?: unknown;
  };
  if (revoked !== undefined && revoked !== null && revoked !== false) return 'the key was revoked';
  if (exp !== undefined && !(typeof exp === 'number' && nowMs < exp * 1000)) return 'the key has expired';
  if (nbf !== undefined && !(typeof nbf === 'number' && nowMs >= nbf * 1000)) return 'the key is not valid yet';
  return undefined;
}
