import type { CryptoKey, JWK } from 'jose';
import { CARD_ALGORITHMS } from '../wire/card-signature-key.ts';
import { type Check, isObject, kindOf } from './check.ts';

/** One key that cards are signed with. */
export interface CardSigningKey {
  /** The name under which readers find the public key. */
  readonly kid: string;
  /** A JWK, the text of a PKCS#8 file (`-----BEGIN PRIVATE KEY-----`), or what the Web Crypto API gives. */
  readonly privateKey: JWK | string | CryptoKey;
  /** Such as `ES256`, `EdDSA`, `RS256`. */
  readonly alg: string;
  /** Where the public key is published, for readers who trust the place. */
  readonly jku?: string;
}

/** Signs the cards of an agent, so that readers know whose they are. */
export interface CardSigningOptions {
  /** Each signs: while a key is replaced, the old and the new one stand here side by side. */
  readonly keys: readonly CardSigningKey[];
}

const EXAMPLE = `{ keys: [{ kid: '2025-01', alg: 'ES256', privateKey }] }`;

/** Whoever sends a made-up Host would get a card with an address of his own, and our name under it. */
export const NEEDS_URL = 'needs publicUrl: no address is signed that a request may have made up';

/** What is wrong is told without a word of the key itself. */
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
  if (keys.length === 0) check.fault('cardSigning.keys', `must have a key, as in ${EXAMPLE}`);
  for (const [i, key] of keys.entries()) {
    const isAgain = key !== undefined && keys.findIndex((other) => other?.kid === key.kid) < i;
    if (isAgain) check.fault(`cardSigning.keys[${i}].kid`, 'is that of another key; give each its own');
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
    check.fault(`${path}.alg`, `must be one of ${CARD_ALGORITHMS.join(', ')}`);
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
    check.fault(path, 'must be a PKCS#8 file that begins with -----BEGIN PRIVATE KEY-----, or a JWK');
  } else if (!isObject(key)) check.fault(path, `must be a JWK or the text of a PKCS#8 file, not ${kindOf(key)}`);
  else if ('kty' in key && typeof key['d'] !== 'string') check.fault(path, 'is a public key: give the private one');
}
