import type { CryptoKey, JWK } from 'jose';
import { A2AError } from '../../../errors.ts';
import type { AgentCardSignature } from '../../../model/card.ts';
import type { JsonObject, JsonValue } from '../../../model/json.ts';
import { defined } from '../../../support/defined.ts';
import { CARD_VARIANTS, type CardVariant, canonicalPayload } from './canonical-card.ts';
import {
  CARD_ALGORITHMS,
  type CardKey,
  type CardKeys,
  type CardSignatureHeader,
  findKey,
} from '../card-signature-key.ts';
import { isObject } from '../../codec.ts';

/** Each signature may cost a key lookup and several verifications, and the server of the card chooses their number. */
const MAX_SIGNATURES = 16;

/** The key that signs a card. */
export interface CardSignerKey {
  /** The private key. */
  readonly key: CryptoKey | JWK;
  /** Signature algorithm, one of `CARD_ALGORITHMS`. */
  readonly alg: string;
  /** The id by which verifiers find the public key. */
  readonly kid: string;
  /** URL of the key set with the public key. Verifiers use it only if they trust the host. */
  readonly jku?: string;
}

/** Signs a canonical text. @throws A2AError `INVALID_PARAMS` for an unsupported algorithm or an empty kid. */
export async function cardSignature(canonical: string, signer: CardSignerKey): Promise<AgentCardSignature> {
  const { key, alg, kid, jku } = signer;
  if (!CARD_ALGORITHMS.includes(alg)) {
    throw new A2AError(
      'INVALID_PARAMS',
      `Cards cannot be signed with ${alg}; use one of ${CARD_ALGORITHMS.join(', ')}`,
    );
  }
  if (kid === '')
    throw new A2AError('INVALID_PARAMS', 'A card signature needs a kid: verifiers use it to find the key');
  const payload = new TextEncoder().encode(canonical);
  const { FlattenedSign } = await import('jose');
  const header = defined({ alg, typ: 'JOSE', kid, jku });
  const jws = await new FlattenedSign(payload).setProtectedHeader(header).sign(key);
  return { protected: jws.protected ?? '', signature: jws.signature };
}

/** Options of `verifyCard`. */
export interface VerifyCardOptions {
  /** Trusted keys. `verifyCard` fetches nothing, not even `jku`; a function can read `jku` from the header. */
  readonly keys: CardKeys;
  /** Accepted algorithms. Default: `CARD_ALGORITHMS`. List MAC algorithms here to allow them; `none` is never accepted. */
  readonly algorithms?: readonly string[];
  /** Current time in milliseconds, for the expiry of JWKs. Default: `Date.now`. */
  readonly now?: () => number;
}

/** A card with a valid signature. */
export interface VerifiedCard {
  /**
   * The card as it was signed, parsed from the verified bytes. The received document may contain more than the signature
   * covers, such as unknown members or an empty security requirement (no credentials needed): use only this card.
   */
  readonly card: JsonObject;
  /**
   * The signed form. A pruned card lacks all empty values, including required members and security requirements
   * without scopes.
   */
  readonly variant: CardVariant;
  /** Id of the key that made the signature. */
  readonly kid: string;
  /** Algorithm of the signature. */
  readonly alg: string;
  /** The valid signature. Put it into `card.signatures` to make the card verifiable again. */
  readonly signature: AgentCardSignature;
}

/**
 * Verifies a card as received (1.0 §8.4.3): at least one signature must be valid for a trusted key.
 *
 * @throws A2AError `INVALID_AGENT_RESPONSE` with the reason for each signature
 */
export async function verifyCard(json: unknown, options: VerifyCardOptions): Promise<VerifiedCard> {
  if (!isObject(json)) throw refused('it is not an object');
  const listed = json['signatures'];
  if (!isList(listed) || listed.length === 0) throw refused('it has no signature');
  const { base64url, flattenedVerify } = await import('jose');
  const attempts = await Promise.all(listed.slice(0, MAX_SIGNATURES).map((entry) => prepare(entry, options)));
  const tried = new Set<string>();
  let obstacle = '';
  // Forms in the outer loop: a signature over the official form takes precedence over an earlier one over another form.
  for (const variant of CARD_VARIANTS) {
    const text = await canonicalPayload(json, variant).catch((error: unknown) => {
      obstacle = textOf(error);
    });
    if (text === undefined || tried.has(text)) continue;
    tried.add(text);
    const payload = base64url.encode(text);
    for (const attempt of attempts) {
      if (attempt.key === undefined) continue;
      const { header, key, signature } = attempt;
      try {
        const verified = await flattenedVerify({ ...signature, payload }, key, { algorithms: [header.alg] });
        const card = JSON.parse(new TextDecoder().decode(verified.payload)) as JsonObject;
        return { card, variant, kid: header.kid, alg: header.alg, signature };
      } catch (error) {
        attempt.failure = textOf(error);
      }
    }
  }
  if (tried.size === 0) throw refused(obstacle);
  const failures = attempts.map(({ header, failure }, index) => `signature ${index + 1}${label(header)}: ${failure}`);
  if (listed.length > MAX_SIGNATURES) failures.push(`${listed.length - MAX_SIGNATURES} more were not checked`);
  throw refused(failures.join('; '));
}

/** A signature to verify. Without a key, `failure` is the reason. */
type Attempt =
  | { readonly key?: undefined; readonly header: CardSignatureHeader | undefined; failure: string }
  | {
      readonly key: CardKey;
      readonly header: CardSignatureHeader;
      readonly signature: AgentCardSignature;
      failure: string;
    };

async function prepare(entry: JsonValue, options: VerifyCardOptions): Promise<Attempt> {
  let header: CardSignatureHeader | undefined;
  try {
    const signature = readSignature(entry);
    header = await readHeader(signature);
    const accepted = options.algorithms ?? CARD_ALGORITHMS;
    if (!accepted.includes(header.alg)) throw new Error('this algorithm is not accepted');
    const key = await findKey(options.keys, header, options.now?.() ?? Date.now());
    return { key, header, signature, failure: 'not tried' };
  } catch (error) {
    return { header, failure: textOf(error) };
  }
}

function readSignature(entry: JsonValue): AgentCardSignature {
  const { protected: encoded, signature, header } = isObject(entry) ? entry : {};
  if (typeof encoded !== 'string' || typeof signature !== 'string') {
    throw new Error('expected the strings protected and signature');
  }
  if (header === undefined || header === null) return { protected: encoded, signature };
  if (!isObject(header)) throw new Error('expected header to be an object');
  return { protected: encoded, signature, header };
}

/** Reads `alg` and `kid` only from the protected header, which the signature covers. */
async function readHeader(signature: AgentCardSignature): Promise<CardSignatureHeader> {
  const { decodeProtectedHeader } = await import('jose');
  const { alg, kid, typ, jku } = decodeProtectedHeader({ protected: signature.protected }) as Record<string, unknown>;
  if (typeof alg !== 'string' || alg === '') throw new Error('its protected header has no alg');
  if (typeof kid !== 'string' || kid === '') throw new Error('its protected header has no kid');
  return defined({
    alg,
    kid,
    typ: typeof typ === 'string' ? typ : undefined,
    jku: typeof jku === 'string' ? jku : undefined,
  });
}

function isList(json: JsonValue | undefined): json is readonly JsonValue[] {
  return Array.isArray(json);
}

/** kid and alg are untrusted input, so they are quoted and truncated. */
function label(header: CardSignatureHeader | undefined): string {
  if (header === undefined) return '';
  return ` (kid ${JSON.stringify(header.kid.slice(0, 64))}, alg ${JSON.stringify(header.alg.slice(0, 16))})`;
}

/** Truncated, because some errors quote their input. */
function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 200);
}

function refused(reason: string): A2AError {
  return new A2AError('INVALID_AGENT_RESPONSE', `The agent card could not be verified: ${reason}`);
}
