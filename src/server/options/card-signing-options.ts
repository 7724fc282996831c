import type { CryptoKey, JWK } from 'jose';
import { CARD_ALGORITHMS } from '../../wire/card/card-signature-key.ts';
import { type Check, isObject, kindOf } from '../../support/check.ts';

/** A key that signs cards. */
export interface CardSigningKey {
  /** The key id, by which clients find the public key. Unique among the keys. */
  readonly kid: string;
  /** A JWK, PKCS#8 text (`-----BEGIN PRIVATE KEY-----`), or a `CryptoKey`. */
  readonly privateKey: JWK | string | CryptoKey;
  /** The JWS algorithm, such as `ES256`, `EdDSA` or `RS256`. */
  readonly alg: string;
  /** The URL where the public key is published, for clients that trust that URL. */
  readonly jku?: string;
}

/** Signs the cards of an agent, so that clients can verify who issued them. */
export interface CardSigningOptions {
  /** At least one key. Each key adds a signature; to rotate, list the old and the new key for a while. */
  readonly keys: readonly CardSigningKey[];
}

const EXAMPLE = `{ keys: [{ kid: '2025-01', alg: 'ES256', privateKey }] }`;

/** Otherwise a caller could send a forged `Host` and get a signed card that points to their own server. */
export const NEEDS_URL = 'requires publicUrl, because a signed card must not contain the Host header of a request';

/** Error messages never contain any part of a key. */
export function readCardSigning(
  check: Check,
  value: unknown,
  isUrlOpen: boolean,
): readonly CardSigningKey[] | undefined {
  if (value === undefined) return undefined;
  const given = check.record(value, 'cardSigning', EXAMPLE);
  if (given === undefined) return undefined;
  check.keys(given, ['keys'], 'cardSigning.');
  const keys = check.list(given['keys'], 'cardSigning.keys', 'keys', (item, path) => readKey(check, item, path));
  if (keys.length === 0) check.fault('cardSigning.keys', `must contain at least one key, as in ${EXAMPLE}`);
  for (const [i, key] of keys.entries()) {
    const isAgain = key !== undefined && keys.findIndex((other) => other?.kid === key.kid) < i;
    if (isAgain) check.fault(`cardSigning.keys[${i}].kid`, 'is used by another key; give each key its own kid');
  }
  if (isUrlOpen) check.fault('cardSigning', NEEDS_URL);
  return keys.filter((key) => key !== undefined);
}

function readKey(check: Check, value: unknown, path: string): CardSigningKey | undefined {
  const given = check.record(value, path, `{ kid: '2025-01', alg: 'ES256', privateKey }`);
  if (given === undefined) return undefined;
  check.keys(given, ['kid', 'privateKey', 'alg', 'jku'], `${path}.`);
  const kid = check.text(given['kid'], `${path}.kid`, '2025-01');
  const alg = check.text(given['alg'], `${path}.alg`, 'ES256');
  if (alg !== '' && !CARD_ALGORITHMS.includes(alg)) {
    check.fault(`${path}.alg`, `expected one of ${CARD_ALGORITHMS.join(', ')}`);
  }
  const jku = given['jku'] === undefined ? undefined : check.webAddress(given['jku'], `${path}.jku`);
  const { privateKey } = given;
  checkPrivateKey(check, privateKey, `${path}.privateKey`);
  const key = { kid, alg, privateKey: privateKey as CardSigningKey['privateKey'] };
  return jku === undefined ? key : { ...key, jku };
}

function checkPrivateKey(check: Check, key: unknown, path: string): void {
  if (typeof key === 'string') {
    if (key.trimStart().startsWith('-----BEGIN PRIVATE KEY-----')) return;
    check.fault(path, 'expected PKCS#8 text that begins with -----BEGIN PRIVATE KEY-----, or a JWK');
  } else if (!isObject(key)) check.fault(path, `expected a JWK or PKCS#8 text, got ${kindOf(key)}`);
  else if ('kty' in key && typeof key['d'] !== 'string') check.fault(path, 'is a public key; pass the private key');
}
